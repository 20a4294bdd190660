/*
 * test_problem.c - names of splits, vocabularies and files.
 */
#include "datagen/problem.h"

#include <string.h>

#include "tests/support/t.h"

static void test_names(void **state)
{
    struct dg_problem p = {.name = "mine"};

    (void) state;
    assert_string_equal(dg_split_name(DG_TRAIN), "train");
    assert_string_equal(dg_split_name(DG_DEV), "dev");
    assert_string_equal(dg_split_name(DG_TEST), "test");
    assert_string_equal(dg_problem_stem(&p), "mine");
    p.dataset_filename = "theirs"; /* a problem over the shards of another */
    assert_string_equal(dg_problem_stem(&p), "theirs");
    for (int i = 0; i < DG_N_VOCAB_KINDS; i++) /* all, and each its own */
        for (int k = 0; k < i; k++)
            assert_string_not_equal(dg_vocab_kind_name((enum dg_vocab_kind) i),
                                    dg_vocab_kind_name((enum dg_vocab_kind) k));
}

T_MAIN(cmocka_unit_test(test_names))
