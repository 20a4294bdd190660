/*
 * tests/unit/train/test_registry_names.c - names of registries.
 */
#include "train/runs/registry_names.h"

#include "tests/support/t.h"

static void check(void (*list)(struct t2_strs *names), const char *one)
{
    struct t2_strs names = {0};

    list(&names);
    assert_true(names.n > 1);
    assert_true(t2_strs_contains(&names, one));
    t2_strs_release(&names);
}

static void test_names(void **state)
{
    (void) state;
    check(tr_list_models, "transformer");
    check(tr_list_hparams_sets, "transformer_base");
    check(tr_list_experiments, "wmt_transformer/large");
    check(tr_list_problems, "translate_ende_wmt32k");
}

T_MAIN(cmocka_unit_test(test_names))
