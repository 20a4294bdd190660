/*
 * tests/unit/train/ckpt_run.h - a small run to save and restore, for the tests of train/ckpt.
 * Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_CKPT_RUN_H
#define T2_TESTS_UNIT_TRAIN_CKPT_RUN_H

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/device_floats.h"
#include "train/ckpt/checkpoint.h"
#include "train/device/device.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

struct run {
    struct dev *dev;
    struct mdl_hparams *hp;
    struct gr_params params;
    struct opt_optimizer *o;
};

/* The state's name; a test may choose another. */
static const char *run_state_name = "model/mean";

/* Variables table_0, table_1 (2,3 each), bias (5), the state (2); kernel has as many columns
 * as asked. */
static inline void run_new(struct run *r, const char *optimizer, int64_t columns)
{
    const int64_t table[] = {4, 3}, bias[] = {5}, kernel[] = {3, columns};
    const int64_t mean[] = {2};
    struct t2_err err = T2_ERR_INIT;

    memset(r, 0, sizeof *r);
    assert_int_equal(dev_open("reference", 1, &r->dev, &err), T2_OK);
    gr_params_init(&r->params, r->dev);
    gr_params_get(&r->params, "model/table", 2, table, 2, GR_INIT_ZEROS, 0);
    gr_params_get(&r->params, "model/bias", 1, bias, 0, GR_INIT_ZEROS, 0);
    if (columns > 0)
        gr_params_get(&r->params, "model/kernel", 2, kernel, 0, GR_INIT_ZEROS, 0);
    gr_params_get_state(&r->params, run_state_name, 1, mean, GR_INIT_ZEROS, 0);
    assert_int_equal(gr_params_freeze(&r->params, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("transformer_tiny", &r->hp, &err), T2_OK);
    mdl_hp_set_string(r->hp, "optimizer", optimizer);
    mdl_hp_set_int(r->hp, "optimizer_multistep_accumulate_steps", 2);
    assert_int_equal(opt_new(r->hp, &r->params, &r->o, &err), T2_OK);
}

static inline void run_release(struct run *r)
{
    opt_free(r->o);
    mdl_hparams_free(r->hp);
    gr_params_release(&r->params);
    dev_close(r->dev);
}

static inline void run_fill(struct run *r, uint64_t seed)
{
    device_fill(r->dev, r->params.values, r->params.n_floats, seed);
}

/* A step with gradients that depend on its number, as the change of the state does. */
static inline void run_step(struct run *r, int64_t step)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    float *place = r->params.values + gr_params_find(&r->params, run_state_name)->offset, mean[2];

    device_fill(r->dev, r->params.grads, r->params.n_floats, 1000 + (uint64_t) step);
    device_read(r->dev, mean, place, 2);
    for (int i = 0; i < 2; i++)
        mean[i] = 0.9F * mean[i] + (float) step;
    device_write(r->dev, place, mean, 2);
    if (opt_step(r->o, step, 100, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static inline struct ckpt_state run_state(int64_t step)
{
    struct ckpt_state s = {.step = step,
                           .seed = UINT64_MAX - 5,
                           .samples = 1ULL << 60,
                           .model = "transformer",
                           .hparams_set = "transformer_tiny",
                           .problem = "translate_\"x\"",
                           .data_shards = 4,
                           .damage_crc = 4000000000,
                           .global_batch_size = true,
                           .precision = "bfloat16",
                           .wall_seconds = 12.5};

    memset(s.inputs_vocab_sha256, 'a', 64);
    memset(s.manifest_sha256, 'b', 64);
    return s;
}

static inline void run_save(const struct run *r, const char *dir, int64_t step, int keep)
{
    struct ckpt_state state = run_state(step);
    struct t2_err err = T2_ERR_INIT;

    if (ckpt_save(dir, &state, r->hp, &r->params, r->o, keep, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* "10 20 30" */
static inline void assert_steps(const char *dir, const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    int64_t *steps = NULL;
    size_t n = 0;
    char text[256] = "";

    assert_int_equal(ckpt_list(dir, &steps, &n, &err), T2_OK);
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? " " : "",
                 (long long) steps[i]);
    assert_string_equal(text, expected);
    t2_free(steps);
}

/* All values of the variables, padding left out. */
static inline void assert_equal_runs(const struct run *a, const struct run *b)
{
    for (int i = 0; i < a->params.n_variables; i++) {
        const struct gr_variable *v = &a->params.variables[i];

        device_assert_same(a->dev, a->params.values + v->offset, b->dev,
                           b->params.values + v->offset, v->n);
    }
}

#endif
