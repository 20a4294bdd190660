/* Keys are in the order of their values; ways to say --by, and what is wrong with others. */
#include "tfrec/sort_keys.h"

#include <math.h>

#include "tests/support/t.h"

static struct rec_value of_int(int64_t i)
{
    return (struct rec_value){.kind = REC_INT, .i = i};
}

static struct rec_value of_double(double d)
{
    return (struct rec_value){.kind = REC_DOUBLE, .d = d};
}

static struct rec_value of_bytes(const char *s, size_t n)
{
    return (struct rec_value){.kind = REC_BYTES, .bytes = {(const uint8_t *) s, n}};
}

static int compare(struct rec_value a, struct rec_value b, bool descending)
{
    struct t2_buf x = {NULL, 0, 0}, y = {NULL, 0, 0};

    rec_sort_key_of(&a, descending, &x);
    rec_sort_key_of(&b, descending, &y);
    int c = t2_slice_cmp(t2_buf_slice(&x), t2_buf_slice(&y));
    t2_buf_release(&x);
    t2_buf_release(&y);
    return (c > 0) - (c < 0);
}

static void test_order(void **state)
{
    const struct rec_value ascending[] = {of_double(-INFINITY),
                                          of_double(-1e300),
                                          of_int(INT64_MIN),
                                          of_int(INT64_MIN + 1),
                                          of_int(-9007199254740993),
                                          of_double(-9007199254740992.0),
                                          of_double(-1.5),
                                          of_int(-1),
                                          of_int(0),
                                          of_double(1e-300),
                                          of_int(1),
                                          of_double(1.5),
                                          of_int(2),
                                          of_double(9007199254740992.0),
                                          of_int(9007199254740993),
                                          of_int(INT64_MAX - 1),
                                          of_int(INT64_MAX),
                                          of_double(9223372036854775808.0),
                                          of_double(INFINITY),
                                          of_double(NAN),
                                          of_bytes("", 0),
                                          of_bytes("\0", 1),
                                          of_bytes("\0\0", 2),
                                          of_bytes("\0\1", 2),
                                          of_bytes("\1", 1),
                                          of_bytes("a", 1),
                                          of_bytes("a\0", 2),
                                          of_bytes("ab", 2),
                                          of_bytes("\377", 1)};
    const struct rec_value missing = {.kind = REC_MISSING};
    size_t n = sizeof ascending / sizeof *ascending;
    (void) state;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            int want = (i > k) - (i < k);
            assert_int_equal(compare(ascending[i], ascending[k], false), want);
            assert_int_equal(compare(ascending[i], ascending[k], true), -want);
        }
        assert_int_equal(compare(ascending[i], missing, false), -1);
        assert_int_equal(compare(ascending[i], missing, true), -1);
    }
    assert_int_equal(compare(of_double(-0.0), of_int(0), false), 0);
    assert_int_equal(compare(of_double(3.0), of_int(3), false), 0);
    assert_int_equal(compare(of_double(-NAN), of_double(NAN), false), 0);
}

static void refuses(const char *text, const char *message)
{
    struct rec_sort_keys *k = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(rec_sort_keys_parse(text, &k, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
}

static void test_parse(void **state)
{
    struct rec_sort_keys *k = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf key = {NULL, 0, 0};
    struct rec_where_scratch scratch = {{NULL, 0, 0}};
    (void) state;

    assert_int_equal(rec_sort_keys_parse("bytes():desc, record() % 2:asc,1", &k, &err), T2_OK);
    assert_false(rec_sort_keys_need_example(k));
    rec_sort_keys_put(k, &scratch, NULL, t2_slice_of("abc"), 5, &key);
    assert_int_equal(key.len_bytes, 3 * 11);
    t2_buf_release(&key);
    rec_sort_keys_free(k);
    assert_int_equal(rec_sort_keys_parse("label", &k, &err), T2_OK);
    assert_true(rec_sort_keys_need_example(k));
    rec_sort_keys_free(k);
    refuses("", "the expression ends");
    refuses("label,", "the expression ends");
    refuses("label:down", "after the colon at column 6 comes desc or asc");
    refuses("label b", "an operator should be at column 7");
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_parse))
