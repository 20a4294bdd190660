/*
 * Counting the values of lists: packed runs of every length against a count by hand.
 */
#include "tfrecord/example_lists.h"

#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"

static bool count(enum tfr_kind kind, const struct t2_buf *list, size_t *n)
{
    struct tfr_trouble t = {0};
    bool ok;

    *n = 0;
    ok = tfr_list_count(kind, t2_buf_slice(list), n, &t);
    assert_int_equal(ok, !t.what);
    return ok;
}

/* Runs of numbers whose lengths follow a pattern, so that every alignment of every length
 * occurs. */
static void test_packed_runs(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct t2_buf run = {0}, list = {0};
        size_t want = seed % 60, n;
        for (size_t i = 0; i < want; i++)
            wb_varint(&run, t_hash64(seed * 64 + i) >> t_hash64(seed + i) % 64);
        wb_message(&list, 1, &run);
        assert_true(count(TFR_INT64, &list, &n));
        assert_int_equal(n, want);
        t2_buf_release(&run);
        t2_buf_release(&list);
    }
}

/* A number of eleven bytes is found wherever it stands, one of ten is not complained about. */
static void test_too_long_numbers(void **state)
{
    (void) state;
    for (size_t before = 0; before < 20; before++) {
        for (size_t n_more = 0; n_more < 14; n_more++) {
            for (size_t after = 0; after < 18; after++) {
                struct t2_buf run = {0}, list = {0};
                size_t n;
                for (size_t i = 0; i < before; i++)
                    t2_buf_push(&run, 1);
                for (size_t i = 0; i < n_more; i++)
                    t2_buf_push(&run, 0x81);
                for (size_t i = 0; i < after; i++)
                    t2_buf_push(&run, 0);
                wb_message(&list, 1, &run);
                bool sound = n_more == 0 || (n_more <= 9 && after > 0);
                assert_int_equal(count(TFR_INT64, &list, &n), sound);
                if (sound)
                    assert_int_equal(n, before + after);
                t2_buf_release(&run);
                t2_buf_release(&list);
            }
        }
    }
}

static void test_mixed_forms(void **state)
{
    struct t2_buf list = {0};
    size_t n;
    (void) state;

    wb_number(&list, 1, 7);
    wb_bytes(&list, 1, "\x01\x02", 2);
    wb_number(&list, 2, 9);    /* unknown field */
    wb_bytes(&list, 1, "", 0); /* empty run */
    t2_buf_append(&list,
                  "\x0d"
                  "abcd",
                  5); /* wrong type: unknown */
    wb_number(&list, 1, 8);
    assert_true(count(TFR_INT64, &list, &n));
    assert_int_equal(n, 4);
    t2_buf_clear(&list);
    t2_buf_append(&list,
                  "\x0d"
                  "abcd",
                  5);
    wb_bytes(&list, 1, "12345678", 8);
    wb_number(&list, 1, 3); /* wrong type: unknown */
    assert_true(count(TFR_FLOAT, &list, &n));
    assert_int_equal(n, 3);
    t2_buf_clear(&list);
    wb_bytes(&list, 1, "12345", 5);
    wb_number(&list, 1, 3);
    wb_bytes(&list, 1, "", 0);
    assert_true(count(TFR_BYTES, &list, &n));
    assert_int_equal(n, 2);
    t2_buf_release(&list);
}

T_MAIN(cmocka_unit_test(test_packed_runs), cmocka_unit_test(test_too_long_numbers),
       cmocka_unit_test(test_mixed_forms))
