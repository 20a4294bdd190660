/* Tests of train/models/attention_kinds.c: letters, numbers of layers; models are tested in
 * test_attention_lm_moe.c. */
#include "train/models/attention_kinds.h"

#include "tests/unit/train/tiny_model.h"

static void test_kinds(void **state)
{
    struct mdl_hparams *all = tiny_hparams_of("attention_lm_moe_base_ae", "num_hidden_layers=7");
    struct mdl_hparams *each =
        tiny_hparams_of("attention_lm_moe_base", "attention_layers=hemsrtfx");

    (void) state;
    assert_int_equal(mdl_moe_layers(all), 7);
    assert_string_equal(mdl_moe_attention(all, 6), "local_experts");
    assert_int_equal(mdl_moe_layers(each), 8);
    assert_string_equal(mdl_moe_attention(each, 0), "multihead");
    assert_string_equal(mdl_moe_attention(each, 5), "sparse_multihead_truncated");
    assert_string_equal(mdl_moe_attention(each, 6), "multihead_full");
    assert_null(mdl_moe_attention(each, 7));
    mdl_hparams_free(all);
    mdl_hparams_free(each);
}

T_MAIN(cmocka_unit_test(test_kinds))
