/*
 * Tests of train/models/hparams_ranges.c: both ends of a range, entries of lists, what float32
 * cannot hold; every registered set lies within them.  (What is refused by name:
 * test_hparams_reads.c.)
 */
#include "tests/support/t.h"
#include "train/models/hparams.h"

static struct t2_err err;

static void check(const char *set, const char *clauses, const char *says)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, clauses, &err), T2_OK);
    assert_int_equal(mdl_hparams_check(hp, &err), says ? T2_EUSAGE : T2_OK);
    if (says)
        t_assert_contains(err.message, says);
    mdl_hparams_free(hp);
}

static void test_ranges(void **state)
{
    (void) state;
    check("transformer_tiny", "hidden_size=1048576,num_hidden_layers=0", NULL);
    check("transformer_tiny", "hidden_size=1048577", "hidden_size=1048577 is not between 1 and");
    check("transformer_tiny", "num_heads=0", "num_heads=0 is not between 1 and");
    check("resnet_50", "layer_sizes=[1,2,201,1]", "layer_sizes=201 is not between 1 and 200");
    check("transformer_tiny", "learning_rate=3e38,weight_decay=-3e38", NULL);
    check("transformer_tiny", "learning_rate=1e39", "is not a finite number of float32");
}

static void test_every_set(void **state)
{
    (void) state;
    for (size_t i = 0; i < mdl_hparams_count(); i++)
        check(mdl_hparams_name(i), "", NULL);
}

T_MAIN(cmocka_unit_test(test_ranges), cmocka_unit_test(test_every_set))
