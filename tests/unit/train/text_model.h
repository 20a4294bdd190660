/*
 * tests/unit/train/text_model.h - what is asked of every model of texts: it learns, and the same to
 * the bit with more threads and with layers computed again; 16 bits give nearly the same loss.
 */
#ifndef T2_TESTS_TEXT_MODEL_H
#define T2_TESTS_TEXT_MODEL_H

#include <math.h>

#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

enum { TEXT_STEPS = 6 };

struct text_case {
    const char *model, *set, *hparams;
    const struct mdl_problem *problem;
};

/* One label for each text. */
static const struct mdl_problem text_labels = {.has_inputs = true,
                                               .inputs_vocab = TINY_VOCAB,
                                               .targets_vocab = TINY_VOCAB,
                                               .class_labels = true,
                                               .loss_multiplier = 1.0};

/* One number for each text. */
static const struct mdl_problem text_numbers = {.has_inputs = true,
                                                .inputs_vocab = TINY_VOCAB,
                                                .targets_vocab = 1,
                                                .class_labels = true,
                                                .target = MDL_TARGET_REALS,
                                                .loss_multiplier = 1.0};

static inline struct mdl *text_model(const struct text_case *c, struct dev *d, enum mdl_mode mode)
{
    return tiny_model_of(d, c->model, tiny_hparams_of(c->set, c->hparams), c->problem, mode);
}

static inline int64_t text_count(const struct text_case *c)
{
    struct mdl *m = text_model(c, op_device("cpu", 1), MDL_EVAL);
    int64_t n = gr_params_count(mdl_params(m));

    mdl_free(m);
    return n;
}

static inline const struct mdl_batch *text_batch(const struct text_case *c, struct tiny_batch *t,
                                                 int step)
{
    static const float values[] = {0.5F, -1.0F, 2.0F, 0.0F, 1.5F};

    (void) tiny_batch(t, 5, c->problem->has_inputs ? 9 : 0,
                      c->problem->class_labels ? 1 : 7 + 4 * (step == 1), 3);
    if (c->problem->target == MDL_TARGET_REALS) {
        t->b.targets = NULL;
        t->b.n_values = 1;
        t->b.values = values;
    }
    return &t->b;
}

/* The values of all variables after some steps, owned by the caller. */
static inline float *text_train(const struct text_case *c, int threads, bool remat,
                                double losses[TEXT_STEPS], size_t *bytes)
{
    struct dev *d = op_device("cpu", threads);
    struct mdl *m = text_model(c, d, MDL_TRAIN);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct opt_report report;
    struct mdl_loss loss;
    float *values;

    mdl_set_remat(m, remat);
    if (opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < TEXT_STEPS; step++) {
        if (mdl_train_step(m, text_batch(c, &batch, step), 7, (uint64_t) step, &loss, &err) !=
                T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        losses[step] = loss.numerator / loss.denominator;
    }
    values = device_floats(d, mdl_params(m)->values, mdl_params(m)->n_floats);
    *bytes = (size_t) mdl_params(m)->n_floats * sizeof *values;
    opt_free(o);
    mdl_free(m);
    return values;
}

static inline void text_check_runs(const struct text_case *c)
{
    double losses[3][TEXT_STEPS];
    size_t bytes = 0;
    float *values[3];

    for (int i = 0; i < 3; i++)
        values[i] = text_train(c, 1 + (i > 0), i == 2, losses[i], &bytes);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(losses[0], losses[i], sizeof losses[0]);
        assert_memory_equal(values[0], values[i], bytes);
    }
    if (!(losses[0][TEXT_STEPS - 1] < losses[0][0]))
        fail_msg("%s: the loss was %g and is %g", c->model, losses[0][0],
                 losses[0][TEXT_STEPS - 1]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
}

static inline void text_check_16_bits(const struct text_case *c)
{
    struct dev *d = op_device("cpu", 2);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_loss loss;
    double full = 0.0;

    for (int type = 0; type < 2; type++) {
        struct mdl *m;

        d->precision = type ? DEV_BFLOAT16 : DEV_FLOAT32;
        m = text_model(c, d, MDL_TRAIN);
        assert_int_equal(mdl_train_step(m, text_batch(c, &batch, 0), 7, 0, &loss, &err), T2_OK);
        if (type == 0)
            full = loss.numerator;
        assert_true(loss.numerator != 0.0 && fabs(loss.numerator / full - 1.0) < 0.02);
        mdl_free(m);
        d->precision = DEV_FLOAT32;
    }
}

enum text_padding { TEXT_PADDING_IS_NOTHING, TEXT_PADDING_IS_SEEN };

/* Later targets are not seen, all inputs are; padding behind the inputs changes nothing, or is
 * seen, as in some originals. */
static inline void text_check_seen(const struct text_case *c, enum text_padding padding)
{
    enum { LENGTH = 16, CHANGED = 12, INPUTS = 7 };
    struct mdl *m = text_model(c, op_device("cpu", 1), MDL_EVAL);
    bool has_inputs = mdl_problem_of(m)->has_inputs;
    float logits[4][LENGTH * TINY_VOCAB];
    int32_t inputs[INPUTS + 3] = {3, 4, 5, 6, 7, 8, 1};
    int32_t targets[LENGTH] = {9, 8, 7, 6, 5, 4, 3, 2, 3, 5, 6, 7, 8, 9, 2, 1};
    size_t before = (CHANGED + 1) * TINY_VOCAB;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = has_inputs ? INPUTS : 0,
                          .targets_length = LENGTH,
                          .inputs = has_inputs ? inputs : NULL,
                          .targets = targets};

    assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
    targets[CHANGED] = 11;
    assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
    assert_memory_equal(logits[0], logits[1], before * sizeof(float));
    assert_memory_not_equal(logits[0] + before, logits[1] + before, TINY_VOCAB * sizeof(float));
    if (has_inputs) {
        b.inputs_length += 3;
        assert_int_equal(mdl_logits(m, &b, logits[2], &err), T2_OK);
        if (padding == TEXT_PADDING_IS_SEEN)
            assert_memory_not_equal(logits[1], logits[2], sizeof logits[0]);
        else
            t_assert_close(logits[2], logits[1], LENGTH * TINY_VOCAB, 1e-5, 1e-5);
        inputs[0] = 5;
        assert_int_equal(mdl_logits(m, &b, logits[3], &err), T2_OK);
        assert_memory_not_equal(logits[2], logits[3], TINY_VOCAB * sizeof(float));
    }
    mdl_free(m);
}

/* With another hparam, or another problem (NULL: the case's own), there is no such model. */
static inline void text_refused(const struct text_case *c, const char *hparams,
                                const struct mdl_problem *problem, enum t2_status status,
                                const char *part)
{
    struct mdl_hparams *hp = tiny_hparams_of(c->set, c->hparams);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, hparams, &err) != T2_OK)
        fail_msg("%s", err.message);
    tiny_refused(c->model, hp, problem ? problem : c->problem, status, part);
    mdl_hparams_free(hp);
}

#endif
