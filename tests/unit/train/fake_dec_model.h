/*
 * tests/unit/train/fake_dec_model.h - a model for tests of the search: logits are a function of the
 * source and of the ids so far, which can be asked for directly or step by step.
 */
#ifndef T2_TESTS_FAKE_DEC_MODEL_H
#define T2_TESTS_FAKE_DEC_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/decode/decode.h"

enum { FAKE_MAX_ROWS = 512, FAKE_MAX_VOCAB = 1200 };

struct fake {
    int32_t vocab, rows, beam;
    uint64_t seed;
    float spread;     /* logits lie in (-spread, spread) */
    float quantum;    /* > 0: rounded to multiples, so that there are ties */
    float eos_bonus;  /* added to EOS */
    int nan_at_step;  /* < 0: never */
    int fail_at_step; /* < 0: never */
    int n_steps, n_reorders;
    uint64_t state[FAKE_MAX_ROWS]; /* source and ids so far */
    float logits[FAKE_MAX_ROWS * FAKE_MAX_VOCAB];
};

static uint64_t fake_start(const struct fake *f, int32_t source)
{
    return t_hash64(f->seed * 1000003u + (uint64_t) source);
}

static uint64_t fake_append(uint64_t state, int32_t id)
{
    return t_hash64(state ^ ((uint64_t) id + 1) * 0x9e3779b97f4a7c15u);
}

static void fake_logits(const struct fake *f, uint64_t state, float *x)
{
    t_fill(x, (size_t) f->vocab, state);
    for (int32_t v = 0; v < f->vocab; v++) {
        x[v] *= f->spread;
        if (v == DEC_EOS)
            x[v] += f->eos_bonus;
        if (f->quantum > 0)
            x[v] = roundf(x[v] / f->quantum) * f->quantum;
    }
}

static enum t2_status fake_step(void *context, int32_t step, const int32_t *ids,
                                const float **logits, struct t2_err *err)
{
    struct fake *f = context;

    assert_int_equal(step, f->n_steps);
    f->n_steps++;
    if (step == f->fail_at_step)
        return t2_fail(err, T2_EINTERRUPTED, "interrupted");
    for (int32_t r = 0; r < f->rows; r++) {
        f->state[r] = step == 0 ? fake_start(f, r / f->beam) : fake_append(f->state[r], ids[r]);
        fake_logits(f, f->state[r], f->logits + (size_t) r * (size_t) f->vocab);
    }
    if (step == f->nan_at_step)
        f->logits[(size_t) f->vocab / 2] = NAN;
    *logits = f->logits;
    return T2_OK;
}

static enum t2_status fake_reorder(void *context, const int32_t *from, struct t2_err *err)
{
    struct fake *f = context;
    uint64_t old[FAKE_MAX_ROWS];

    (void) err;
    f->n_reorders++;
    memcpy(old, f->state, sizeof old);
    for (int32_t r = 0; r < f->rows; r++) {
        assert_int_equal(from[r] / f->beam, r / f->beam); /* never another source's */
        f->state[r] = old[from[r]];
    }
    return T2_OK;
}

static struct fake *fake_new(int32_t vocab, int32_t batch, int32_t beam, uint64_t seed)
{
    struct fake *f = calloc(1, sizeof *f);

    assert_non_null(f);
    assert_true(batch * beam <= FAKE_MAX_ROWS && vocab <= FAKE_MAX_VOCAB);
    f->vocab = vocab;
    f->rows = batch * beam;
    f->beam = beam;
    f->seed = seed;
    f->spread = 3;
    f->nan_at_step = f->fail_at_step = -1;
    return f;
}

static inline struct dec_model fake_model(struct fake *f)
{
    f->n_steps = f->n_reorders = 0;
    return (struct dec_model){f, f->vocab, fake_step, fake_reorder};
}

/* log_softmax in double. */
static inline void fake_log_softmax(const float *x, int32_t n, double *log_prob)
{
    double largest = -HUGE_VAL, sum = 0;

    for (int32_t v = 0; v < n; v++)
        largest = fmax(largest, (double) x[v]);
    for (int32_t v = 0; v < n; v++)
        sum += exp((double) x[v] - largest);
    for (int32_t v = 0; v < n; v++)
        log_prob[v] = (double) x[v] - largest - log(sum);
}

#endif
