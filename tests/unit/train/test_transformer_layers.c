/*
 * tests/unit/train/test_transformer_layers.c - hparams and variables of the Transformer's layers.
 */
#include "train/models/transformer_parts.h"

#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"

#define ATTENTION "transformer/body/encoder/layer_0/self_attention/multihead_attention/"
#define ENCDEC "transformer/body/decoder/layer_1/encdec_attention/multihead_attention/"

static void test_broadcast_dims(void **state)
{
    struct mdl_hparams *hp = tiny_hparams("");
    static const char name[] = "attention_dropout_broadcast_dims";
    struct gr_drop drop;

    (void) state;
    assert_false(mdl_tf_has_dim(hp, name, '0'));
    assert_true(mdl_tf_dims_within(hp, name, ""));
    mdl_hp_set_string(hp, name, "0,1");
    assert_true(mdl_tf_has_dim(hp, name, '0') && mdl_tf_has_dim(hp, name, '1'));
    assert_true(mdl_tf_dims_within(hp, name, "01"));
    assert_false(mdl_tf_dims_within(hp, name, "1"));
    mdl_hp_set_string(hp, name, "-1");
    assert_false(mdl_tf_dims_within(hp, name, "1"));
    mdl_hp_set_float(hp, "relu_dropout", 0.25);
    drop = mdl_tf_drop(hp, "relu_dropout");
    assert_true(drop.rate == 0.25 && !drop.same_positions);
    mdl_hp_set_string(hp, "relu_dropout_broadcast_dims", "1");
    assert_true(mdl_tf_drop(hp, "relu_dropout").same_positions);
    mdl_hparams_free(hp);
}

/* Python's None, "none" and nothing are the same. */
static void test_strings(void **state)
{
    struct mdl_hparams *hp = tiny_hparams("pos=none");

    (void) state;
    assert_string_equal(mdl_tf_string(hp, "pos"), "");
    assert_true(mdl_tf_is(hp, "pos", "none"));
    mdl_hp_set_string(hp, "pos", NULL);
    assert_string_equal(mdl_tf_string(hp, "pos"), "");
    mdl_hp_set_string(hp, "pos", "emb");
    assert_string_equal(mdl_tf_string(hp, "pos"), "emb");
    mdl_hparams_free(hp);
}

static void check_variable(const char *overrides, const char *name, int rank, int64_t d0,
                           int64_t d1, int64_t d2)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), overrides, &tiny_translation, MDL_TRAIN);
    const struct gr_variable *v = gr_params_find(mdl_params(m), name);

    if (!v)
        fail_msg("%s: no variable %s", overrides, name);
    assert_int_equal(v->rank, rank);
    assert_int_equal(v->dims[0], d0);
    assert_int_equal(v->dims[1], d1);
    if (rank > 2)
        assert_int_equal(v->dims[2], d2);
    mdl_free(m);
}

/* hidden_size 16, num_heads 2 */
static void test_variables(void **state)
{
    static const char relative[] =
        "self_attention_type=dot_product_relative,max_relative_position=3";
    static const char v2[] = "self_attention_type=dot_product_relative_v2,max_relative_position=3,"
                             "add_relative_to_values=true";
    static const char v2_shared[] =
        "self_attention_type=dot_product_relative_v2,max_relative_position=3,"
        "heads_share_relative_embedding=true";

    (void) state;
    check_variable("attention_variables_3d=true", ATTENTION "q", 3, 16, 2, 8);
    check_variable("attention_variables_3d=true", ENCDEC "o", 3, 2, 8, 16);
    check_variable(relative,
                   ATTENTION "dot_product_attention_relative/relative_positions_keys/embeddings", 2,
                   7, 8, 0);
    check_variable(relative,
                   ATTENTION "dot_product_attention_relative/relative_positions_values/embeddings",
                   2, 7, 8, 0);
    check_variable(v2, ATTENTION "dot_product_self_attention_relative_v2/key_relative_embeddings",
                   3, 2, 3, 8);
    check_variable(v2, ATTENTION "dot_product_self_attention_relative_v2/value_relative_embeddings",
                   3, 2, 3, 8);
    check_variable(v2_shared,
                   ATTENTION "dot_product_self_attention_relative_v2/key_relative_embeddings", 2, 3,
                   8, 0);
}

/* One step of every kind, alone and with layers computed again: the same bits. */
static void test_steps(void **state)
{
    static const char *const overrides[] = {
        "self_attention_type=dot_product_relative,max_relative_position=3",
        "self_attention_type=dot_product_relative_v2,max_relative_position=4,"
        "heads_share_relative_embedding=true",
        "hard_attention_k=2",
        "attention_variables_3d=true",
        "causal_decoder_self_attention=false",
        "prepend_mode=prepend_inputs_full_attention",
        "prepend_mode=prepend_inputs_masked_attention",
        "ffn_layer=conv_hidden_relu,unidirectional_encoder=true",
    };

    (void) state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        float *grads[2];
        size_t n = 0;

        for (int remat = 0; remat < 2; remat++) {
            struct mdl *m =
                tiny_model(op_device("cpu", 2), overrides[i], &tiny_translation, MDL_TRAIN);
            struct tiny_batch sentences;
            const struct mdl_batch *b = tiny_batch(&sentences, 3, 7, 9, 5);
            struct gr_params *p = mdl_params(m);
            struct t2_err err = T2_ERR_INIT;
            struct mdl_loss loss;

            sentences.targets[3] = 0; /* inputs end here where there is a prepend_mode */
            mdl_set_remat(m, remat);
            if (mdl_train_step(m, b, 1, 0, &loss, &err) != T2_OK)
                fail_msg("%s: %s", overrides[i], err.message);
            assert_true(loss.denominator > 0.0 && loss.numerator > 0.0);
            n = (size_t) p->n_floats;
            grads[remat] = device_floats(p->dev, p->grads, p->n_floats);
            mdl_free(m);
        }
        assert_memory_equal(grads[0], grads[1], n * sizeof **grads);
        free(grads[0]);
        free(grads[1]);
    }
}

/* A set made for TPUs: masks of dropout are shared, and dropout still drops. */
static void test_shared_masks(void **state)
{
    struct mdl_hparams *hp;
    struct tiny_batch sentences;
    const struct mdl_batch *b = tiny_batch(&sentences, 3, 7, 9, 5);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss[3];
    struct mdl *m;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_tiny_tpu", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "hidden_size=32,filter_size=40", &err), T2_OK);
    assert_string_equal(mdl_hp_string(hp, "attention_dropout_broadcast_dims"), "0,1");
    assert_int_equal(mdl_new("transformer", op_device("cpu", 2), hp, &tiny_translation, MDL_TRAIN,
                             &m, &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    for (int i = 0; i < 3; i++) /* steps 0, 1, 0 */
        assert_int_equal(mdl_train_step(m, b, 1, i % 2, &loss[i], &err), T2_OK);
    assert_true(loss[0].numerator != loss[1].numerator);
    assert_true(loss[0].numerator == loss[2].numerator);
    mdl_free(m);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_shared_masks), cmocka_unit_test(test_broadcast_dims),
       cmocka_unit_test(test_strings), cmocka_unit_test(test_variables),
       cmocka_unit_test(test_steps))
