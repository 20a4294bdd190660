/* Tests of train/models/lstm_seq2seq.c: sizes, runs, what sees what, refusals; values are compared
 * with the original's in tests/oracle/test_recorded_transformer.c, decoding with whole sequences in
 * test_model_decoder.c. */
#include <math.h>

#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

static const char one_way[] = "lstm_seq2seq", two_ways[] = "lstm_seq2seq_bidirectional_encoder";
static const char small[] = "hidden_size=12,learning_rate_warmup_steps=1,learning_rate=2";

static struct mdl *model(struct dev *d, const char *name, const char *overrides,
                         const struct mdl_problem *problem, enum mdl_mode mode)
{
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", small);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return tiny_model_of(d, name, hp, problem, mode);
}

static int64_t count(const char *name, const char *overrides, const struct mdl_problem *problem)
{
    struct mdl *m = model(op_device("cpu", 1), name, overrides, problem, MDL_EVAL);
    int64_t n = gr_params_count(mdl_params(m));

    mdl_free(m);
    return n;
}

/* A layer of H over inputs of n. */
static int64_t layer(int64_t n, int64_t H)
{
    return (n + H) * 4 * H + 4 * H;
}

static void test_sizes(void **state)
{
    int64_t H = 12, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(count(one_way, "", &tiny_translation), 4 * layer(H, H) + 3 * V * H);
    assert_int_equal(count(one_way, "num_hidden_layers=3", &tiny_language),
                     3 * layer(H, H) + 2 * V * H);
    assert_int_equal(count(one_way, "shared_embedding_and_softmax_weights=true", &tiny_translation),
                     4 * layer(H, H) + V * H);
    assert_int_equal(count(two_ways, "", &tiny_translation), 4 * layer(H, H) + layer(H, 2 * H) +
                                                                 layer(2 * H, 2 * H) + 2 * V * H +
                                                                 V * 2 * H);
}

enum { STEPS = 8 };

/* The values of all variables after some steps, owned by the caller. */
static float *train(const char *name, int threads, bool remat, double losses[STEPS])
{
    struct dev *d = op_device("cpu", threads);
    struct mdl *m = model(d, name, "dropout=0.1,symbol_dropout=0.1", &tiny_translation, MDL_TRAIN);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct opt_report report;
    struct mdl_loss loss;
    float *values;

    mdl_set_remat(m, remat);
    if (opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < STEPS; step++) {
        const struct mdl_batch *b = tiny_batch(&batch, 5, 9, 11 + 6 * (step == 1), 3);

        if (mdl_train_step(m, b, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        losses[step] = loss.numerator / loss.denominator;
    }
    values = device_floats(d, mdl_params(m)->values, mdl_params(m)->n_floats);
    opt_free(o);
    mdl_free(m);
    return values;
}

/* It learns, and the same to the bit with more threads. */
static void check_runs(const char *name)
{
    struct mdl *m = model(op_device("reference", 1), name, "", &tiny_translation, MDL_EVAL);
    size_t bytes = (size_t) mdl_params(m)->n_floats * sizeof(float);
    double losses[3][STEPS];
    float *values[3];

    for (int i = 0; i < 3; i++)
        values[i] = train(name, 1 + (i > 0), i == 2, losses[i]);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(losses[0], losses[i], sizeof losses[0]);
        assert_memory_equal(values[0], values[i], bytes);
    }
    assert_true(losses[0][STEPS - 1] < losses[0][0]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
    mdl_free(m);
}

static void test_runs(void **state)
{
    (void) state;
    check_runs(one_way);
    check_runs(two_ways);
}

/* Layers compute in float32 and hand on 16 bits. */
static void check_16_bits(const char *name)
{
    struct dev *d = op_device("cpu", 2);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_loss loss;
    double full = 0.0;

    for (int type = 0; type < 2; type++) {
        struct mdl *m;

        d->precision = type ? DEV_BFLOAT16 : DEV_FLOAT32;
        m = model(d, name, "", &tiny_translation, MDL_TRAIN);
        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 5, 9, 11, 3), 7, 0, &loss, &err),
                         T2_OK);
        if (type == 0)
            full = loss.numerator;
        assert_true(loss.numerator != 0.0 && fabs(loss.numerator / full - 1.0) < 0.01);
        mdl_free(m);
        d->precision = DEV_FLOAT32;
    }
}

static void test_16_bits(void **state)
{
    (void) state;
    check_16_bits(one_way);
    check_16_bits(two_ways);
}

/* Later targets are not seen, all inputs are, and padding behind the inputs changes nothing. */
static void check_seen(const char *name)
{
    enum { LENGTH = 10, INPUTS = 7 };
    struct mdl *m = model(op_device("cpu", 1), name, "", &tiny_translation, MDL_EVAL);
    float logits[4][LENGTH * TINY_VOCAB];
    int32_t inputs[INPUTS + 3] = {3, 4, 5, 6, 7, 8, 1};
    int32_t targets[LENGTH] = {9, 8, 7, 6, 5, 4, 3, 2, 3, 1};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = INPUTS,
                          .targets_length = LENGTH,
                          .inputs = inputs,
                          .targets = targets};

    assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
    targets[6] = 11;
    assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
    assert_memory_equal(logits[0], logits[1], 7 * TINY_VOCAB * sizeof(float));
    assert_memory_not_equal(logits[0] + 7 * TINY_VOCAB, logits[1] + 7 * TINY_VOCAB,
                            TINY_VOCAB * sizeof(float));
    b.inputs_length += 3;
    assert_int_equal(mdl_logits(m, &b, logits[2], &err), T2_OK);
    t_assert_close(logits[2], logits[1], LENGTH * TINY_VOCAB, 1e-6, 1e-6);
    inputs[0] = 5;
    assert_int_equal(mdl_logits(m, &b, logits[3], &err), T2_OK);
    assert_memory_not_equal(logits[2], logits[3], TINY_VOCAB * sizeof(float));
    mdl_free(m);
}

static void test_seen(void **state)
{
    (void) state;
    check_seen(one_way);
    check_seen(two_ways);
}

static void refused(const char *name, const char *overrides, const struct mdl_problem *problem,
                    enum t2_status status, const char *part)
{
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", overrides);

    tiny_refused(name, hp, problem, status, part);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    struct mdl *m = model(op_device("reference", 1), one_way, "", &tiny_translation, MDL_EVAL);
    struct mdl_problem labels = tiny_translation;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 2, 5, 6, 1);
    struct mdl_loss loss;
    int32_t zeros[12] = {0};

    (void) state;
    labels.class_labels = true;
    refused(one_way, "", &labels, T2_EUNSUPPORTED, "a problem of texts");
    refused(one_way, "prepend_mode=prepend_inputs_full_attention", &tiny_translation,
            T2_EUNSUPPORTED, "prepend_mode");
    refused(one_way, "initializer=orthogonal", &tiny_translation, T2_EUNSUPPORTED, "orthogonal");
    refused(one_way, "num_hidden_layers=33", &tiny_translation, T2_EUSAGE, "between 1 and 32");
    refused(two_ways, "shared_embedding_and_softmax_weights=true", &tiny_translation, T2_EUSAGE,
            "twice as wide");
    b.inputs_segmentation = b.inputs_position = zeros;
    b.targets_segmentation = b.targets_position = zeros;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not packed data");
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_16_bits), cmocka_unit_test(test_refusals))
