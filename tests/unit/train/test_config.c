/*
 * Tests of train/experiment/config.c: merging, choices, null groups, what is refused and how it is
 * said.
 */
#include "train/experiment/config.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

/* clang-format off */
static const struct exp_field fields[] = {
    {"n", EXP_T_INT, "3", EXP_HPARAM, "n"},
    {"rate", EXP_T_NUMBER | EXP_T_OR_NULL, "null", EXP_READ, "a rate"},
    {"name", EXP_T_STRING, "x", EXP_PASSED, "a name"},
    {"sizes", EXP_T_INTS, "[1, 2]", EXP_READ, "sizes"},
    {"paths", EXP_T_PATHS, "''", EXP_READ, "paths"},
    {"scale", EXP_T_SCALE | EXP_T_OR_NULL, "null", EXP_READ, "scale"},
    {"fixed", EXP_T_BOOL, "false", EXP_FIXED, "it is so"},
    {"gone", EXP_T_NULL, "null", EXP_FIXED, "this is not built"},
    {"shape.type", EXP_T_CHOICE, "null", EXP_READ, "the shape"},
    {"shape.circle.r", EXP_T_NUMBER, "1.0", EXP_READ, "radius"},
    {"shape.square.a", EXP_T_NUMBER, "2.0", EXP_READ, "side"},
    {"shape.star", EXP_T_NULL, "null", EXP_FIXED, "stars are not built"},
    {"ema", EXP_T_GROUP, "null", EXP_READ, "no average"},
    {"ema.decay", EXP_T_NUMBER, "0.99", EXP_READ, "decay"},
};
/* clang-format on */
static const struct exp_table table = {"top", fields, sizeof fields / sizeof *fields};

static struct t2_err err;

static struct exp_config *new_config(void)
{
    struct exp_config *c = exp_config_new(&table, 1);

    exp_config_settle(c);
    return c;
}

static enum t2_status merge(struct exp_config *c, const char *yaml)
{
    struct t2_yaml_node *tree = NULL;
    enum t2_status st;

    assert_int_equal(t2_yaml_tree(yaml, strlen(yaml), "a.yaml", &tree, &err), T2_OK);
    st = exp_config_merge(c, tree, "a.yaml", &err);
    t2_yaml_free(tree);
    return st;
}

static void test_defaults(void **state)
{
    struct exp_config *c = new_config();

    (void) state;
    assert_int_equal(exp_config_int(c, "top.n"), 3);
    assert_true(isnan(exp_config_number(c, "top.rate")));
    assert_string_equal(exp_config_string(c, "top.name"), "x");
    assert_null(exp_config_string(c, "top.shape.type"));
    assert_true(exp_config_is_null(c, "top.ema"));
    assert_false(exp_config_bool(c, "top.fixed"));
    assert_int_equal(exp_config_get(c, "top.sizes")->n, 2);
    exp_config_free(c);
    exp_config_free(NULL);
}

static void test_merge(void **state)
{
    struct exp_config *c = new_config();

    (void) state;
    assert_int_equal(exp_config_merge(c, NULL, "a.yaml", &err), T2_OK);
    assert_int_equal(merge(c, "top: {n: 5, rate: 1, sizes: [7], paths: [a, b], scale: dynamic}"),
                     T2_OK);
    assert_int_equal(merge(c, "top: {rate: 0.5, shape: {type: circle, circle: {r: 3}}}"), T2_OK);
    assert_int_equal(exp_config_int(c, "top.n"), 5);
    assert_true(exp_config_number(c, "top.rate") == 0.5);
    assert_int_equal(exp_config_get(c, "top.sizes")->n, 1);
    assert_int_equal(exp_config_get(c, "top.paths")->n, 2);
    assert_string_equal(exp_config_string(c, "top.scale"), "dynamic");
    assert_string_equal(exp_config_string(c, "top.shape.type"), "circle");
    assert_true(exp_config_number(c, "top.shape.circle.r") == 3);
    /* null clears, a default is no other value */
    assert_int_equal(merge(c, "top: {rate: null, fixed: false, gone: null}"), T2_OK);
    assert_true(exp_config_is_null(c, "top.rate"));
    exp_config_free(c);
}

static void test_null_group(void **state)
{
    struct exp_config *c = new_config();

    (void) state;
    assert_int_equal(merge(c, "top: {ema: {decay: 0.9}}"), T2_OK);
    assert_false(exp_config_is_null(c, "top.ema"));
    assert_int_equal(merge(c, "top: {ema: null}"), T2_OK);
    assert_true(exp_config_is_null(c, "top.ema"));
    exp_config_free(c);
}

static void check_refused(const char *yaml, const char *message)
{
    struct exp_config *c = new_config();
    bool valid = strstr(message, "not built") || strstr(message, "is possible here");

    assert_int_equal(merge(c, yaml), valid ? T2_EUNSUPPORTED : T2_EUSAGE);
    assert_string_equal(err.message, message);
    exp_config_free(c);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("top:\n  m: 1\n", "'a.yaml': line 2, column 3: there is no field 'top.m'; did "
                                    "you mean 'n'?");
    check_refused("tops: 1", "'a.yaml': line 1, column 1: there is no field 'tops'; did you mean "
                             "'top'?");
    check_refused("top: {something: 1}",
                  "'a.yaml': line 1, column 7: there is no field 'top.something'");
    check_refused("top: {n: 1.5}", "'a.yaml': line 1, column 7: top.n must be an integer, not 1.5");
    check_refused("top: {n: null}",
                  "'a.yaml': line 1, column 7: top.n must be an integer, not null");
    check_refused("top: {rate: fast}", "'a.yaml': line 1, column 7: top.rate must be a number, or "
                                       "null, not 'fast'");
    check_refused("top: {sizes: [1, a]}", "'a.yaml': line 1, column 7: top.sizes must be a list of "
                                          "integers, not [1, 'a']");
    check_refused("top: {n: {a: 1}}", "'a.yaml': line 1, column 7: top.n must be an integer, not a "
                                      "group of fields");
    check_refused("top: 3", "'a.yaml': line 1, column 1: top must be a group of fields, not 3");
    check_refused("top: {fixed: yes}", "'a.yaml': line 1, column 7: top.fixed=true: only false is "
                                       "possible here: it is so");
    check_refused("top: {gone: {a: 1}}", "'a.yaml': line 1, column 7: top.gone: this is not built");
    check_refused("top: {gone: 3}", "'a.yaml': line 1, column 7: top.gone=3: this is not built");
    check_refused("top: {shape: {type: oval}}", "'a.yaml': line 1, column 15: top.shape.type is "
                                                "one of circle, square; not 'oval'");
    check_refused("top: {shape: {type: type}}", "'a.yaml': line 1, column 15: top.shape.type is "
                                                "one of circle, square; not 'type'");
    check_refused("top: {shape: {type: star}}", "'a.yaml': line 1, column 15: top.shape.type=star: "
                                                "stars are not built");
    check_refused("[1]", "'a.yaml': line 1, column 1: fields were expected, like 'trainer: "
                         "{train_steps: 1000}'");
}

static void test_set(void **state)
{
    char text[] = "7";
    const struct t2_yaml_node seven = {.text = text, .plain = true, .line = 1, .column = 2};
    struct exp_config *c = new_config();

    (void) state;
    assert_int_equal(exp_config_set(c, "top.n", &seven, "x", &err), T2_OK);
    assert_int_equal(exp_config_int(c, "top.n"), 7);
    assert_int_equal(exp_config_set(c, "top.ema.decay", &seven, "x", &err), T2_OK);
    assert_false(exp_config_is_null(c, "top.ema"));
    assert_int_equal(exp_config_set(c, "top.n.x", &seven, "x", &err), T2_EUSAGE);
    assert_string_equal(err.message,
                        "'x': line 1, column 2: top.n has no fields: it is an integer");
    assert_int_equal(exp_config_set(c, "top..n", &seven, "x", &err), T2_EUSAGE);
    t_assert_contains(err.message, "there is no field 'top.'");
    assert_int_equal(exp_config_set(c, "top.gone.x", &seven, "x", &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "top.gone: this is not built");
    exp_config_free(c);
}

T_MAIN(cmocka_unit_test(test_defaults), cmocka_unit_test(test_merge),
       cmocka_unit_test(test_null_group), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_set))
