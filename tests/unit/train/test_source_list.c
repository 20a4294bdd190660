/*
 * tests/unit/train/test_source_list.c - results find back to their sources, whatever batches they
 * were in; what has no ids has empty ones.
 */
#include "base/alloc.h"
#include "tests/unit/train/small_translator.h"
#include "train/decode/source_list.h"

enum { SOURCES = 70 };

/* Sources of all lengths, some of none, the second half again the first as another repetition. */
static void translate(const char *decode_hparams, struct dec_source_list *list)
{
    struct small_translator s;
    struct t2_err err = T2_ERR_INIT;

    *list = (struct dec_source_list){.from = "here", .item = "thing", .between = "|"};
    small_open(&s, decode_hparams, 0, 2);
    for (int i = 0; i < SOURCES; i++) {
        int kind = i % (SOURCES / 2), n = (int) (t_hash64((uint64_t) kind) % 9);
        char text[32];
        size_t n_cut;

        snprintf(text, sizeof text, "%.*s", n, "some text");
        assert_int_equal(dec_encode(s.t, t2_slice_of(text), &list->ids, &n_cut, &err), T2_OK);
        dec_source_list_add(list, (uint64_t) (i / (SOURCES / 2)));
        assert_int_equal(list->items[i].n_ids, n ? n + (n != 5) : 0); /* "some " is stripped */
    }
    if (dec_source_list_translate(list, s.t, &s.hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    small_close(&s);
}

static void test_order(void **state)
{
    static const char *const hparams[] = {"batch_size=1", "batch_size=3", "batch_size=8", ""};
    struct dec_source_list one, other;
    char text[128];

    (void) state;
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "%s%sbeam_size=3,extra_length=4,return_beams=true", hparams[k],
                 hparams[k][0] ? "," : "");
        translate(text, k ? &other : &one);
        if (k == 0)
            continue;
        assert_int_equal(other.n_target_ids, one.n_target_ids);
        assert_true(other.n_batches < one.n_batches);
        for (int i = 0; i < SOURCES; i++) {
            assert_int_equal(other.items[i].number, i);
            assert_string_equal(t2_buf_cstr(&other.items[i].result),
                                t2_buf_cstr(&one.items[i].result));
        }
        dec_source_list_release(&other);
    }
    for (int i = 0; i < SOURCES / 2; i++) {
        const char *result = t2_buf_cstr(&one.items[i].result);

        assert_string_equal(result, t2_buf_cstr(&one.items[i + SOURCES / 2].result));
        if (one.items[i].n_ids == 0)
            assert_string_equal(result, "||");
    }
    dec_source_list_release(&one);
}

static void test_empty(void **state)
{
    struct dec_source_list list = {.from = "here", .item = "thing", .between = "|"};
    struct small_translator s;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&s, "", 0, 1);
    assert_int_equal(dec_source_list_translate(&list, s.t, &s.hp, &err), T2_OK);
    dec_source_list_add(&list, 0);
    dec_source_list_add(&list, 0);
    assert_int_equal(dec_source_list_translate(&list, s.t, &s.hp, &err), T2_OK);
    assert_int_equal(list.n_batches, 0);
    assert_int_equal(list.items[1].result.len_bytes, 0);
    dec_source_list_release(&list);
    small_close(&s);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_empty))
