/*
 * tests/unit/train/test_prepend.c - inputs and targets in one row.
 */
#include "train/models/prepend.h"

#include "tests/support/t.h"

enum { ROWS = 4, LENGTH = 6 };

static const int32_t ids[ROWS * LENGTH] = {
    5, 6, 0, 7, 1, 0, /* inputs, separator, targets, padding */
    0, 3, 4, 0, 0, 0, /* no inputs */
    2, 3, 4, 5, 6, 7, /* no separator */
    9, 0, 0, 0, 8, 9, /* padding within: the original only looks for the first */
};

static void test_labels(void **state)
{
    static const int32_t expected[ROWS * LENGTH] = {0, 0, 0, 7, 1, 0, 0, 3, 4, 0, 0, 0,
                                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 9};
    int32_t labels[ROWS * LENGTH];

    (void) state;
    mdl_prepend_labels(ids, ROWS, LENGTH, labels);
    assert_memory_equal(labels, expected, sizeof expected);
}

static void test_levels(void **state)
{
    static const int32_t expected[ROWS * LENGTH] = {0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 5, 8,
                                                    0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 6, 9};
    int32_t levels[ROWS * LENGTH];

    (void) state;
    mdl_prepend_levels(ids, ROWS, LENGTH, levels);
    assert_memory_equal(levels, expected, sizeof expected);
}

/* They may not overflow, whatever comes. */
static void test_many_zeros(void **state)
{
    enum { MANY = 80000 };
    static const int32_t zeros[MANY];
    static int32_t levels[MANY];

    (void) state;
    mdl_prepend_levels(zeros, 1, MANY, levels);
    assert_int_equal(levels[1000], 1000 * 1001 / 2);
    assert_int_equal(levels[MANY - 1], INT32_MAX);
}

static void test_has_labels(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_test", &hp, &err), T2_OK);
    assert_false(mdl_prepend_has_labels(hp));
    mdl_hp_set_string(hp, "prepend_mode", "prepend_inputs_full_attention");
    assert_true(mdl_prepend_has_labels(hp));
    mdl_hp_set_string(hp, "prepend_mode", "prepend_inputs_masked_attention");
    assert_int_equal(mdl_prepend_has_labels(hp), mdl_hp_has(hp, "mode"));
    mdl_hp_set_float(hp, "symbol_dropout", 0.5);
    assert_true(mdl_prepend_has_labels(hp));
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_has_labels), cmocka_unit_test(test_labels),
       cmocka_unit_test(test_levels), cmocka_unit_test(test_many_zeros))
