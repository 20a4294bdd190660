/*
 * tests/oracle/test_recorded_batch_norm.c - batch normalisation alone against tf.layers: outputs
 * and moving averages of three steps, and the output with the moving ones.
 *
 * T2_DATA/oracles/t2t_cnn/batch_norm.safetensors, by TensorFlow 1.15.5 (oracles/make/t2t_cnn.py):
 * gamma 1.5, 0.5, beta 0.1, -0.2.
 */
#include <math.h>
#include <stdio.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/ops/batch_norm.h"

enum { STEPS = 3, C = 2 };

/* README of the oracles: moving averages 3e-7 beside double. */
static const double output_tolerance = 2e-6, average_tolerance = 1e-6;

struct variant {
    const char *name;
    struct nn_batch_norm how;
};

static const struct variant variants[] = {
    {"fused_0.9_1e-5", {.momentum = 0.9, .epsilon = 1e-5}},
    {"fused_0.99_1e-3", {.momentum = 0.99, .epsilon = 1e-3}},
    {"not_fused", {.momentum = 0.9, .epsilon = 1e-5, .population_variance = true}}};

static const float *recorded(const struct ckpt_file *f, const struct variant *v, const char *what,
                             int step, size_t n)
{
    char key[128];
    const struct ckpt_tensor *t;

    if (step < 0)
        snprintf(key, sizeof key, "%s/%s", v->name, what);
    else
        snprintf(key, sizeof key, "%s/%s%d", v->name, what, step);
    t = ckpt_find(f, key);
    if (!t)
        fail_msg("the recording has no %s", key);
    assert_int_equal(t->n_bytes, n * sizeof(float));
    return t->data;
}

/* One graph over one set of variables. */
struct normed {
    struct gr_graph *g;
    struct gr_tensor *x, *y, *mean, *variance;
    void *arena;
};

static void build(struct normed *t, struct gr_params *params, const struct variant *v,
                  bool training)
{
    const int64_t dims[] = {3, 4, 5, C}, n = C;
    struct t2_err err = T2_ERR_INIT;
    struct gr_node *loss = NULL;

    t->g = gr_new(params->dev, params, training);
    t->x = gr_floats(t->g, 4, dims);
    t->mean = gr_state(t->g, "moving_mean", 1, &n, GR_INIT_ZEROS, 0.0);
    t->variance = gr_state(t->g, "moving_variance", 1, &n, GR_INIT_ONES, 0.0);
    t->y = nn_batch_norm(t->g, t->x, gr_param(t->g, "gamma", 1, &n, 0, GR_INIT_ONES, 0.0),
                         gr_param(t->g, "beta", 1, &n, 0, GR_INIT_ZEROS, 0.0), t->mean, t->variance,
                         NULL, &v->how);
    if (training) /* a last node for the plan, which never runs */
        loss = gr_add_node(t->g, t->y->producer->op, 1, &t->y, NULL);
    assert_int_equal(gr_finish(t->g, loss, &t->y, 1, &err), T2_OK);
    t->g->n_nodes = 1;
    if (!params->frozen) {
        const struct gr_variable *gamma, *beta;

        assert_int_equal(gr_params_freeze(params, &err), T2_OK);
        assert_int_equal(gr_params_initialise(params, "uniform", 1.0, 1, &err), T2_OK);
        gamma = gr_params_find(params, "gamma");
        beta = gr_params_find(params, "beta");
        device_write(params->dev, params->values + gamma->offset, (float[]){1.5f, 0.5f}, C);
        device_write(params->dev, params->values + beta->offset, (float[]){0.1f, -0.2f}, C);
    }
    t->arena = params->dev->alloc(params->dev, t->g->arena_bytes);
    gr_bind(t->g, t->arena);
}

static void run(struct normed *t, const float *x)
{
    struct gr_context context = {0};

    t->g->dev->upload_now(t->g->dev, t->x->value, x, (size_t) t->x->n * sizeof(float));
    gr_run_forward(t->g, &context);
}

static void normed_free(struct normed *t)
{
    t->g->dev->free(t->g->dev, t->arena);
    gr_free(t->g);
}

static void check_tensor(struct dev *d, const struct gr_tensor *t, const float *theirs, int64_t n,
                         double atol, double rtol)
{
    float *ours = device_floats(d, t->value, n);

    t_assert_close(ours, theirs, (size_t) n, atol, rtol);
    free(ours);
}

static void check_variant(const struct ckpt_file *f, const struct variant *v, struct dev *dev)
{
    struct gr_params params;
    struct normed t;

    gr_params_init(&params, dev);
    build(&t, &params, v, true);
    for (int k = 0; k < STEPS; k++) {
        run(&t, recorded(f, v, "input", k, 120));
        check_tensor(dev, t.y, recorded(f, v, "output", k, 120), 120, output_tolerance, 1e-6);
        check_tensor(dev, t.mean, recorded(f, v, "moving_mean", k, C), C, average_tolerance, 0.0);
        check_tensor(dev, t.variance, recorded(f, v, "moving_variance", k, C), C, average_tolerance,
                     0.0);
    }
    normed_free(&t);
    build(&t, &params, v, false);
    run(&t, recorded(f, v, "input", 0, 120));
    check_tensor(dev, t.y, recorded(f, v, "eval_output", -1, 120), 120, output_tolerance, 1e-6);
    normed_free(&t);
    gr_params_release(&params);
}

static void test_recorded(void **state)
{
    const char *path = t_data_path("oracles/t2t_cnn/batch_norm.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    if (!path)
        t_skip("no recordings: T2_DATA");
    if (ckpt_open(path, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        check_variant(f, &variants[i], op_device("reference", 1));
        check_variant(f, &variants[i], op_device("cpu", 2));
    }
    ckpt_close(f);
}

T_MAIN(cmocka_unit_test(test_recorded))
