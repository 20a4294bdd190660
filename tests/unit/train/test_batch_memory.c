/*
 * tests/unit/train/test_batch_memory.c - batches are as small as memory wants, and nothing else
 * depends on it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/support/op_device.h"
#include "tests/unit/train/small_translator.h"

static int32_t fit(struct small_translator *s, size_t n_ids, int32_t n_wanted)
{
    struct t2_err err = T2_ERR_INIT;
    int32_t n = 0;

    assert_int_equal(dec_fit(s->t, n_ids, n_wanted, &n, &err), T2_OK);
    return n;
}

static void test_memory(void **state)
{
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    char text[2001];
    size_t n_cut;

    (void) state;
    OP_NEEDS_CPU();
    memset(text, 'x', 2000);
    text[2000] = '\0';
    small_open(&s, "", 1 << 20, 1);
    assert_true(fit(&s, 10, 1000) > fit(&s, 100, 1000));
    assert_true(fit(&s, 100, 1000) > 1);
    assert_int_equal(fit(&s, 10, 3), 3); /* no more than are wanted */
    assert_int_equal(fit(&s, 100000, 1000), 1);
    /* of 2001 ids not even one source fits: cut to what does */
    assert_int_equal(dec_encode(s.t, t2_slice_of(text), &ids, &n_cut, &err), T2_OK);
    assert_true(ids.n > 100 && ids.n < 2001);
    assert_int_equal(ids.n + n_cut, 2001);
    assert_int_equal(ids.items[ids.n - 1], TOK_EOS);
    assert_int_equal(fit(&s, ids.n, 1000), 1);
    tok_ids_release(&ids);
    small_close(&s);
}

enum { LINES = 12 };

/* Twelve sources of ten ids, `size` of them at a time or as many as fit. */
static void in_batches(struct small_translator *s, int32_t size, struct dec_hypothesis *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids[LINES];

    for (int i = 0; i < LINES; i++) {
        char text[16];

        snprintf(text, sizeof text, "line %c%03d", 'a' + i, 37 * i);
        small_encode(s, text, &ids[i]);
        assert_int_equal(ids[i].n, 10);
    }
    for (int32_t at = 0; at < LINES;) {
        int32_t n = fit(s, 10, size < LINES - at ? size : LINES - at);

        assert_int_equal(dec_translate(s->t, ids + at, n, out + at, &err), T2_OK);
        at += n;
    }
    for (int i = 0; i < LINES; i++)
        tok_ids_release(&ids[i]);
}

/* Neither the size of a batch nor the limit that makes it smaller changes what is written; and only
 * the first batch of a shape builds graphs, beside the plan for a source alone. */
static void check_batches(const char *decode_hparams, const char *more, bool has_inputs)
{
    static const int32_t sizes[] = {LINES, 1, 5, LINES};
    struct dec_hypothesis first[LINES] = {0};
    uint64_t packs = 0; /* bytes of packed weights */

    for (int k = 0; k < 4; k++) {
        uint64_t limit = k == 3 ? packs + 130000 : 0; /* of the last */
        struct dec_hypothesis out[LINES] = {0};
        struct small_translator s;
        int64_t n_built;

        small_open_as(&s, decode_hparams, limit, 1, more, has_inputs);
        if (k == 3)
            assert_in_range(fit(&s, 10, LINES), 1, LINES - 1); /* else it would prove nothing */
        in_batches(&s, sizes[k], k ? out : first);
        if (k == 3)
            assert_true(dec_planned_bytes(s.t).host <= limit);
        n_built = dec_n_graphs_built(s.t);
        packs = mdl_packs_bytes(s.m);
        if (limit == 0) /* of 1 source; of 12; of 5 and the 2 that are left */
            assert_int_equal(n_built, 2 * (sizes[k] == 1 ? 1 : sizes[k] == 5 ? 3 : 2));
        if (k == 2) { /* all of it once more: nothing is built */
            struct dec_hypothesis again[LINES] = {0};

            in_batches(&s, sizes[k], again);
            assert_int_equal(dec_n_graphs_built(s.t), n_built);
            for (int i = 0; i < LINES; i++)
                t2_buf_release(&again[i].text);
        }
        for (int i = 0; k && i < LINES; i++) {
            assert_string_equal(t2_buf_cstr(&out[i].text), t2_buf_cstr(&first[i].text));
            assert_true(out[i].n_ids > 0);
            t2_buf_release(&out[i].text);
        }
        small_close(&s);
    }
    for (int i = 0; i < LINES; i++)
        t2_buf_release(&first[i].text);
}

/* Batches are as small as the memory wants of which there is least; what is written is the same. */
static void test_two_budgets(void **state)
{
    const char *decode_hparams = "beam_size=2,extra_length=9";
    struct dec_hypothesis first[LINES] = {0};
    struct small_translator s;
    uint64_t used;
    struct dev_bytes needed;

    (void) state;
    small_open_on(&s, "far", decode_hparams, 0, 1, "", true);
    used = s.dev->memory(s.dev).used_bytes;
    assert_int_equal(fit(&s, 10, LINES), LINES);
    in_batches(&s, LINES, first);
    needed = dec_planned_bytes(s.t);
    assert_true(needed.device > 0 && needed.host > 0);
    assert_true(s.dev->memory(s.dev).used_bytes <= used + needed.device);
    small_close(&s);
    for (int k = 0; k < 2; k++) { /* too little of the device's, of the host's */
        struct dec_hypothesis out[LINES] = {0};
        char text[32];

        snprintf(text, sizeof text, "%" PRIu64, used + needed.device / 2);
        if (k == 0)
            setenv("T2_FAR_MEMORY", text, 1);
        small_open_on(&s, "far", decode_hparams, k == 1 ? needed.host - 1 : 0, 1, "", true);
        unsetenv("T2_FAR_MEMORY");
        assert_in_range(fit(&s, 10, LINES), 1, LINES - 1);
        in_batches(&s, LINES, out);
        assert_true(k == 1 || dec_planned_bytes(s.t).device <= needed.device / 2);
        assert_true(k == 0 || dec_planned_bytes(s.t).host < needed.host);
        for (int i = 0; i < LINES; i++) {
            assert_string_equal(t2_buf_cstr(&out[i].text), t2_buf_cstr(&first[i].text));
            t2_buf_release(&out[i].text);
        }
        small_close(&s);
    }
    for (int i = 0; i < LINES; i++)
        t2_buf_release(&first[i].text);
}

static void test_batches(void **state)
{
    (void) state;
    OP_NEEDS_CPU();
    check_batches("beam_size=1,extra_length=9", "", true);
    check_batches("beam_size=4,extra_length=9", "", true);
    check_batches("beam_size=2,extra_length=9", ",prepend_mode=prepend_inputs_masked_attention",
                  true);
}

T_MAIN(cmocka_unit_test(test_memory), cmocka_unit_test(test_two_budgets),
       cmocka_unit_test(test_batches))
