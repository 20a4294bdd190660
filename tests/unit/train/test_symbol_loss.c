/*
 * tests/unit/train/test_symbol_loss.c - what an evaluation predicts are the largest of the logits,
 * of every model whose targets are symbols, padding included; the loss does not change by it.
 */
#include "train/models/symbol_loss.h"

#include <math.h>

#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"

static struct t2_err err;

/* The logits of a row are `columns`, of which the vocabulary may be the first. */
static int32_t argmax(const float *x, int64_t columns)
{
    int32_t best = 0;

    for (int32_t i = 1; i < columns; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

static void check(const char *device, const char *model, const char *set, const char *overrides,
                  const struct mdl_problem *problem)
{
    enum { ROWS = 3, LENGTH = 7, COLUMNS = TINY_VOCAB };
    struct mdl *m = tiny_model_of(op_device(device, 2), model, tiny_hparams_of(set, overrides),
                                  problem, MDL_EVAL);
    struct tiny_batch t;
    const struct mdl_batch *b = tiny_batch(&t, ROWS, problem->has_inputs ? 5 : 0, LENGTH, 3);
    static float logits[ROWS * LENGTH * COLUMNS];
    struct mdl_loss without, with;
    int32_t ids[ROWS * LENGTH];

    assert_int_equal(mdl_evaluate(m, b, &without, &err), T2_OK);
    assert_int_equal(mdl_logits(m, b, logits, &err), T2_OK);
    mdl_drop_graphs(m);
    mdl_set_predicts(m, true);
    if (mdl_evaluate(m, b, &with, &err) != T2_OK || mdl_predictions(m, b, ids, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_memory_equal(&with, &without, sizeof with);
    for (int i = 0; i < ROWS * LENGTH; i++)
        if (ids[i] != argmax(logits + i * COLUMNS, COLUMNS))
            fail_msg("%s of %s: place %d is %d, the largest logit is that of %d", model, device, i,
                     (int) ids[i], (int) argmax(logits + i * COLUMNS, COLUMNS));
    mdl_free(m);
}

static void test_all_devices(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};

    (void) state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        check(devices[i], "transformer", "transformer_test", "", &tiny_translation);
        check(devices[i], "transformer", "transformer_test", "", &tiny_language);
        check(devices[i], "universal_transformer", "universal_transformer_tiny",
              "hidden_size=16,num_heads=2,filter_size=24,num_rec_steps=2", &tiny_translation);
        check(devices[i], "official_transformer", "official_transformer_tiny",
              "hidden_size=16,num_heads=2,filter_size=24,num_hidden_layers=1,vocab_size=0",
              &tiny_translation);
    }
}

/* Its graphs are longer than the batch: lengths are rounded up. */
static void test_longer_graph(void **state)
{
    (void) state;
    check("cpu", "byte_net", "bytenet_base",
          "hidden_size=16,num_hidden_layers=1,num_block_repeat=1", &tiny_translation);
}

/* ---- targets that do not count ---- */

/* (rows, length): sum of -log p of the ids, as logits have it, where the mask is 1; tensor2tensor's
 * padded_neg_log_perplexity_with_masking, whose weights the mask is. */
static double masked_log_prob(const float *logits, const struct mdl_batch *b, int64_t columns)
{
    double sum = 0.0;

    for (int i = 0; i < b->batch * b->targets_length; i++) {
        const float *x = logits + i * columns;
        double all = 0.0;

        for (int64_t v = 0; v < columns; v++)
            all += exp((double) x[v]);
        if (b->targets_mask[i])
            sum += (double) x[b->targets[i]] - log(all);
    }
    return sum;
}

/* In training a target that does not count is as one that is not there; what the loss is of decides
 * its gradient.  Of an evaluation the scores are of all targets. */
static void check_mask(const char *device, const char *model, const char *set,
                       const char *overrides)
{
    enum { ROWS = 3, LENGTH = 7 };
    struct mdl_problem problem = tiny_translation;
    static float logits[ROWS * LENGTH * TINY_VOCAB];
    struct mdl_loss of_all, masked, cut;
    int32_t mask[ROWS * LENGTH], targets[ROWS * LENGTH];
    struct tiny_batch t;
    struct mdl_batch b = *tiny_batch(&t, ROWS, 5, LENGTH, 3), shorter = b;
    double n = 0.0, log_prob;
    struct gr_params *params;
    float *grads, *same;
    struct mdl *m;

    problem.targets_mask = true;
    m = tiny_model_of(op_device(device, 2), model, tiny_hparams_of(set, overrides), &problem,
                      MDL_TRAIN);
    params = mdl_params(m);
    assert_int_equal(mdl_evaluate(m, &b, &of_all, &err), T2_OK);
    assert_true(of_all.masked_denominator == 0.0);
    /* the last two positions of a row do not count, nor does the whole of the second */
    for (int i = 0; i < ROWS * LENGTH; i++) {
        mask[i] = b.targets[i] != 0 && i % LENGTH < LENGTH - 2 && i / LENGTH != 1;
        targets[i] = mask[i] ? b.targets[i] : 0;
        n += mask[i];
    }
    b.targets_mask = mask;
    shorter.targets = targets;
    assert_int_equal(mdl_count_targets(m, &b), (int64_t) n);
    assert_int_equal(mdl_evaluate(m, &b, &masked, &err), T2_OK);
    assert_int_equal(mdl_logits(m, &b, logits, &err), T2_OK);
    log_prob = masked_log_prob(logits, &b, TINY_VOCAB);
    assert_true(fabs(masked.masked_log_prob - log_prob) < 1e-5 * fabs(log_prob));
    assert_true(fabs(masked.masked_numerator + log_prob) < 1e-5 * fabs(log_prob));
    assert_true(masked.masked_denominator == n && n > 0 && n < of_all.denominator);
    assert_true(masked.numerator == of_all.numerator && masked.log_prob == of_all.log_prob &&
                masked.denominator == of_all.denominator);
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &masked, &err), T2_OK);
    grads = device_floats(params->dev, params->grads, params->n_floats);
    b.targets_mask = NULL;
    assert_int_equal(mdl_train_step(m, &shorter, 1, 0, &cut, &err), T2_OK);
    same = device_floats(params->dev, params->grads, params->n_floats);
    assert_true(masked.denominator == n && cut.denominator == n);
    assert_true(fabs(masked.numerator - cut.numerator) < 1e-5 * fabs(cut.numerator));
    t_assert_same_direction(grads, same, (size_t) params->n_floats, 1e-6);
    free(grads);
    free(same);
    mdl_free(m);
}

static void test_mask(void **state)
{
    static const char still[] =
        "layer_prepostprocess_dropout=0,attention_dropout=0,relu_dropout=0,label_smoothing=0";

    (void) state;
    check_mask("reference", "transformer", "transformer_test", still);
    check_mask("cpu", "transformer", "transformer_test", still);
    check_mask("far", "transformer", "transformer_test", still);
    check_mask("cpu", "lstm_seq2seq", "lstm_seq2seq", "hidden_size=16,dropout=0,label_smoothing=0");
}

T_MAIN(cmocka_unit_test(test_all_devices), cmocka_unit_test(test_mask),
       cmocka_unit_test(test_longer_graph))
