/* Tests of train/models/hparams_basic.c against spec t2t-trainer.md §3.10; the whole set is
 * compared with recorded ones in tests/oracle/test_recorded_hparams.c. */
#include "tests/support/t.h"
#include "train/models/hparams.h"

static void test_values(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_true(mdl_hp_float(hp, "clip_grad_norm") == 2.0);
    assert_true(mdl_hp_float(hp, "optimizer_adam_beta1") == 0.85);
    assert_true(mdl_hp_float(hp, "weight_decay") == 1e-6);
    assert_true(mdl_hp_float(hp, "multiproblem_schedule_max_examples") == 1e7);
    assert_int_equal(mdl_hp_int(hp, "moe_num_experts"), 64);
    assert_int_equal(mdl_hp_int(hp, "sampling_keep_top_k"), -1);
    assert_true(mdl_hp_bool(hp, "use_custom_ops"));
    assert_true(mdl_hp_bool(hp, "daisy_chain_variables"));
    assert_string_equal(mdl_hp_string(hp, "initializer"), "orthogonal");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_values))
