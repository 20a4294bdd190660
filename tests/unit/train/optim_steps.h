/*
 * tests/unit/train/optim_steps.h - a few small variables and an optimizer over them, for the tests
 * of train/optim.  Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_OPTIM_STEPS_H
#define T2_TESTS_UNIT_TRAIN_OPTIM_STEPS_H

#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "train/device/device.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

struct steps {
    struct dev *dev;
    struct gr_params params;
    struct opt_optimizer *o;
    int64_t step;
    float *x, *g; /* copies of the arenas of values and gradients, from steps_get */
};

static inline void steps_get(struct steps *s)
{
    device_read(s->dev, s->x, s->params.values, s->params.n_floats);
    device_read(s->dev, s->g, s->params.grads, s->params.n_floats);
}

/* Gives changed copies back. */
static inline void steps_put(struct steps *s)
{
    device_write(s->dev, s->params.values, s->x, s->params.n_floats);
    device_write(s->dev, s->params.grads, s->g, s->params.n_floats);
}

/* The hparams set; a test may choose another. */
static const char *steps_set = "basic_1";

/* Variables "a/bias" (5), "a/kernel" (4,6), "b/kernel" (2,3,7), "table_0", "table_1" (3,5 and 2,5),
 * "norm_scale" (9), with values in (-1, 1).  The rate is constant, weight decay and clipping are
 * off unless the overrides say otherwise. */
static inline enum t2_status steps_try(struct steps *s, const char *device, int threads,
                                       const char *overrides, struct t2_err *err)
{
    static const struct {
        const char *name;
        int rank;
        int64_t dims[3];
        int shards;
    } variables[] = {{"a/bias", 1, {5}, 0},
                     {"a/kernel", 2, {4, 6}, 0},
                     {"b/kernel", 3, {2, 3, 7}, 0},
                     {"table", 2, {5, 5}, 2},
                     {"norm_scale", 1, {9}, 0}};
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    memset(s, 0, sizeof *s);
    assert_int_equal(dev_open(device, threads, &s->dev, err), T2_OK);
    gr_params_init(&s->params, s->dev);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        gr_params_get(&s->params, variables[i].name, variables[i].rank, variables[i].dims,
                      variables[i].shards, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(&s->params, err), T2_OK);
    s->x = calloc((size_t) s->params.n_floats, sizeof *s->x);
    s->g = calloc((size_t) s->params.n_floats, sizeof *s->g);
    assert_true(s->x && s->g);
    for (int i = 0; i < s->params.n_variables; i++) {
        const struct gr_variable *v = &s->params.variables[i];

        t_fill(s->x + v->offset, (size_t) v->n, (uint64_t) i + 1);
    }
    steps_put(s);
    assert_int_equal(mdl_hparams_new(steps_set, &hp, err), T2_OK);
    assert_int_equal(
        mdl_hparams_override(hp,
                             "weight_decay=0,clip_grad_norm=0,learning_rate_schedule=constant,"
                             "learning_rate_constant=0.01",
                             err),
        T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, err), T2_OK);
    st = opt_new(hp, &s->params, &s->o, err);
    mdl_hparams_free(hp);
    return st;
}

static inline void steps_release(struct steps *s)
{
    opt_free(s->o);
    gr_params_release(&s->params);
    dev_close(s->dev);
    free(s->x);
    free(s->g);
}

static inline void steps_new(struct steps *s, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;

    if (steps_try(s, "reference", 1, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* Gradients in (-1, 1) that depend on the step only. */
static inline void steps_fill_grads(struct steps *s, int64_t step)
{
    for (int i = 0; i < s->params.n_variables; i++) {
        const struct gr_variable *v = &s->params.variables[i];

        t_fill(s->g + v->offset, (size_t) v->n, (uint64_t) (100 * (step + 1) + i));
    }
    device_write(s->dev, s->params.grads, s->g, s->params.n_floats);
}

static inline struct opt_report steps_run(struct steps *s)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report = {0};

    steps_fill_grads(s, s->step);
    if (opt_step(s->o, s->step, 1000, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    steps_get(s);
    s->step++;
    return report;
}

/*
 * n steps of the optimizer and of `rule` in double, element by element: rule(k, g, x, state)
 * changes x and state[0..2]; state starts as `initial` says.  Devices cpu and far give the bits of
 * the reference.
 */
typedef void (*steps_rule)(int64_t k, double g, double *x, double state[3]);

static inline void steps_compare(const char *overrides, const double initial[3], int64_t n,
                                 steps_rule rule)
{
    static const struct {
        const char *name;
        int threads;
    } devices[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 2}, {"far", 1}};
    enum { MAX = 1024, N_DEVICES = sizeof devices / sizeof *devices };
    static double x[MAX], state[MAX][3];
    struct t2_err err = T2_ERR_INIT;
    struct steps s[N_DEVICES];

    for (int i = 0; i < N_DEVICES; i++)
        if (steps_try(&s[i], devices[i].name, devices[i].threads, overrides, &err) != T2_OK)
            fail_msg("%s", err.message);
    assert_true(s[0].params.n_floats <= MAX);
    for (int64_t i = 0; i < s[0].params.n_floats; i++) {
        x[i] = (double) s[0].x[i];
        memcpy(state[i], initial, sizeof state[i]);
    }
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < N_DEVICES; i++)
            steps_run(&s[i]);
        for (int64_t i = 0; i < s[0].params.n_floats; i++)
            rule(k, (double) s[0].g[i], &x[i], state[i]);
        for (int v = 0; v < s[0].params.n_variables; v++) {
            const struct gr_variable *w = &s[0].params.variables[v];
            float expected[MAX];

            for (int64_t i = 0; i < w->n; i++)
                expected[i] = (float) x[w->offset + i];
            t_assert_close(s[0].x + w->offset, expected, (size_t) w->n, 1e-6, 1e-6);
            for (int i = 1; i < N_DEVICES; i++)
                assert_memory_equal(s[i].x + w->offset, s[0].x + w->offset,
                                    (size_t) w->n * sizeof(float));
        }
    }
    for (int i = 0; i < N_DEVICES; i++)
        steps_release(&s[i]);
}

#endif
