/* Differences of two records, feature by feature. */
#include "tfrec/diff_record.h"

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrec/rows.h"

static void parse(const char *json, struct t2_buf *record)
{
    struct t2_err err = T2_ERR_INIT;

    if (rec_row_parse("test", 1, t2_slice_of(json), record, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void differ(const char *a, const char *b, const char *want)
{
    struct t2_buf x = {NULL, 0, 0}, y = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct rec_differences d;

    parse(a, &x);
    parse(b, &y);
    rec_diff_records(t2_buf_slice(&x), t2_buf_slice(&y), &d);
    for (size_t i = 0; i < d.n; i++)
        t2_buf_printf(&text, "%s %s%s: %s|%s; ", d.items[i].feature ? d.items[i].feature : "-",
                      d.items[i].what, d.items[i].at, d.items[i].a, d.items[i].b);
    if (d.n_more > 0)
        t2_buf_printf(&text, "%zu more", d.n_more);
    assert_string_equal(t2_buf_cstr(&text), want);
    rec_differences_release(&d);
    t2_buf_release(&x);
    t2_buf_release(&y);
    t2_buf_release(&text);
}

static void test_features(void **state)
{
    (void) state;
    differ("{\"a\":[1,2],\"b\":[\"x\"]}", "{\"a\":[1,3,4],\"b\":[\"y\"]}",
           "a length: 2 values|3 values; a value[1]: 2|3; b value[0]: \"x\"|\"y\"; ");
    differ(
        "{\"a\":[1],\"c\":[1.5]}", "{\"a\":[1.0],\"b\":[1,2]}",
        "a kind: int64|float; b absent: absent|2 int64 values; c absent: 1 float value|absent; ");
    differ("{\"a\":[0.5,-0.0]}", "{\"a\":[0.5,0.0]}", "a value[1]: -0|0; ");
    differ("{\"a\":[\"the same beginning, then x\"]}", "{\"a\":[\"the same beginning, then y\"]}",
           "a value[0], byte 25: \"the same beginning, then x\"|\"the same beginning, then y\"; ");
}

static void test_many(void **state)
{
    struct t2_buf a = {NULL, 0, 0}, want = {NULL, 0, 0};
    (void) state;

    for (int i = 0; i < 25; i++) {
        t2_buf_printf(&a, "%s\"f%02d\":[1]", i == 0 ? "{" : ",", i);
        if (i < 20)
            t2_buf_printf(&want, "f%02d absent: 1 int64 value|absent; ", i);
    }
    t2_buf_puts(&a, "}");
    t2_buf_puts(&want, "5 more");
    differ(t2_buf_cstr(&a), "{}", t2_buf_cstr(&want));
    t2_buf_release(&a);
    t2_buf_release(&want);
}

static void test_bytes(void **state)
{
    struct rec_differences d;
    (void) state;

    rec_diff_records(t2_slice_of("no Example"), t2_slice_of("no example!"), &d);
    assert_int_equal(d.n, 2);
    assert_null(d.items[0].feature);
    assert_string_equal(d.items[0].a, "10 bytes");
    assert_string_equal(d.items[1].at, "offset 3");
    assert_string_equal(d.items[1].a, "45 78 61 6d 70 6c 65");
    assert_string_equal(d.items[1].b, "65 78 61 6d 70 6c 65 21");
    rec_differences_release(&d);
}

T_MAIN(cmocka_unit_test(test_features), cmocka_unit_test(test_many), cmocka_unit_test(test_bytes))
