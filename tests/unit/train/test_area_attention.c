/*
 * Tests of train/models/area_attention.c: sizes, runs, what is seen, grids, refusals; values are
 * compared with the original's in tests/oracle/test_recorded_transformer.c, decoding in
 * test_model_decoder.c.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "learning_rate_warmup_steps=1,learning_rate_constant=0.2,layer_prepostprocess_dropout=0.1,"    \
    "attention_dropout=0.1,num_hidden_layers=2,hidden_size=16,num_heads=2,filter_size=24,"         \
    "max_area_width=3"

static const struct text_case cases[] = {
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=mean,area_value_mode=sum", &tiny_translation},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=2,area_key_mode=concat,area_value_mode=mean", &tiny_translation},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=max_concat,area_value_mode=max", &tiny_language},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=sum,area_value_mode=sum", &tiny_translation},
    {"transformer_encoder", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=max,area_value_mode=sum", &text_labels},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=sample,area_value_mode=sum", &tiny_translation},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=1,area_key_mode=sample_concat,area_value_mode=sum", &tiny_language},
    {"transformer", "transformer_test",
     SMALL ",num_area_layers=2,area_key_mode=sample_sum,area_value_mode=mean", &tiny_translation},
    {"lstm_seq2seq_attention", "lstm_area_attention_base",
     "hidden_size=12,attention_layer_size=6,learning_rate_warmup_steps=1,learning_rate=2,"
     "num_hidden_layers=1,dropout=0.1,num_heads=2",
     &tiny_translation},
};
enum { N_CASES = sizeof cases / sizeof *cases, SAMPLE = 5, LSTM = 8 };

/* Two tables of half a head's width, a layer of three and one of one, for each of three
 * attentions in a layer of both stacks; none of means. */
static void test_sizes(void **state)
{
    struct text_case none = cases[0];
    int64_t D = 8, each = (1 + 3) * D / 2 + 3 * D * D + D + D * D + D;

    (void) state;
    none.hparams = SMALL ",num_area_layers=0";
    assert_int_equal(text_count(&cases[0]), text_count(&none));
    assert_int_equal(text_count(&cases[1]), text_count(&none) + 2 * 3 * each);
}

static void test_runs(void **state)
{
    (void) state;
    for (int i = 0; i < N_CASES; i++) {
        text_check_runs(&cases[i]);
        text_check_16_bits(&cases[i]);
    }
}

/* No area of the targets has a later one, no area of the inputs has padding. */
static void test_seen(void **state)
{
    (void) state;
    for (int i = 0; i < N_CASES; i++)
        if (!cases[i].problem->class_labels)
            text_check_seen(&cases[i], TEXT_PADDING_IS_NOTHING);
}

/* Inputs of two rows and targets of two rows; a number that is not even has none. */
static void test_grid(void **state)
{
    struct text_case c = cases[1];
    struct mdl *m;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch even, odd;
    struct mdl_decoder *d = NULL;
    struct mdl_loss loss;

    (void) state;
    c.hparams = SMALL ",num_area_layers=1,area_key_mode=concat,area_value_mode=sum,max_area_height="
                      "2,memory_height=2";
    m = text_model(&c, op_device("cpu", 2), MDL_TRAIN);
    assert_int_equal(mdl_train_step(m, tiny_batch(&even, 3, 6, 8, 5), 7, 0, &loss, &err), T2_OK);
    assert_true(loss.numerator > 0.0);
    assert_int_equal(mdl_train_step(m, tiny_batch(&odd, 3, 6, 7, 5), 7, 0, &loss, &err),
                     T2_EUNSUPPORTED);
    t_assert_contains(err.message, "whole multiples of both, not 6 and 7 ids");
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "max_area_height above 1 can be trained and evaluated");
    mdl_free(m);
}

/* The keys that are drawn: in training others at every step, and the same ones in the same step;
 * in evaluation there is no noise, and "sample" is "mean" (as it is for decoding). */
static double loss_of(const char *key_mode, bool evaluate, uint64_t step)
{
    struct text_case c = cases[SAMPLE];
    char *hparams = t2_asprintf(
        "learning_rate_warmup_steps=1,learning_rate_constant=0.2,layer_prepostprocess_dropout=0,"
        "attention_dropout=0,relu_dropout=0,num_hidden_layers=2,hidden_size=16,num_heads=2,"
        "filter_size=24,max_area_width=3,num_area_layers=1,area_value_mode=sum,area_key_mode=%s",
        key_mode);
    struct tiny_batch tiny;
    const struct mdl_batch *b;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct mdl *m;

    c.hparams = hparams;
    m = text_model(&c, op_device("cpu", 2), MDL_TRAIN);
    b = tiny_batch(&tiny, 3, 6, 7, 5);
    if (evaluate)
        assert_int_equal(mdl_evaluate(m, b, &loss, &err), T2_OK);
    else
        assert_int_equal(mdl_train_step(m, b, 7, step, &loss, &err), T2_OK);
    mdl_free(m);
    t2_free(hparams);
    return loss.numerator;
}

static void test_noise_is_of_training(void **state)
{
    (void) state;
    assert_true(loss_of("sample", true, 0) == loss_of("mean", true, 0));
    assert_true(loss_of("mean", false, 0) == loss_of("mean", false, 1));
    assert_true(loss_of("sample", false, 0) != loss_of("mean", false, 0));
    assert_true(loss_of("sample", false, 0) != loss_of("sample", false, 1));
    assert_true(loss_of("sample", false, 1) == loss_of("sample", false, 1));
}

static void test_refusals(void **state)
{
    static const struct {
        const char *hparams;
        enum t2_status status;
        const char *part;
    } rows[] = {
        {"area_key_mode=none", T2_EUNSUPPORTED,
         "area_key_mode=none is not supported (supported: mean, max, concat, max_concat, sum, "
         "sample, sample_concat, sample_sum)"},
        {"area_value_mode=none", T2_EUNSUPPORTED,
         "area_value_mode=none is not supported (supported: mean, max, sum)"},
        {"max_area_width=0", T2_EUSAGE, "max_area_width=0 must lie between 1 and 1024"},
        {"memory_height=-1", T2_EUSAGE, "memory_height=-1 must lie between 1 and 1024"},
        {"max_area_width=512,max_area_height=512", T2_EUSAGE,
         "max_area_width times max_area_height is above 1024"},
        {"hidden_size=6", T2_EUSAGE, "needs an even number of key channels for each head, not 3"},
        {"proximity_bias=true", T2_EUNSUPPORTED, "with proximity_bias=true"},
        {"hard_attention_k=2", T2_EUNSUPPORTED, "hard_attention_k above 0"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        text_refused(&cases[1], rows[i].hparams, NULL, rows[i].status, rows[i].part);
    text_refused(&cases[LSTM], "area_value_mode=max", NULL, T2_EUSAGE, "sum or mean, not max");
    text_refused(&cases[LSTM], "area_key_mode=concat,hidden_size=7", NULL, T2_EUSAGE,
                 "for each head, not 7");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_grid), cmocka_unit_test(test_noise_is_of_training),
       cmocka_unit_test(test_refusals))
