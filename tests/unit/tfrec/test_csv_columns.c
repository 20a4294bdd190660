/*
 * tests/unit/tfrec/test_csv_columns.c - which cells are numbers, and what --columns and --types
 * say.
 */
#include "tfrec/convert/csv_columns.h"

#include <math.h>

#include "tests/support/t.h"

static bool is_int(const char *text, int64_t want)
{
    int64_t v = want ^ 1;

    return rec_csv_int64(t2_slice_of(text), &v) && v == want;
}

static void test_int64(void **state)
{
    static const char *const none[] = {
        "",    "-",    "+1", "007", "-0", "1.0", " 1", "1 ", "1e3", "0x1", "9223372036854775808",
        "--1", "1_000"};
    int64_t v;

    (void) state;
    assert_true(is_int("0", 0) && is_int("-5", -5) && is_int("9223372036854775807", INT64_MAX) &&
                is_int("-9223372036854775808", INT64_MIN));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(rec_csv_int64(t2_slice_of(none[i]), &v));
}

static void test_float(void **state)
{
    static const char *const none[] = {"",      "x",        "+1.5", "01.5",  "1e39",
                                       "-1e39", "infinity", "NaN",  "0x1p3", " 1"};
    static const float values[] = {0, -0.0F, 1, 0.1F, 16777216, 1e-45F, 3.4028235e38F, -2.5e-7F};
    struct t2_buf text = {0};
    float v;

    (void) state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(rec_csv_float(t2_slice_of(none[i]), &v));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        int64_t whole;
        t2_buf_clear(&text);
        rec_csv_put_float(&text, values[i]);
        assert_true(rec_csv_float(t2_buf_slice(&text), &v) && v == values[i]);
        assert_false(rec_csv_int64(t2_buf_slice(&text), &whole)); /* it stays a float */
    }
    assert_true(rec_csv_float(t2_slice_of("nan"), &v) && isnan(v));
    assert_true(rec_csv_float(t2_slice_of("-inf"), &v) && isinf(v) && v < 0);
    t2_buf_release(&text);
}

static void test_types(void **state)
{
    struct rec_csv_columns c = {.items = NULL};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(rec_csv_parse_columns("a,b:c,d", &c, &err), T2_OK);
    assert_int_equal(c.n, 3);
    assert_int_equal(rec_csv_parse_types("b:c:int64[],a:base64", &c, &err), T2_OK);
    assert_int_equal(rec_csv_column_find(&c, "b:c")->type, REC_CSV_INT64);
    assert_true(rec_csv_column_find(&c, "b:c")->is_list);
    assert_int_equal(rec_csv_column_find(&c, "a")->type, REC_CSV_BASE64);
    assert_int_equal(rec_csv_column_find(&c, "d")->type, REC_CSV_UNKNOWN);
    assert_null(rec_csv_column_find(&c, "e"));
    assert_int_equal(rec_csv_parse_types("e:int64", &c, &err), T2_EUSAGE);
    assert_int_equal(rec_csv_parse_types("a", &c, &err), T2_EUSAGE);
    assert_int_equal(rec_csv_parse_types("a:[]", &c, &err), T2_EUSAGE);
    assert_int_equal(rec_csv_parse_columns("x,a", &c, &err), T2_EUSAGE);
    rec_csv_columns_release(&c);
}

/* Names are looked up, not compared in pairs: 200,000 columns would take minutes. */
static void test_many_columns(void **state)
{
    enum { N = 200000 };
    struct rec_csv_columns c = {.items = NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < N; i++)
        t2_buf_printf(&text, "%sc%d", i ? "," : "", i);
    assert_int_equal(rec_csv_parse_columns(t2_buf_cstr(&text), &c, &err), T2_OK);
    assert_int_equal(c.n, N);
    assert_ptr_equal(rec_csv_column_find(&c, "c123456"), &c.items[123456]);
    assert_null(rec_csv_column_find(&c, "c200000"));
    rec_csv_columns_release(&c);
    t2_buf_puts(&text, ",c7");
    assert_int_equal(rec_csv_parse_columns(t2_buf_cstr(&text), &c, &err), T2_EUSAGE);
    t_assert_contains(err.message, "'c7' is there twice");
    rec_csv_columns_release(&c);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_int64), cmocka_unit_test(test_float), cmocka_unit_test(test_types),
       cmocka_unit_test(test_many_columns))
