/*
 * tests/unit/train/test_hparam_range.c - ranges from YAML: what they hold, and every refusal.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/tune/hparam_range.h"

static struct tune_range *parsed(const char *yaml)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *range;

    if (tune_range_parse(yaml, strlen(yaml), "x.yaml", &range, &err) != T2_OK)
        fail_msg("%s", err.message);
    return range;
}

static void refused(const char *yaml, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *range;

    assert_int_equal(tune_range_parse(yaml, strlen(yaml), "x.yaml", &range, &err), T2_EFORMAT);
    assert_null(range);
    assert_string_equal(err.message, message);
}

static const char all_kinds[] = "learning_rate: {float: [0.3, 3], scale: log}\n"
                                "num_hidden_layers: {int: [1, 6]}\n"
                                "hidden_size:\n"
                                "  discrete: [32, 64, 1e2]   # points\n"
                                "  scale: reverse_log\n"
                                "optimizer: {categorical: [adam, 'it''s', none]}\n";

static void test_kinds(void **state)
{
    struct tune_range *r = parsed(all_kinds);

    (void) state;
    assert_int_equal(r->n, 4);
    assert_string_equal(r->params[0].name, "learning_rate");
    assert_int_equal(r->params[0].kind, TUNE_FLOAT);
    assert_int_equal(r->params[0].scale, TUNE_LOG);
    assert_true(r->params[0].min == 0.3 && r->params[0].max == 3);
    assert_int_equal(r->params[1].kind, TUNE_INT);
    assert_int_equal(r->params[1].scale, TUNE_NO_SCALE);
    assert_true(r->params[1].min == 1 && r->params[1].max == 6);
    assert_int_equal(r->params[2].kind, TUNE_DISCRETE);
    assert_int_equal(r->params[2].scale, TUNE_REVERSE_LOG);
    assert_int_equal(r->params[2].values.n, 3);
    assert_string_equal(r->params[2].values.items[2], "1e2");
    assert_int_equal(r->params[3].kind, TUNE_CATEGORICAL);
    assert_string_equal(r->params[3].values.items[1], "it's");
    tune_range_free(r);
}

/* Its text gives the same range, and so the same text. */
static void test_text(void **state)
{
    struct tune_range *r = parsed(all_kinds), *again;
    struct t2_buf first = {0}, second = {0};

    (void) state;
    tune_range_text(r, &first);
    assert_string_equal(t2_buf_cstr(&first),
                        "{'learning_rate': {float: [0.3, 3], scale: log}, 'num_hidden_layers': "
                        "{int: [1, 6]}, 'hidden_size': {discrete: ['32', '64', '1e2'], scale: "
                        "reverse_log}, 'optimizer': {categorical: ['adam', 'it''s', 'none']}}");
    again = parsed(t2_buf_cstr(&first));
    tune_range_text(again, &second);
    assert_string_equal(t2_buf_cstr(&first), t2_buf_cstr(&second));
    tune_range_free(r);
    tune_range_free(again);
    t2_buf_release(&first);
    t2_buf_release(&second);
}

static void test_refusals(void **state)
{
    (void) state;
    refused("", "'x.yaml': a range is a mapping of hparams: `learning_rate: {float: [0.1, 1.0], "
                "scale: log}`");
    refused("[1, 2]", "'x.yaml': a range is a mapping of hparams: `learning_rate: {float: [0.1, "
                      "1.0], scale: log}`");
    refused("a: 1", "'x.yaml': line 1: 'a' is not a range like {float: [0.1, 1.0], scale: log}; "
                    "there are float, int, discrete, categorical");
    refused("'a=b': {int: [1, 2]}", "'x.yaml': line 1: 'a=b' cannot be the name of a hparam");
    refused("a: {scale: log}", "'x.yaml': line 1: 'a' has no float, int, discrete or categorical");
    refused("a: {double: [1, 2]}",
            "'x.yaml': line 1: 'a' has 'double'; there is one of float, int, discrete, "
            "categorical, and scale");
    refused("a: {int: [1, 2], float: [1, 2]}",
            "'x.yaml': line 1: 'a' has 'float'; there is one of float, int, discrete, categorical, "
            "and scale");
    refused("\n\na: {int: [1]}", "'x.yaml': line 3: 'a': int takes [MIN, MAX]");
    refused("a: {float: [1, x]}", "'x.yaml': line 1: a bound of 'a' is not a number");
    refused("a: {float: [1, .inf]}", "'x.yaml': line 1: a bound of 'a' is not a number");
    refused("a: {int: [1, 2.5]}", "'x.yaml': line 1: the bound 2.5 of 'a' is not a whole number");
    refused("a: {float: [2, 1]}", "'x.yaml': line 1: 'a': the bounds 2 and 1 are no range");
    refused("a: {float: [-1e308, 1e308]}",
            "'x.yaml': line 1: 'a': the bounds -1e+308 and 1e+308 are no range");
    refused("a: {float: [0, 1], scale: log}",
            "'x.yaml': line 1: 'a': a logarithmic scale begins above 0, not at 0");
    refused("a: {float: [1, 2], scale: big}",
            "'x.yaml': line 1: 'a': scale is linear, log or reverse_log");
    refused("a: {categorical: [x], scale: log}", "'x.yaml': line 1: 'a': words have no scale");
    refused("a: {discrete: []}",
            "'x.yaml': line 1: 'a': discrete takes a list of 1 to 10000 values");
    refused("a: {discrete: [1, word]}",
            "'x.yaml': line 1: the value 'word' of 'a' is not a number; words are categorical");
    refused("a: {categorical: [x, x]}", "'x.yaml': line 1: the value 'x' of 'a' is there twice");
    refused("a: {categorical: [[x]]}",
            "'x.yaml': line 1: the values of 'a' are a list of numbers or words");
    for (const char *const *value = (const char *const[]){"''", "'a,b'", "' x'", "'x '", "'[1]'",
                                                          "'a=b'", "\"a\\x1bb\"", NULL};
         *value; value++) {
        char yaml[80];
        struct t2_err err = T2_ERR_INIT;
        struct tune_range *range;

        snprintf(yaml, sizeof yaml, "a: {categorical: [%s]}", *value);
        assert_int_equal(tune_range_parse(yaml, strlen(yaml), "x", &range, &err), T2_EFORMAT);
        t_assert_contains(err.message, "of 'a' cannot stand in --hparams");
    }
}

static void test_registered(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {0};
    struct tune_range *range;

    (void) state;
    tune_list_ranges(&names);
    assert_int_equal(names.n, 22);
    for (size_t i = 0; i < names.n; i++) {
        assert_int_equal(tune_range_open(names.items[i], &range, &err), T2_OK);
        assert_true(range->n > 0);
        tune_range_free(range);
    }
    t2_strs_release(&names);
    assert_int_equal(tune_range_open("transformer_base_rang", &range, &err), T2_EUSAGE);
    assert_string_equal(err.message,
                        "unknown hparams range 'transformer_base_rang'; did you mean "
                        "'transformer_base_range'?; --registry_help lists all, and the name of a "
                        "file of your own ends in .yaml");
    assert_int_equal(tune_range_open("zzzzzzzzzzzzzz", &range, &err), T2_EUSAGE);
}

static void test_file(void **state)
{
    const char *path = t_tmp_path("own.yml");
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *range;

    (void) state;
    t_write_file(path, "x: {int: [1, 2]}\n", 17);
    assert_int_equal(tune_range_open(path, &range, &err), T2_OK);
    assert_string_equal(range->params[0].name, "x");
    tune_range_free(range);
    assert_int_equal(tune_range_open("/nowhere/x.yaml", &range, &err), T2_ENOTFOUND);
    assert_null(range);
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_text), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_registered), cmocka_unit_test(test_file))
