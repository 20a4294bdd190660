/*
 * Tests of train/experiment/params_override.c.  What each text means was asked of
 * tf-models-official 2.20.0.
 */
#include "train/experiment/params_override.h"

#include <string.h>

#include "tests/support/t.h"

static const struct exp_field fields[] = {
    {"n", EXP_T_INT | EXP_T_OR_NULL, "0", EXP_READ, ""},
    {"s", EXP_T_SCALE | EXP_T_OR_NULL, "''", EXP_READ, ""},
    {"list", EXP_T_NUMBERS, "[]", EXP_READ, ""},
    {"texts", EXP_T_STRINGS, "[]", EXP_READ, ""},
};
static const struct exp_table table = {"a.b", fields, sizeof fields / sizeof *fields};

static struct t2_err err;

/* After the override, the values n, s, list, texts. */
static void check(const char *text, const char *expected)
{
    static const char *const names[] = {"a.b.n", "a.b.s", "a.b.list", "a.b.texts"};
    struct exp_config *c = exp_config_new(&table, 1);
    struct t2_buf out = {0};

    exp_config_settle(c);
    if (exp_override(c, text, &err) != T2_OK)
        fail_msg("%s: %s", text, err.message);
    for (int i = 0; i < 4; i++) {
        t2_buf_puts(&out, i > 0 ? " " : "");
        exp_value_put(&out, exp_config_get(c, names[i]));
    }
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
    exp_config_free(c);
}

static void test_entries(void **state)
{
    (void) state;
    check("", "0 '' [] []");
    check("a.b.n=3", "3 '' [] []");
    check("a.b.n = 3 , a.b.s=x", "3 'x' [] []");
    check("a.b.n=3,", "3 '' [] []");
    check("a.b.n=3,a.b.n=4", "4 '' [] []");
    check("a.b.n=", "null '' [] []");
    check("a.b.s=1e-4", "0 0.0001 [] []");
    check("a.b.s=1.5e3", "0 '1.5e3' [] []");
    check("a.b.s='x,y',a.b.n=2", "2 'x,y' [] []");
    check("a.b.s=\"it's\"", "0 'it's' [] []");
    check("a.b.s='it''s'", "0 'it's' [] []");
    check("a.b.s='' ,a.b.n=3", "3 '' [] []");
    check("a.b.s=gs://x/y", "0 'gs://x/y' [] []");
    check("a.b.s=:x", "0 ':x' [] []");
    check("a.b.s=x y", "0 'x y' [] []");
    check("a.b.s=b=c", "0 'b=c' [] []");
    check("a.b.s=x#y", "0 'x#y' [] []");
    check("a.b.list=[1, 1e3],a.b.n=4", "4 '' [1, 1000.0] []");
    check("a.b.texts=[x y, 'z,w'],a.b.n=5", "5 '' [] ['x y', 'z,w']");
    check("a.b={n: 7}", "7 '' [] []");
}

static void test_yaml(void **state)
{
    (void) state;
    check("{a: {b: {n: 3, s: 1.5e3}}}", "3 '1.5e3' [] []");
    check("a:\n  b: {list: [1, 2.5]}\n", "0 '' [1, 2.5] []");
}

static void test_file(void **state)
{
    static const char text[] = "a:\n  b:\n    n: 9\n";
    const char *path = t_tmp_path("o.yaml");
    struct exp_config *c = exp_config_new(&table, 1);

    (void) state;
    t_write_file(path, text, sizeof text - 1);
    check(path, "9 '' [] []");
    t_write_file(path, "a: {b: {m: 1}}", 14);
    assert_int_equal(exp_override_file(c, path, &err), T2_EUSAGE);
    t_assert_contains(err.message, "o.yaml': line 1, column 9: there is no field 'a.b.m'");
    t_write_file(path, "a: [", 4);
    assert_int_equal(exp_override_file(c, path, &err), T2_EFORMAT);
    t_write_file(path, "", 0);
    assert_int_equal(exp_override_file(c, path, &err), T2_OK);
    assert_int_equal(exp_override_file(c, t_tmp_path("none.yaml"), &err), T2_ENOTFOUND);
    exp_config_free(c);
}

static void check_refused(const char *text, const char *message)
{
    struct exp_config *c = exp_config_new(&table, 1);

    exp_config_settle(c);
    assert_int_equal(exp_override(c, text, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
    assert_int_equal(exp_config_int(c, "a.b.n"), 0);
    exp_config_free(c);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("a.b.m=1", "'--params_override': line 1, column 1: there is no field 'a.b.m'");
    check_refused("a.b.s=x,a.b.list=3", "line 1, column 9: a.b.list must be a list of numbers");
    check_refused("a.b.s=x #y", "'a.b.s=x #y': the value is no YAML");
    check_refused("a.b.s=@x", "the value is no YAML");
    check_refused("a.b.s=[1,[2]]", "neither name=value,..., nor YAML, nor a file");
    check_refused(" a.b.n=1", "neither name=value,..., nor YAML, nor a file");
    check_refused("1a=3", "neither");
    check_refused("[1]", "fields were expected");
    check_refused("{a: ", "'--params_override': line ");
    check_refused("a.b.s={x: 1}", "a.b.s must be a number or a text, not a group of fields");
    /* nothing was set when a later entry is malformed */
    check_refused("a.b.n=1,b", "neither");
}

T_MAIN(cmocka_unit_test(test_entries), cmocka_unit_test(test_yaml), cmocka_unit_test(test_file),
       cmocka_unit_test(test_refused))
