/*
 * tests/unit/train/test_transformer.c - what the Transformer refuses, and its variables.
 *
 * That it computes what Tensor2Tensor computed: tests/oracle/test_recorded_transformer.c.  That it learns:
 * test_transformer_toy.c.
 */
#include <math.h>
#include <stdio.h>

#include "tests/unit/train/tiny_model.h"

/* ---- refusals ---- */

static void check_refused(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                          enum t2_status status, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;
    enum t2_status st =
        mdl_new("transformer", op_device("cpu", 1), hp, problem, MDL_TRAIN, &m, &err);

    if (st != status)
        fail_msg("%s instead of %s, where the message should have '%s'", t2_status_name(st),
                 t2_status_name(status), part);
    assert_null(m);
    t_assert_contains(err.message, part);
}

/* Every message names the hparam, its value, and what is supported. */
static void test_refused_values(void **state)
{
    static const struct {
        const char *overrides;
        enum t2_status status;
        const char *part;
    } cases[] = {
        {"self_attention_type=dot_product_relative", T2_EUNSUPPORTED,
         "self_attention_type=dot_product_relative is not supported (supported: dot_product)"},
        {"ffn_layer=moe", T2_EUNSUPPORTED,
         "ffn_layer=moe is not supported (supported: dense_relu_dense)"},
        {"norm_type=batch", T2_EUNSUPPORTED, "norm_type=batch is not supported (supported: layer)"},
        {"prepend_mode=prepend_inputs_masked_attention", T2_EUNSUPPORTED,
         "prepend_mode=prepend_inputs_masked_attention is not supported (supported: none)"},
        {"activation_dtype=bfloat16", T2_EUNSUPPORTED,
         "activation_dtype=bfloat16 is not supported (supported: float32)"},
        {"weight_dtype=bfloat16", T2_EUNSUPPORTED,
         "weight_dtype=bfloat16 is not supported (supported: float32)"},
        {"position_features=x", T2_EUNSUPPORTED, "position_features=x is not supported"},
        {"pos=sinus", T2_EUNSUPPORTED, "pos=sinus is not supported (supported: timing, emb, none)"},
        {"hard_attention_k=3", T2_EUNSUPPORTED,
         "hard_attention_k=3 is not supported (supported: 0)"},
        {"symbol_dropout=0.1", T2_EUNSUPPORTED, "symbol_dropout=0.1 is not supported"},
        {"gumbel_noise_weight=0.5", T2_EUNSUPPORTED, "gumbel_noise_weight=0.5 is not supported"},
        {"scheduled_sampling_prob=0.25", T2_EUNSUPPORTED,
         "scheduled_sampling_prob=0.25 is not supported"},
        {"num_area_layers=2", T2_EUNSUPPORTED, "num_area_layers=2 is not supported"},
        {"split_targets_chunk_length=64", T2_EUNSUPPORTED,
         "split_targets_chunk_length=64 is not supported"},
        {"proximity_bias=true", T2_EUNSUPPORTED, "proximity_bias=true is not supported"},
        {"attention_variables_3d=true", T2_EUNSUPPORTED,
         "attention_variables_3d=true is not supported"},
        {"pack_dataset=true", T2_EUNSUPPORTED, "pack_dataset=true is not supported"},
        {"causal_decoder_self_attention=false", T2_EUNSUPPORTED,
         "causal_decoder_self_attention=false is not supported"},
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct mdl_hparams *hp = tiny_hparams(cases[i].overrides);

        check_refused(hp, &tiny_translation, cases[i].status, cases[i].part);
        mdl_hparams_free(hp);
    }
}

/* One mask for several elements is refused only where there is dropout. */
static void test_refused_broadcasts(void **state)
{
    static const char *const names[][2] = {{"layer_prepostprocess_dropout_broadcast_dims",
                                            "layer_prepostprocess_dropout"},
                                           {"attention_dropout_broadcast_dims",
                                            "attention_dropout"},
                                           {"relu_dropout_broadcast_dims", "relu_dropout"}};

    (void) state;
    for (int i = 0; i < 3; ++i) {
        struct mdl_hparams *hp = tiny_hparams("");
        struct t2_err err = T2_ERR_INIT;
        struct mdl *m = NULL;

        mdl_hp_set_string(hp, names[i][0], "0,1");
        mdl_hp_set_float(hp, names[i][1], 0.1);
        check_refused(hp, &tiny_translation, T2_EUNSUPPORTED, names[i][0]);
        check_refused(hp, &tiny_translation, T2_EUNSUPPORTED, "=0,1 is not supported with ");
        mdl_hp_set_float(hp, names[i][1], 0.0);
        assert_int_equal(mdl_new("transformer", op_device("cpu", 1), hp, &tiny_translation,
                                 MDL_TRAIN, &m, &err),
                         T2_OK);
        mdl_free(m);
        mdl_hparams_free(hp);
    }
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

/* No position signal at all: the text "none", Python's None, nothing. */
static void test_no_positions(void **state)
{
    static const char *const values[] = {"none", "None", "", NULL};

    (void) state;
    for (int i = 0; i < 4; ++i) {
        struct mdl_hparams *hp = tiny_hparams("");
        struct t2_err err = T2_ERR_INIT;
        struct mdl *m = NULL;

        mdl_hp_set_string(hp, "pos", values[i]);
        if (mdl_new("transformer", op_device("cpu", 1), hp, &tiny_translation, MDL_TRAIN, &m,
                    &err) != T2_OK)
            fail_msg("pos %s: %s", values[i] ? values[i] : "null", err.message);
        mdl_free(m);
        mdl_hparams_free(hp);
    }
}

/* ---- variables ---- */

static bool has(struct mdl *m, const char *name)
{
    return gr_params_find(mdl_params(m), name) != NULL;
}

static void test_tables(void **state)
{
    struct mdl_problem p = tiny_translation;
    struct mdl *m;

    (void) state;
    m = tiny_model(op_device("cpu", 1), "symbol_modality_num_shards=4", &p, MDL_TRAIN);
    for (int s = 0; s < 4; ++s) {
        char name[80];

        snprintf(name, sizeof name, "transformer/symbol_modality_23_16/shared/weights_%d", s);
        assert_true(has(m, name));
        assert_int_equal(gr_params_find(mdl_params(m), name)->dims[0], s < 3 ? 6 : 5);
    }
    mdl_free(m);
    m = tiny_model(op_device("cpu", 1), "shared_embedding_and_softmax_weights=false", &p,
                   MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_23_16/input_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/target_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/softmax/weights_0"));
    mdl_free(m);
    m = tiny_model(op_device("cpu", 1),
                   "shared_embedding_and_softmax_weights=false,shared_embedding=true", &p,
                   MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_23_16/shared/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_23_16/softmax/weights_0"));
    mdl_free(m);
    /* two vocabularies cannot share; a rounded one has its rounded size in its name */
    p.inputs_vocab = 30;
    m = tiny_model(op_device("cpu", 1), "vocab_divisor=8", &p, MDL_TRAIN);
    assert_true(has(m, "transformer/symbol_modality_32_16/input_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_24_16/target_emb/weights_0"));
    assert_true(has(m, "transformer/symbol_modality_24_16/softmax/weights_0"));
    mdl_free(m);
}

/* Number of values, counted on paper. */
static void test_count(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    int64_t D = 16, F = 8, norms = 2 * D, attention = 4 * D * D, ffn = 2 * D * F + F + D;
    int64_t encoder = 2 * (attention + ffn + 2 * norms) + norms;
    int64_t decoder = 2 * (2 * attention + ffn + 3 * norms) + norms;

    (void) state;
    assert_int_equal(gr_params_count(mdl_params(m)), TINY_VOCAB * D + 32 * D + encoder + decoder);
    mdl_free(m);
}

/* Evaluation knows the same variables. */
static void test_eval_has_the_same_variables(void **state)
{
    struct mdl *train = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    struct mdl *eval = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    const struct gr_params *a = mdl_params(train), *b = mdl_params(eval);

    (void) state;
    assert_int_equal(a->n_variables, b->n_variables);
    for (int i = 0; i < a->n_variables; ++i)
        assert_string_equal(a->variables[i].name, b->variables[i].name);
    assert_memory_equal(a->values, b->values, (size_t) a->n_floats * sizeof(float));
    mdl_free(train);
    mdl_free(eval);
}

/* ---- positions ---- */

/* spec §3.3: sines, then cosines, wave lengths from 2 pi to 10000 * 2 pi. */
static void test_timing_signal(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "hidden_size=7,num_heads=1", &tiny_translation, MDL_EVAL);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(mdl_need_positions(m, 1000, &err), T2_OK);
    assert_int_equal(m->tables.n_positions, 1024);
    for (int p = 0; p < 1000; p += 37) {
        const float *row = m->tables.timing + p * 7;

        for (int i = 0; i < 3; ++i) {
            double angle = p * pow(10000.0, -i / 2.0);

            assert_true(fabs((double) row[i] - sin(angle)) < 1e-6);
            assert_true(fabs((double) row[3 + i] - cos(angle)) < 1e-6);
        }
        assert_true(row[6] == 0.0f);
    }
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_refused_values), cmocka_unit_test(test_refused_broadcasts),
       cmocka_unit_test(test_refused_spaces), cmocka_unit_test(test_no_positions),
       cmocka_unit_test(test_tables), cmocka_unit_test(test_count),
       cmocka_unit_test(test_eval_has_the_same_variables), cmocka_unit_test(test_timing_signal))
