/*
 * tests/unit/train/test_transformer_check.c - what the Transformer refuses.
 */
#include <string.h>

#include "tests/unit/train/tiny_model.h"
#include "train/models/transformer_parts.h"

static void check_refused(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                          enum t2_status status, const char *part)
{
    tiny_refused("transformer", hp, problem, status, part);
}

/* Every message names the hparam, its value, and what is supported. */
static void test_refused_values(void **state)
{
    static const struct {
        const char *overrides;
        enum t2_status status;
        const char *part;
    } cases[] = {
        {"self_attention_type=local_mask_right", T2_EUNSUPPORTED,
         "self_attention_type=local_mask_right is not supported (supported: dot_product, "
         "dot_product_relative, dot_product_relative_v2)"},
        {"self_attention_type=dot_product_relative", T2_EUSAGE,
         "self_attention_type=dot_product_relative needs max_relative_position > 0"},
        {"self_attention_type=dot_product_relative_v2,max_relative_position=4,"
         "attention_key_channels=8",
         T2_EUSAGE, "needs as many key as value channels, not 8 and 16"},
        {"max_relative_position=-1", T2_EUSAGE, "max_relative_position=-1 must lie between"},
        {"hard_attention_k=-1", T2_EUSAGE, "hard_attention_k=-1 must lie between"},
        {"ffn_layer=moe", T2_EUNSUPPORTED,
         "ffn_layer=moe is not supported (supported: dense_relu_dense, conv_relu_conv, "
         "parameter_attention, conv_hidden_relu_with_sepconv, none)"},
        {"ffn_layer=conv_relu_conv,conv_first_kernel=4", T2_EUSAGE,
         "conv_first_kernel=4 must be odd"},
        {"conv_first_kernel=0", T2_EUSAGE, "conv_first_kernel=0 must lie between 1 and 64"},
        {"ffn_layer=parameter_attention,parameter_attention_value_channels=5", T2_EUSAGE,
         "parameter_attention_value_channels=5 must be divisible by num_heads=2"},
        {"norm_type=batch", T2_EUNSUPPORTED, "norm_type=batch is not supported (supported: layer)"},
        {"prepend_mode=both", T2_EUNSUPPORTED,
         "prepend_mode=both is not supported (supported: none, prepend_inputs_masked_attention, "
         "prepend_inputs_full_attention)"},
        {"activation_dtype=float64", T2_EUNSUPPORTED,
         "activation_dtype=float64 is not supported (supported: float32, bfloat16, float16)"},
        {"weight_dtype=float16", T2_EUNSUPPORTED,
         "weight_dtype=float16 is not supported (supported: float32, bfloat16)"},
        {"position_features=x", T2_EUNSUPPORTED, "position_features=x is not supported"},
        {"pos=sinus", T2_EUNSUPPORTED,
         "pos=sinus is not supported (supported: timing, timing_from_features, emb, none)"},
        {"pos=timing_from_features,position_features=x", T2_EUNSUPPORTED,
         "position_features=x is not supported (supported: none: records hold ids"},
        {"symbol_dropout=0.1,prepend_mode=prepend_inputs_full_attention", T2_EUNSUPPORTED,
         "symbol_dropout > 0 is not supported with prepend_mode=prepend_inputs_full_attention"},
        {"symbol_dropout=1", T2_EUSAGE, "symbol_dropout=1 must"},
        {"gumbel_noise_weight=0.5", T2_EUNSUPPORTED, "gumbel_noise_weight=0.5 is not supported"},
        {"scheduled_sampling_prob=0.25", T2_EUNSUPPORTED,
         "scheduled_sampling_prob=0.25 is not supported"},
        {"num_area_layers=2,max_area_width=2", T2_EUNSUPPORTED,
         "area_key_mode=none is not supported"},
        {"split_targets_chunk_length=64", T2_EUNSUPPORTED,
         "split_targets_chunk_length=64 is not supported"},
        {"layer_preprocess_sequence=na", T2_EUNSUPPORTED,
         "layer_preprocess_sequence=na is not supported (n and d only)"},
        {"layer_postprocess_sequence=dzn", T2_EUNSUPPORTED,
         "layer_postprocess_sequence=dzn is not supported (n, d, a only)"},
        {"hidden_size=0", T2_EUSAGE, "hidden_size=0 must lie between 1 and 1048576"},
        {"filter_size=-1", T2_EUSAGE, "filter_size=-1 must lie between"},
        {"filter_size=1048577", T2_EUSAGE, "filter_size=1048577 must lie between"},
        {"num_heads=0", T2_EUSAGE, "num_heads=0 must lie between"},
        {"vocab_divisor=0", T2_EUSAGE, "vocab_divisor=0 must lie between"},
        {"num_hidden_layers=0", T2_EUSAGE, "num_hidden_layers=0 must lie between"},
        {"num_hidden_layers=65", T2_EUSAGE, "num_hidden_layers=65 must lie between"},
        {"num_encoder_layers=65", T2_EUSAGE, "num_encoder_layers=65 must lie between"},
        {"num_decoder_layers=65", T2_EUSAGE, "num_decoder_layers=65 must lie between"},
        {"num_encoder_layers=-1", T2_EUSAGE, "num_encoder_layers=-1 must lie between 0 and 64"},
        {"attention_key_channels=-4", T2_EUSAGE, "attention_key_channels=-4 must lie between"},
        {"symbol_modality_num_shards=-1", T2_EUSAGE, "symbol_modality_num_shards=-1 must lie"},
        {"max_length=-1", T2_EUSAGE, "max_length=-1 must lie between"},
        {"pos=emb,max_length=0", T2_EUSAGE, "pos=emb needs max_length"},
        {"relu_dropout=1.0", T2_EUSAGE, "relu_dropout=1 must be at least 0 and below 1"},
        {"attention_dropout=-0.1", T2_EUSAGE, "attention_dropout=-0.1 must be at least 0"},
        {"layer_prepostprocess_dropout=2", T2_EUSAGE, "layer_prepostprocess_dropout=2 must be"},
        {"label_smoothing=1", T2_EUSAGE, "label_smoothing=1 must be at least 0 and below 1"},
        {"norm_epsilon=-1", T2_EUSAGE, "norm_epsilon=-1 must not be negative"},
        {"num_heads=3", T2_EUSAGE,
         "key and value channels (16, 16) must be divisible by num_heads=3"},
        {"attention_key_channels=7", T2_EUSAGE,
         "key and value channels (7, 16) must be divisible by num_heads=2"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mdl_hparams *hp = tiny_hparams(cases[i].overrides);

        check_refused(hp, &tiny_translation, cases[i].status, cases[i].part);
        mdl_hparams_free(hp);
    }
}

/* Masks for several elements are those of the TPU sets; others are refused where there is
 * dropout. */
static void test_refused_broadcasts(void **state)
{
    static const char *const names[][2] = {{"layer_prepostprocess_dropout_broadcast_dims",
                                            "layer_prepostprocess_dropout"},
                                           {"attention_dropout_broadcast_dims",
                                            "attention_dropout"},
                                           {"relu_dropout_broadcast_dims", "relu_dropout"}};

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct mdl_hparams *hp = tiny_hparams("");
        struct t2_err err = T2_ERR_INIT;
        struct mdl *m = NULL;

        mdl_hp_set_string(hp, names[i][0], "2");
        mdl_hp_set_float(hp, names[i][1], 0.1);
        check_refused(hp, &tiny_translation, T2_EUNSUPPORTED, names[i][0]);
        check_refused(hp, &tiny_translation, T2_EUNSUPPORTED, "=2 is not supported with ");
        mdl_hp_set_float(hp, names[i][1], 0.0);
        assert_int_equal(mdl_new("transformer", op_device("cpu", 1), hp, &tiny_translation,
                                 MDL_TRAIN, &m, &err),
                         T2_OK);
        mdl_free(m);
        mdl_hp_set_float(hp, names[i][1], 0.1);
        mdl_hp_set_string(hp, names[i][0], i == 1 ? "0,1" : "1");
        assert_int_equal(mdl_new("transformer", op_device("cpu", 1), hp, &tiny_translation,
                                 MDL_TRAIN, &m, &err),
                         T2_OK);
        mdl_free(m);
        mdl_hparams_free(hp);
    }
}

/* As the original: the encoder finds the padding in a mask that no longer has it. */
static void test_refused_proximity(void **state)
{
    static const int32_t ids[] = {5, 6, 1, 0, 7, 8, 9, 1}, segments[] = {1, 1, 1, 0, 1, 1, 2, 2};
    static const int32_t positions[] = {0, 1, 2, 0, 0, 1, 0, 1}, far[] = {0, 1, 2, 0, 0, 1, 0, 4};
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "proximity_bias=true", &tiny_translation, MDL_TRAIN);
    struct mdl_batch b = {
        .batch = 2, .inputs_length = 4, .targets_length = 4, .inputs = ids, .targets = ids};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;

    (void) state;
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "proximity_bias=true works with packed inputs");
    b.inputs_segmentation = b.targets_segmentation = segments;
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, "packed data needs segmentation and position");
    b.inputs_position = b.targets_position = positions;
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &loss, &err), T2_OK);
    b.inputs_position = far;
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &loss, &err), T2_EFORMAT);
    t_assert_contains(err.message, "inputs_position 4 of a packed row of 4 ids");
    mdl_free(m);
}

static void test_refused_spaces(void **state)
{
    struct mdl_hparams *hp = tiny_hparams("");
    struct mdl_problem p = tiny_translation;

    (void) state;
    p.target_space_id = 32;
    check_refused(hp, &p, T2_EUSAGE, "target space 32 is not below 32");
    p.target_space_id = -1;
    check_refused(hp, &p, T2_EUSAGE, "target space -1 is not below 32");
    mdl_hparams_free(hp);
}

/* Every registered set is accepted, or refused by the name of what is missing. */
static void test_registered_sets(void **state)
{
    static const char *const refused[][2] = {
        {"transformer_base_vq1_16_nb1_packed_dan_b01_scales", "ffn_layer=local_moe"},
        {"transformer_base_vq1_16_nb1_packed_nda_b01_scales", "ffn_layer=local_moe"},
        {"transformer_base_vq1_16_nb1_packed_nda_b01_scales_dialog", "ffn_layer=local_moe"},
        {"transformer_base_vq_ada_32ex_packed", "ffn_layer=local_moe"},
        {"transformer_topk_16_packed", "ffn_layer=local_moe"},
        {"transformer_cifar10_memory_v0", "split_targets_chunk_length=192"},
        {"transformer_imagenet64_memory_v0", "split_targets_chunk_length=192"},
        {"transformer_wikitext103_l16k_memory_v0", "split_targets_chunk_length=64"},
        {"transformer_wikitext103_l4k_memory_v0", "split_targets_chunk_length=64"}};
    size_t n_refused = 0;

    (void) state;
    for (size_t i = 0; i < mdl_hparams_count(); i++) {
        const char *name = mdl_hparams_name(i), *part = NULL;
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp;
        enum t2_status st;

        if (strncmp(name, "transformer", strlen("transformer")) != 0)
            continue;
        for (size_t r = 0; r < sizeof refused / sizeof *refused; r++)
            part = strcmp(refused[r][0], name) == 0 ? refused[r][1] : part;
        assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
        st = mdl_tf_check("transformer", hp, &tiny_translation, &err);
        if (st != (part ? T2_EUNSUPPORTED : T2_OK))
            fail_msg("%s: %s", name, st == T2_OK ? "accepted" : err.message);
        if (part)
            t_assert_contains(err.message, part);
        n_refused += part != NULL;
        mdl_hparams_free(hp);
    }
    assert_int_equal(n_refused, sizeof refused / sizeof *refused);
}

T_MAIN(cmocka_unit_test(test_registered_sets), cmocka_unit_test(test_refused_values),
       cmocka_unit_test(test_refused_broadcasts), cmocka_unit_test(test_refused_spaces),
       cmocka_unit_test(test_refused_proximity))
