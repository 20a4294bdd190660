/* Tests of train/models/text_cnn.c: sizes, runs, short texts, refusals; values are compared with
 * the original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/text_model.h"

static const struct text_case cnn = {"text_cnn", "text_cnn_base",
                                     "hidden_size=12,num_filters=7,learning_rate_schedule=constant,"
                                     "learning_rate_constant=0.01,symbol_modality_num_shards=1",
                                     &text_labels};

static void test_model(void **state)
{
    int64_t D = 12, F = 7, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(text_count(&cnn), (2 + 3 + 4 + 5) * D * F + 4 * F + V * D + 4 * F * V + V);
    text_check_runs(&cnn);
    text_check_16_bits(&cnn);
}

/* The biases begin with a tenth; a text of one id is read as if zeros stood behind it. */
static void test_short_text(void **state)
{
    struct mdl *m = text_model(&cnn, op_device("reference", 1), MDL_EVAL);
    const struct gr_params *p = mdl_params(m);
    const struct gr_variable *v =
        gr_params_find(p, "text_cnn/parallel_0_4/text_cnn/text_cnn/body/conv-maxpool-3/b");
    float logits[2][TINY_VOCAB], *bias;
    int32_t inputs[] = {5, 0, 0, 0, 0, 0, 0, 0}, label = 1;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch b = {
        .batch = 1, .inputs_length = 1, .targets_length = 1, .inputs = inputs, .targets = &label};

    (void) state;
    assert_non_null(v);
    bias = device_floats(p->dev, p->values + v->offset, v->n);
    for (int64_t i = 0; i < v->n; i++)
        assert_true(bias[i] == 0.1f);
    free(bias);
    assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
    b.inputs_length = 2; /* a filter of two reads id and zero at both */
    assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
    t_assert_close(logits[0], logits[1], TINY_VOCAB, 1e-6, 1e-6);
    mdl_free(m);
}

static void test_refusals(void **state)
{
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", "");

    (void) state;
    text_refused(&cnn, "", &tiny_translation, T2_EUNSUPPORTED, "targets are class labels");
    text_refused(&cnn, "num_filters=0", NULL, T2_EUSAGE, "num_filters must lie between");
    text_refused(&cnn, "filter_sizes=[0,1]", NULL, T2_EUSAGE, "filter_sizes must lie between 1");
    text_refused(&cnn, "filter_sizes=[3,3]", NULL, T2_EUSAGE, "filter_sizes has 3 twice");
    tiny_refused("text_cnn", hp, &text_labels, T2_EUSAGE, "--hparams_set=text_cnn_base");
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_short_text),
       cmocka_unit_test(test_refusals))
