/*
 * tests/unit/train/fake_dec_model.h - a model for tests of the search: logits are a function of the
 * source and of the ids so far, which can be asked for directly or step by step.
 */
#ifndef T2_TESTS_FAKE_DEC_MODEL_H
#define T2_TESTS_FAKE_DEC_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/decode/decode.h"
#include "train/models/choice.h"

enum { FAKE_MAX_ROWS = 512, FAKE_MAX_VOCAB = 1200 };

struct fake {
    int32_t vocab, rows, beam;
    uint64_t seed;
    float spread;     /* logits lie in (-spread, spread) */
    float quantum;    /* > 0: rounded to multiples, so that there are ties */
    float eos_bonus;  /* added to EOS */
    int nan_at_step;  /* < 0: never */
    int fail_at_step; /* < 0: never */
    int n_steps, n_reorders, n_refills;
    int32_t source[FAKE_MAX_ROWS]; /* by place */
    bool begins[FAKE_MAX_ROWS];    /* its source is new */
    int64_t n_computed;            /* rows that did not rest */
    int num_threads;               /* of the device that chooses */
    struct mdl_choice choice;
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

/* Memory of a device that stays until the program ends, at least so much. */
static void *fake_room(struct dev *d, size_t bytes)
{
    static struct {
        struct dev *d;
        void *p;
        size_t bytes;
    } rooms[8];
    int i = 0;

    while (rooms[i].d && rooms[i].d != d)
        assert_true(++i < 8);
    if (rooms[i].bytes < bytes) {
        d->free(d, rooms[i].p);
        rooms[i].d = d;
        rooms[i].bytes = bytes;
        rooms[i].p = d->alloc(d, bytes);
        assert_non_null(rooms[i].p);
    }
    return rooms[i].p;
}

/* What a model does with logits (rows, V) on the host: they go to a device, which chooses. */
static void fake_choose_from(struct dev *d, const struct mdl_choice *c, const float *logits,
                             int32_t rows, int32_t V, const struct dev_ask *asks,
                             struct dev_candidate *best)
{
    size_t bytes = (size_t) rows * (size_t) V * sizeof *logits;
    size_t choice_bytes = (size_t) mdl_choice_bytes(d, c, rows, V);
    char *place = fake_room(d, choice_bytes + bytes);
    float *there = (float *) (void *) (place + choice_bytes);

    d->upload_now(d, there, logits, bytes);
    mdl_choose(d, c, place, &(struct mdl_logit_rows){there, rows, V, V}, asks, best);
}

static enum t2_status fake_choose(void *context, int32_t step, const int32_t *ids,
                                  const struct dev_ask *asks, struct dev_candidate *best,
                                  struct t2_err *err)
{
    struct fake *f = context;

    assert_int_equal(step, f->n_steps);
    f->n_steps++;
    if (step == f->fail_at_step)
        return t2_fail(err, T2_EINTERRUPTED, "interrupted");
    for (int32_t r = 0; r < f->rows; r++) {
        bool begins = step == 0 || f->begins[r / f->beam];

        if (begins)
            assert_true(step == 0 || ids[r] == 0);
        f->state[r] =
            begins ? fake_start(f, f->source[r / f->beam]) : fake_append(f->state[r], ids[r]);
        f->n_computed += !asks[r].rests;
        if (asks[r].rests) /* nobody may use what is there then */
            f->state[r] = ~f->state[r];
        fake_logits(f, f->state[r], f->logits + (size_t) r * (size_t) f->vocab);
    }
    memset(f->begins, 0, sizeof f->begins);
    if (step == f->nan_at_step)
        f->logits[(size_t) f->vocab / 2] = NAN;
    fake_choose_from(op_device("cpu", f->num_threads), &f->choice, f->logits, f->rows, f->vocab,
                     asks, best);
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

static enum t2_status fake_refill(void *context, int32_t n, const int32_t *places,
                                  const int32_t *sources, struct t2_err *err)
{
    struct fake *f = context;

    (void) err;
    f->n_refills++;
    for (int32_t i = 0; i < n; i++) {
        assert_in_range(places[i], 0, f->rows / f->beam - 1);
        f->source[places[i]] = sources[i];
        f->begins[places[i]] = true;
    }
    return T2_OK;
}

static inline struct fake *fake_new(int32_t vocab, int32_t batch, int32_t beam, uint64_t seed)
{
    struct fake *f = calloc(1, sizeof *f);

    assert_non_null(f);
    assert_true(batch * beam <= FAKE_MAX_ROWS && vocab <= FAKE_MAX_VOCAB);
    f->vocab = vocab;
    f->rows = batch * beam;
    f->beam = beam;
    f->seed = seed;
    f->spread = 3;
    f->num_threads = 1;
    f->nan_at_step = f->fail_at_step = -1;
    return f;
}

/* For one search with these options. */
static inline struct dec_model fake_model(struct fake *f, const struct dec_options *o)
{
    f->n_steps = f->n_reorders = f->n_refills = 0;
    f->n_computed = 0;
    memset(f->begins, 0, sizeof f->begins);
    for (int32_t p = 0; p < f->rows; p++)
        f->source[p] = p;
    f->choice = dec_choice(o);
    return (struct dec_model){.context = f,
                              .vocab = f->vocab,
                              .choose = fake_choose,
                              .reorder = fake_reorder,
                              .refill = fake_refill};
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
