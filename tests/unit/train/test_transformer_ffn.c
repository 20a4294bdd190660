/*
 * tests/unit/train/test_transformer_ffn.c - the feed-forward layers' variables; that they can be
 * trained and, but one, decoded.  What they compute: tests/oracle/test_recorded_transformer.c.
 */
#include "train/models/transformer_parts.h"

#include "tests/unit/train/tiny_model.h"

#define FFN "transformer/body/decoder/layer_1/ffn/"

static void check_variable(const char *overrides, const char *name, int rank, int64_t d0,
                           int64_t d1)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), overrides, &tiny_translation, MDL_TRAIN);
    const struct gr_variable *v = gr_params_find(mdl_params(m), name);

    if (!v)
        fail_msg("%s: no variable %s", overrides, name);
    assert_int_equal(v->rank, rank);
    assert_int_equal(v->dims[0], d0);
    assert_int_equal(rank > 1 ? v->dims[1] : 0, d1);
    mdl_free(m);
}

/* hidden_size 16, filter_size 8, num_heads 2 */
static void test_variables(void **state)
{
    static const char conv[] = "ffn_layer=conv_relu_conv,conv_first_kernel=5";
    static const char sepconv[] = "ffn_layer=conv_hidden_relu_with_sepconv";
    static const char parameters[] =
        "ffn_layer=parameter_attention,parameter_attention_value_channels=6";

    (void) state;
    check_variable("ffn_layer=conv_hidden_relu", FFN "conv1/kernel", 2, 16, 8);
    check_variable(conv, FFN "conv_relu_conv/conv1_0/kernel", 2, 16, 8);
    check_variable(conv, FFN "conv_relu_conv/conv1_4/kernel", 2, 16, 8);
    check_variable(conv, FFN "conv_relu_conv/conv1_0/bias", 1, 8, 0);
    check_variable("ffn_layer=conv_relu_conv,conv_first_kernel=1",
                   FFN "conv_relu_conv/conv1/kernel", 2, 16, 8);
    check_variable(sepconv, FFN "conv_hidden_relu/conv2_single/depthwise_kernel", 4, 31, 1);
    check_variable(parameters, FFN "parameter_attention/v", 3, 2, 8);
    check_variable(parameters, FFN "parameter_attention/output_transform/kernel", 2, 6, 16);
}

static void test_training(void **state)
{
    static const char *const overrides[] = {
        "ffn_layer=conv_relu_conv,relu_dropout=0.2",
        "ffn_layer=conv_hidden_relu_with_sepconv,relu_dropout=0.2",
        "ffn_layer=parameter_attention,attention_dropout=0.2",
        "ffn_layer=none",
        "relu_dropout=0.2",
    };

    (void) state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        struct mdl *m = tiny_model(op_device("cpu", 2), overrides[i], &tiny_translation, MDL_TRAIN);
        struct mdl_decoder *d = NULL;
        struct tiny_batch sentences;
        const struct mdl_batch *b = tiny_batch(&sentences, 3, 7, 9, 5);
        struct t2_err err = T2_ERR_INIT;
        struct mdl_loss loss;
        enum t2_status expected = i == 1 ? T2_EUNSUPPORTED : T2_OK;

        if (mdl_train_step(m, b, 1, 0, &loss, &err) != T2_OK)
            fail_msg("%s: %s", overrides[i], err.message);
        assert_true(loss.numerator > 0.0);
        assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), expected);
        if (expected != T2_OK)
            t_assert_contains(err.message, "trained and evaluated, but not decoded");
        mdl_decoder_free(d);
        mdl_free(m);
    }
}

/* Only conv_relu_conv looks back. */
static void test_caches(void **state)
{
    static const struct {
        const char *overrides;
        int64_t channels;
    } cases[] = {{"", 0},
                 {"ffn_layer=conv_relu_conv", 16},
                 {"ffn_layer=conv_relu_conv,conv_first_kernel=1", 0},
                 {"ffn_layer=parameter_attention", 0}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mdl_hparams *hp = tiny_hparams(cases[i].overrides);

        assert_int_equal(mdl_tf_ffn_cache(hp), cases[i].channels);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_variables), cmocka_unit_test(test_training),
       cmocka_unit_test(test_caches))
