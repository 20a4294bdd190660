/*
 * Tests of train/experiment/config_dump.c: the bytes of yaml.dump (PyYAML 6, as
 * save_params_dict_to_yaml calls it), and the explanation.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/experiment/config.h"

/* clang-format off */
static const struct exp_field fields[] = {
    {"b.n", EXP_T_INT, "3", EXP_HPARAM, "size"},
    {"b.rate", EXP_T_NUMBER, "1.0e-05", EXP_READ, "a rate"},
    {"b.list", EXP_T_PATHS, "''", EXP_PASSED, "nobody reads it"},
    {"b.tuple", EXP_T_NUMBERS, "!!python/tuple [0.08, 1.0]", EXP_FIXED, "as it is"},
    {"a.type", EXP_T_CHOICE, "null", EXP_READ, "choice"},
    {"a.x.y", EXP_T_INT, "1", EXP_READ, "y"},
    {"a.z.y", EXP_T_INT, "1", EXP_READ, "y"},
    {"ema", EXP_T_GROUP, "null", EXP_READ, "none"},
    {"ema.decay", EXP_T_NUMBER, "0.99", EXP_READ, "decay"},
};
/* clang-format on */
static const struct exp_table table = {"t", fields, sizeof fields / sizeof *fields};

/* After merging `yaml`, all of the dump, or with describe the explanation. */
static void check(const char *yaml, bool describe, const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct exp_config *c = exp_config_new(&table, 1);
    struct t2_yaml_node *tree = NULL;
    struct t2_buf text = {0};

    exp_config_settle(c);
    assert_int_equal(t2_yaml_tree(yaml, strlen(yaml), "x", &tree, &err), T2_OK);
    assert_int_equal(exp_config_merge(c, tree, "x", &err), T2_OK);
    if (describe)
        exp_config_describe(c, &text);
    else
        exp_config_dump(c, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    t2_yaml_free(tree);
    exp_config_free(c);
}

static void test_defaults(void **state)
{
    (void) state;
    check("", false,
          "t:\n"
          "  a:\n"
          "    type: null\n"
          "  b:\n"
          "    list: ''\n"
          "    n: 3\n"
          "    rate: 1.0e-05\n"
          "    tuple: !!python/tuple\n"
          "    - 0.08\n"
          "    - 1.0\n"
          "  ema: null\n");
}

static void test_only_the_chosen(void **state)
{
    (void) state;
    check("t: {a: {type: z, x: {y: 5}}, ema: {}, b: {rate: 1e22, tuple: [0.08, 1]}}", false,
          "t:\n"
          "  a:\n"
          "    type: z\n"
          "    z:\n"
          "      y: 1\n"
          "  b:\n"
          "    list: ''\n"
          "    n: 3\n"
          "    rate: 1.0e+22\n"
          "    tuple: [0.08, 1]\n"
          "  ema:\n"
          "    decay: 0.99\n");
}

static void check_list(const char *value, const char *expected)
{
    char yaml[400], want[400];

    snprintf(yaml, sizeof yaml, "t: {b: {list: %s}}", value);
    snprintf(want, sizeof want,
             "t:\n  a:\n    type: null\n  b:\n    list: %s\n    n: 3\n    rate: 1.0e-05\n"
             "    tuple: !!python/tuple\n    - 0.08\n    - 1.0\n  ema: null\n",
             expected);
    check(yaml, false, want);
}

static void test_texts(void **state)
{
    (void) state;
    check_list("[]", "[]");
    check_list("[a b/x*, '/y: z#1', 'null', '1e-4', '0.5', 'tr,ue', a, "
               "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, c, 'yes']",
               "[a b/x*, '/y: z#1', 'null', 1e-4, '0.5', 'tr,ue', a, "
               "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,\n      c, 'yes']");
    check_list("one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
               "fifteen sixteen",
               "one two three four five six seven eight nine ten eleven twelve thirteen\n"
               "      fourteen fifteen sixteen");
    check_list("' x'", "' x'");
    check_list("\"it's\"", "it's");
    check_list("\"'x\"", "'''x'");
    check_list("'12'", "'12'");
    check_list("'a,b'", "a,b");
    check_list("[\"a:b\"]", "['a:b']");
    check_list("'a: b'", "'a: b'");
    check_list("'a #b'", "'a #b'");
    check_list("'- a'", "'- a'");
    check_list("-a", "-a");
    check_list("'*'", "'*'");
    check_list("\"\\xe9 \\u20ac \\U0001f600\"", "\"\\xE9 \\u20AC \\U0001F600\"");
    check_list("\"a\\nb\\t\"", "\"a\\nb\\t\"");
}

static void test_described(void **state)
{
    (void) state;
    check("t: {b: {n: 4}}", true,
          "  t.a.type = null\n      choice\n"
          "  t.b.list = ''\n      passed over: nobody reads it\n"
          "* t.b.n = 4\n      hparam size\n"
          "  t.b.rate = 1e-05\n      a rate\n"
          "  t.b.tuple = [0.08, 1.0]\n      only this: as it is\n"
          "  t.ema = null\n      none\n");
}

T_MAIN(cmocka_unit_test(test_defaults), cmocka_unit_test(test_only_the_chosen),
       cmocka_unit_test(test_texts), cmocka_unit_test(test_described))
