/*
 * Tests of train/experiment/config_value.c.  What PyYAML with Model Garden's rule makes of a text
 * was asked of tf-models-official 2.20.0.
 */
#include "train/experiment/config_value.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static struct t2_err err;

/* Reads `yaml`, which must become `expected` as text. */
static void check(const char *yaml, enum exp_kind kind, const char *expected)
{
    struct t2_yaml_node *tree = NULL;
    struct exp_value v, copy;
    struct t2_buf text = {0};

    assert_int_equal(t2_yaml_tree(yaml, strlen(yaml), "x", &tree, &err), T2_OK);
    assert_int_equal(exp_value_read(tree, "x", &v, &err), T2_OK);
    copy = exp_value_copy(&v);
    assert_true(isnan(v.f) || exp_value_equal(&v, &copy));
    exp_value_put(&text, &copy);
    if (v.kind != kind || strcmp(t2_buf_cstr(&text), expected) != 0)
        fail_msg("%s: kind %d, %s", yaml, (int) v.kind, t2_buf_cstr(&text));
    exp_value_release(&v);
    exp_value_release(&copy);
    t2_buf_release(&text);
    t2_yaml_free(tree);
}

static void test_scalars(void **state)
{
    (void) state;
    check("~", EXP_NULL, "null");
    check("yes", EXP_BOOL, "true");
    check("Off", EXP_BOOL, "false");
    check("'yes'", EXP_STRING, "'yes'");
    check("y", EXP_STRING, "'y'");
    check("10", EXP_INT, "10");
    check("-1_000", EXP_INT, "-1000");
    check("010", EXP_INT, "8");
    check("08", EXP_STRING, "'08'");
    check("0x1f", EXP_INT, "31");
    check("0b101", EXP_INT, "5");
    check("12:30", EXP_INT, "750");
    check("12:30:00", EXP_INT, "45000");
    check("12:70", EXP_STRING, "'12:70'");
    check("1e-4", EXP_FLOAT, "0.0001");
    check("3e8", EXP_FLOAT, "300000000.0");
    check("1.5e3", EXP_STRING, "'1.5e3'");
    check("1.5e+3", EXP_FLOAT, "1500.0");
    check(".5", EXP_FLOAT, "0.5");
    check("-.5", EXP_STRING, "'-.5'");
    check("1.", EXP_FLOAT, "1.0");
    check("+.inf", EXP_FLOAT, "inf");
    check(".NaN", EXP_FLOAT, "nan");
    check("inf", EXP_STRING, "'inf'");
    check("!!str 3", EXP_STRING, "'3'");
    check("[1, 2.5, a, [null]]", EXP_LIST, "[1, 2.5, 'a', [null]]");
    check("!!python/tuple [1]", EXP_LIST, "[1]");
}

static void test_floats_as_python_writes_them(void **state)
{
    static const struct {
        double f;
        const char *text;
    } cases[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {0.1, "0.1"},
                 {100, "100.0"},
                 {12345678.9, "12345678.9"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e+16"},
                 {1.5e300, "1.5e+300"},
                 {0.0001, "0.0001"},
                 {0.00012, "0.00012"},
                 {1e-5, "1e-05"},
                 {-2.5e-7, "-2.5e-07"},
                 {1.0 / 3, "0.3333333333333333"}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_buf out = {0};

        exp_put_float(&out, cases[i].f);
        assert_string_equal(t2_buf_cstr(&out), cases[i].text);
        t2_buf_release(&out);
    }
}

static void check_refused(const char *yaml, const char *message)
{
    struct t2_yaml_node *tree = NULL;
    struct exp_value v;

    assert_int_equal(t2_yaml_tree(yaml, strlen(yaml), "x", &tree, &err), T2_OK);
    assert_int_equal(exp_value_read(tree, "f.yaml", &v, &err), T2_EFORMAT);
    t_assert_contains(err.message, message);
    t2_yaml_free(tree);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("2020-01-31", "'f.yaml': line 1, column 1: a date");
    check_refused("[1, {a: 1}]", "line 1, column 5: a mapping where a value belongs");
    check_refused("!!set [a]", "this tag is not understood");
    check_refused("!!int 3", "this tag is not understood");
    check_refused("99999999999999999999", "too large");
}

static void test_equal(void **state)
{
    struct exp_value one = {.kind = EXP_INT, .i = 1}, same = {.kind = EXP_FLOAT, .f = 1.0},
                     truth = {.kind = EXP_BOOL, .b = true};

    (void) state;
    assert_true(exp_value_equal(&one, &same));
    assert_false(exp_value_equal(&one, &truth));
}

T_MAIN(cmocka_unit_test(test_scalars), cmocka_unit_test(test_floats_as_python_writes_them),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_equal))
