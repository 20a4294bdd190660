/*
 * tests/unit/train/test_translator.c - texts to ids and back, memory of a batch, one line each.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "tests/support/op_device.h"
#include "tests/unit/train/small_translator.h"

static void test_encode(void **state)
{
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "", 0, 1);
    assert_int_equal(dec_encode(s.t, t2_slice_of(" \t ab\r "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[0], 'a' + 2);
    assert_int_equal(ids.items[1], 'b' + 2);
    assert_int_equal(ids.items[2], TOK_EOS);
    assert_int_equal(n_cut, 0);
    assert_int_equal(dec_encode(s.t, t2_slice_of("\u00a0 "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3); /* nothing but white space: no ids, no EOS */
    small_close(&s);
    small_open(&s, "max_input_size=3", 0, 1);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("abcde"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[2], TOK_EOS);
    assert_int_equal(n_cut, 3);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(n_cut, 0);
    tok_ids_release(&ids);
    small_close(&s);
}

/* Ids of somebody else: checked, cut in front of their last, and how long results of them are. */
static void test_take_ids(void **state)
{
    static const int32_t given[] = {5, 6, 7, 1}, bad[] = {5, 258}, negative[] = {-1};
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "max_input_size=3,extra_length=9", 0, 1);
    assert_int_equal(dec_take_ids(s.t, given, 2, &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 2);
    assert_int_equal(n_cut, 0);
    ids.n = 0;
    assert_int_equal(dec_take_ids(s.t, given, 4, &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[1], 6);
    assert_int_equal(ids.items[2], 1);
    assert_int_equal(n_cut, 1);
    assert_int_equal(dec_take_ids(s.t, bad, 2, &ids, &n_cut, &err), T2_EFORMAT);
    t_assert_contains(err.message, "id 258 is not one of the 258");
    assert_int_equal(dec_take_ids(s.t, negative, 1, &ids, &n_cut, &err), T2_EFORMAT);
    assert_int_equal(ids.n, 3);
    tok_ids_release(&ids);
    small_close(&s);
}

/* A task's id in place of EOS; a space behind the punctuation that a language model goes on from.
 */
static void test_ends_of_sources(void **state)
{
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct dec_translator *t;
    size_t n_cut;

    (void) state;
    small_open(&s, "multiproblem_task_id=257", 0, 1);
    assert_int_equal(dec_encode(s.t, t2_slice_of("a."), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[1], '.' + 2);
    assert_int_equal(ids.items[2], 257);
    s.hp.multiproblem_task_id = 258;
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp},
                                        &t, &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "multiproblem_task_id=258 is not below the 258 ids");
    small_close(&s);
    small_open_as(&s, "", 0, 1, "", false);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of(" a. "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[2], ' ' + 2);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 2);
    tok_ids_release(&ids);
    small_close(&s);
}

/* Question, EOS, separator, context, EOS. */
static void test_context(void **state)
{
    static const int32_t expected[] = {'a' + 2, 'b' + 2, 1, 2, 'c' + 2, '\t' + 2, 'd' + 2, 1};
    struct small_translator s;
    struct dec_translator *t;
    struct tok_ids ids = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "", 0, 1);
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp,
                                                            .context_separator = 2},
                                        &t, &err),
                     T2_OK);
    assert_int_equal(dec_encode(t, t2_slice_of(" ab \t c\td "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, sizeof expected / sizeof *expected);
    assert_memory_equal(ids.items, expected, sizeof expected);
    ids.n = 0;
    assert_int_equal(dec_encode(t, t2_slice_of("\tc"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 4);
    ids.n = 0;
    assert_int_equal(dec_encode(t, t2_slice_of(" \t "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 0);
    assert_int_equal(dec_encode(t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_EFORMAT);
    t_assert_contains(err.message, "a line must be question, TAB, context");
    tok_ids_release(&ids);
    dec_translator_free(t);
    small_close(&s);
}

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

static void encode(struct small_translator *s, const char *text, struct tok_ids *ids)
{
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    *ids = (struct tok_ids){NULL, 0, 0};
    assert_int_equal(dec_encode(s->t, t2_slice_of(text), ids, &n_cut, &err), T2_OK);
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
        encode(s, text, &ids[i]);
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

/* Batches of growing and shrinking shape through one translator; all beams; best first. */
static void test_translate(void **state)
{
    static const char *const texts[] = {"a", "longer than that", "b c", "and one more, to be sure"};
    struct small_translator s;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&s, "beam_size=3,return_beams=true,extra_length=5", 0, 1);
    for (int32_t n = 1; n <= 4; n++) {
        struct dec_hypothesis h[12] = {{{NULL, 0, 0}, 0, 0, NULL}};
        struct tok_ids ids[4];
        size_t longest = 0;

        for (int32_t i = 0; i < n; i++) {
            encode(&s, texts[i], &ids[i]);
            longest = ids[i].n > longest ? ids[i].n : longest;
        }
        assert_int_equal(dec_translate(s.t, ids, n, h, &err), T2_OK);
        for (int32_t i = 0; i < 3 * n; i++) {
            assert_true(i % 3 == 0 || h[i].score <= h[i - 1].score);
            assert_true(h[i].n_ids >= 0 && (size_t) h[i].n_ids <= longest + 5);
            for (size_t k = 0; k < h[i].text.len_bytes; k++)
                assert_true(!strchr("\n\r\t", h[i].text.data[k]) || h[i].text.data[k] == 0);
            t2_buf_release(&h[i].text);
        }
        for (int32_t i = 0; i < n; i++)
            tok_ids_release(&ids[i]);
    }
    small_close(&s);
}

/* identity_output shows the ids that the text is made of. */
static void test_identity(void **state)
{
    struct small_translator text, numbers;
    struct dec_hypothesis a = {{NULL, 0, 0}, 0, 0, NULL}, b = {{NULL, 0, 0}, 0, 0, NULL};
    struct tok_ids ids;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf again = {NULL, 0, 0};
    char *at;

    (void) state;
    small_open(&text, "extra_length=6", 0, 1);
    small_open(&numbers, "extra_length=6,identity_output=true", 0, 2);
    encode(&text, "some text", &ids);
    assert_int_equal(dec_translate(text.t, &ids, 1, &a, &err), T2_OK);
    assert_int_equal(dec_translate(numbers.t, &ids, 1, &b, &err), T2_OK);
    assert_true(a.score == b.score && a.n_ids == b.n_ids && a.n_ids > 0);
    at = (char *) b.text.data;
    for (int32_t i = 0; i < b.n_ids; i++) {
        int32_t id = (int32_t) strtol(at, &at, 10);

        if (id != TOK_EOS)
            tok_decode(text.bytes, &id, 1, &again);
    }
    assert_int_equal(*at, '\0');
    t2_buf_release(&again);
    t2_buf_release(&a.text);
    t2_buf_release(&b.text);
    tok_ids_release(&ids);
    small_close(&numbers);
    small_close(&text);
}

/* The source of a text that is continued has no EOS; a batch of several gives what each gives
 * alone: what is forced is as long as its own source. */
static void check_continuation(const char *more, bool has_inputs, int beam_size)
{
    static const char *const texts[] = {"some text", "x", "another longer one"};
    char decode_hparams[64];
    struct small_translator s;
    struct dec_hypothesis together[3] = {0}, alone[3] = {0};
    struct tok_ids ids[3];
    struct t2_err err = T2_ERR_INIT;

    snprintf(decode_hparams, sizeof decode_hparams, "beam_size=%d,extra_length=%d", beam_size,
             has_inputs ? 9 : 20);
    small_open_as(&s, decode_hparams, 0, 2, more, has_inputs);
    for (int i = 0; i < 3; i++) {
        encode(&s, texts[i], &ids[i]);
        assert_int_equal(ids[i].n, strlen(texts[i]) + has_inputs);
        assert_int_equal(dec_translate(s.t, &ids[i], 1, &alone[i], &err), T2_OK);
    }
    assert_int_equal(dec_translate(s.t, ids, 3, together, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        size_t n = alone[i].text.len_bytes;

        assert_true(alone[i].n_ids > 0 && together[i].n_ids > 0);
        /* the longest of the batch may go on for longer */
        n = n < together[i].text.len_bytes ? n : together[i].text.len_bytes;
        if (beam_size == 1)
            assert_memory_equal(alone[i].text.data, together[i].text.data, n);
        t2_buf_release(&alone[i].text);
        t2_buf_release(&together[i].text);
        tok_ids_release(&ids[i]);
    }
    small_close(&s);
}

static void test_continuations(void **state)
{
    (void) state;
    for (int beam_size = 1; beam_size <= 3; beam_size += 2) {
        check_continuation("", false, beam_size);
        check_continuation(",prepend_mode=prepend_inputs_masked_attention", true, beam_size);
    }
}

/* The last test: the signal stays. */
/* The official Transformer counts from sources of 97 ids, and never trained it finds no end. */
static void test_official_length(void **state)
{
    static const char sets[2][32] = {"official_transformer_tiny", "transformer_tiny"};
    static const char models[2][24] = {"official_transformer", "transformer"};
    struct mdl_problem problem = {.has_inputs = true,
                                  .inputs_vocab = 258,
                                  .targets_vocab = 258,
                                  .loss_multiplier = 1.0};
    int32_t n_ids[4];

    (void) state;
    for (int i = 0; i < 4; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *bytes = tok_bytes_new();
        struct dec_hypothesis out = {.score = 0};
        struct tok_ids source = {0};
        struct dec_hparams hp;
        struct dec_translator *t;
        struct mdl_hparams *mhp;
        struct dev *dev;
        struct mdl *m;
        size_t n_cut;

        assert_int_equal(mdl_hparams_new(sets[i & 1], &mhp, &err), T2_OK);
        assert_int_equal(mdl_hparams_override(mhp, "num_hidden_layers=1", &err), T2_OK);
        if ((i & 1) == 0)
            mdl_hp_set_int(mhp, "vocab_size", 300); /* more than the encoder has */
        assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
        if (mdl_new(models[i & 1], dev, mhp, &problem, MDL_EVAL, &m, &err) != T2_OK ||
            mdl_initialise(m, 3, &err) != T2_OK ||
            dec_hparams_parse(i < 2 ? "beam_size=1,extra_length=4" : "beam_size=1", &hp, &err) !=
                T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(dec_translator_new(&(struct dec_parts){.m = m,
                                                                .inputs = bytes,
                                                                .targets = bytes,
                                                                .hp = &hp},
                                            &t, &err),
                         T2_OK);
        assert_int_equal(dec_encode(t, (struct t2_slice){(const uint8_t *) "ab", 2}, &source,
                                    &n_cut, &err),
                         T2_OK);
        assert_int_equal(dec_translate(t, &source, 1, &out, &err), T2_OK);
        n_ids[i] = out.n_ids;
        t2_buf_release(&out.text);
        tok_ids_release(&source);
        dec_translator_free(t);
        mdl_free(m);
        mdl_hparams_free(mhp);
        dev_close(dev);
        tok_free(bytes);
    }
    assert_int_equal(n_ids[0], 97 + 4);
    assert_int_equal(n_ids[1], 3 + 4);
    assert_int_equal(n_ids[2], 97 + 50);
    assert_int_equal(n_ids[3], 3 + 100);
}

/* Three lines one by one and as a batch, with one thread and with two: the same draws; another seed
 * draws others, and argmax does not draw. */
static void sampled(const char *more, uint64_t seed, int batch, int threads, struct t2_buf out[3])
{
    static const char *const lines[] = {"one line", "another one", "and a third"};
    struct tok_ids ids[3] = {{0}};
    struct dec_hypothesis h[3] = {{{0}, 0, 0, NULL}};
    struct t2_err err = T2_ERR_INIT;
    struct small_translator s;
    struct dec_translator *t;
    size_t n_cut;

    small_open_as(&s, "beam_size=1,identity_output=true,extra_length=12", 0, threads, more, true);
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp,
                                                            .seed = seed},
                                        &t, &err),
                     T2_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(dec_encode(t, t2_slice_of(lines[i]), &ids[i], &n_cut, &err), T2_OK);
    for (int i = 0; i < 3; i += batch)
        assert_int_equal(dec_translate(t, ids + i, batch, h + i, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        out[i] = h[i].text;
        tok_ids_release(&ids[i]);
    }
    dec_translator_free(t);
    small_close(&s);
}

/* How many of the three begin with the same 20 characters (a batch may leave off elsewhere). */
static int n_same(struct t2_buf *a, struct t2_buf *b)
{
    int n = 0;

    for (int i = 0; i < 3; i++)
        n += strncmp(t2_buf_cstr(&a[i]), t2_buf_cstr(&b[i]), 20) == 0;
    return n;
}

static void test_sampling(void **state)
{
    static const char random[] =
        ",sampling_method=random,sampling_temp=0.7,sampling_keep_top_k=100";
    struct t2_buf one[3], all[3], threads[3], seed[3], argmax[3];

    (void) state;
    sampled(random, 5, 1, 1, one);
    sampled(random, 5, 3, 1, all);
    sampled(random, 5, 3, 2, threads);
    sampled(random, 6, 3, 1, seed);
    sampled("", 5, 3, 1, argmax);
    assert_int_equal(n_same(one, all), 3);
    assert_int_equal(n_same(all, threads), 3);
    assert_int_equal(n_same(all, seed), 0);
    assert_int_equal(n_same(all, argmax), 0);
    for (int i = 0; i < 3; i++) {
        t2_buf_release(&one[i]);
        t2_buf_release(&all[i]);
        t2_buf_release(&threads[i]);
        t2_buf_release(&seed[i]);
        t2_buf_release(&argmax[i]);
    }
}

static void interrupt_third_step(void *context, int32_t step, int32_t max_steps)
{
    int *n_steps = context;

    assert_int_equal(step, *n_steps);
    assert_true(step < max_steps);
    if (++*n_steps == 3)
        raise(SIGINT);
}

static void test_interrupt(void **state)
{
    struct small_translator s;
    struct dec_hypothesis h = {{NULL, 0, 0}, 0, 0, NULL};
    struct tok_ids ids;
    struct mdl_decoder *decoder;
    int n_steps = 0;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&s, "", 0, 1);
    encode(&s, "some text", &ids);
    t2_signals_install();
    dec_translator_on_step(s.t, interrupt_third_step, &n_steps);
    assert_int_equal(dec_translate(s.t, &ids, 1, &h, &err), T2_EINTERRUPTED);
    assert_int_equal(n_steps, 3); /* not one more */
    /* nor does the pass over a source go on to its end */
    assert_int_equal(mdl_decoder_new(s.m, NULL, &decoder, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(decoder,
                                       &(struct mdl_search_shape){1, 1, (int32_t) ids.n, 4},
                                       ids.items, &err),
                     T2_EINTERRUPTED);
    mdl_decoder_free(decoder);
    t2_buf_release(&h.text);
    tok_ids_release(&ids);
    small_close(&s);
}

T_MAIN(cmocka_unit_test(test_official_length), cmocka_unit_test(test_take_ids),
       cmocka_unit_test(test_encode), cmocka_unit_test(test_ends_of_sources),
       cmocka_unit_test(test_context), cmocka_unit_test(test_memory),
       cmocka_unit_test(test_two_budgets), cmocka_unit_test(test_batches),
       cmocka_unit_test(test_translate), cmocka_unit_test(test_identity),
       cmocka_unit_test(test_continuations), cmocka_unit_test(test_sampling),
       cmocka_unit_test(test_interrupt))
