/*
 * tests/ops/test_batch_norm.c - batch normalisation: kernels on every device against the reference
 * loops, values by hand, moving averages, gradients, fused and composed.
 */
#include "train/ops/batch_norm.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"

/* ---- kernels ---- */

struct args {
    int64_t rows, C;
    bool relu, residual;
    bool accumulate;
};

static const float epsilon = 1e-3f;

/* Blocks of 32768 floats, of 8 to 512 rows; strips of 512 channels. */
static const int64_t shapes[][2] = {{1, 1},     {2, 3},     {7, 16},   {9, 17},
                                    {60, 2},    {300, 64},  {40, 700}, {8, 5000},
                                    {17, 4099}, {1100, 40}, {70000, 1}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void call_moments(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    const struct dev_kernels *k = d->kernels;

    k->batch_moments(d, &(struct dev_batch_moments_args){
                            .type = op_type(),
                            .x = p[0],
                            .rows = a->rows,
                            .C = a->C,
                            .mean = p[1],
                            .variance = p[2],
                            .scratch = op_scratch(d, k->batch_norm_scratch_floats(a->rows, a->C))});
}

static void check_moments(const struct args *a, float factor, float offset)
{
    struct op_call c;
    float *x;

    op_begin(&c, 1e-6 * (double) (factor + offset), 1e-6, "batch_moments (%d, %d) %g + %g",
             (int) a->rows, (int) a->C, (double) factor, (double) offset);
    x = op_typed_in(&c, a->rows * a->C, 1);
    for (int64_t i = 0; i < a->rows * a->C; i++)
        x[i] = x[i] * factor + offset;
    (void) op_out(&c, a->C, false, 2);
    (void) op_out(&c, a->C, false, 3);
    /* the numbers themselves are rounded by 6e-8 of the offset */
    op_tolerance(&c, 3e-7 * (double) factor * (double) (factor + offset), 1e-5);
    op_check(&c, call_moments, a);
}

/* The first row is far from all others, which differ little; and all rows are the same. */
static void test_moments_of_outliers(void **state)
{
    struct args a = {.rows = 512, .C = 20};

    (void) state;
    for (int same = 0; same < 2; same++) {
        struct op_call c;
        float *x;

        /* the mean: in parts of the deviation, which is 4 */
        op_begin(&c, 1e-5, 1e-6, "batch_moments, first row 100");
        x = op_in(&c, a.rows * a.C, 1);
        for (int64_t i = 0; i < a.rows * a.C; i++)
            x[i] = i < a.C ? 100.0f : same ? 100.0f : 1e-3f * x[i];
        (void) op_out(&c, a.C, false, 2);
        (void) op_out(&c, a.C, false, 3);
        op_tolerance(&c, 0.0, 3e-5);
        op_check(&c, call_moments, &a);
    }
}

static void test_moments(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++) {
        struct args a = {.rows = shapes[i][0], .C = shapes[i][1]};

        check_moments(&a, 1.0f, 0.0f);
        check_moments(&a, 1.0f, 1000.0f); /* nothing cancels */
        check_moments(&a, 100.0f, 3.0f);
    }
}

static struct dev_batch_norm norm_of(const struct args *x, void *const *p)
{
    return (struct dev_batch_norm){.rows = x->rows,
                                   .C = x->C,
                                   .type = op_type(),
                                   .x = p[0],
                                   .gamma = p[1],
                                   .beta = p[2],
                                   .mean = p[3],
                                   .variance = p[4],
                                   .epsilon = epsilon,
                                   .residual = x->residual ? p[5] : NULL,
                                   .relu = x->relu};
}

static void call_norm(struct dev *d, void *const *p, const void *arg)
{
    struct dev_batch_norm a = norm_of(arg, p);

    d->kernels->batch_norm(d, &(struct dev_batch_norm_args){.of = a, .y = p[6]});
}

/* What both directions read. */
static void add_inputs(struct op_call *c, const struct args *a)
{
    float *variance;

    (void) op_typed_in(c, a->rows * a->C, 1);
    for (int i = 0; i < 3; i++)
        (void) op_in(c, a->C, 2 + (uint64_t) i);
    variance = op_in(c, a->C, 5);
    for (int64_t i = 0; i < a->C; i++)
        variance[i] = 0.1f + variance[i] * variance[i];
    (void) op_typed_in(c, a->rows * a->C, 6);
}

static void test_norm(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 4; bits++) {
            struct args a = {shapes[i][0], shapes[i][1], bits & 1, bits & 2, false};
            struct op_call c;

            op_begin(&c, 2e-6, 2e-6, "batch_norm (%d, %d) bits %d", (int) a.rows, (int) a.C, bits);
            add_inputs(&c, &a);
            (void) op_typed_out(&c, a.rows * a.C, false, 7);
            op_check(&c, call_norm, &a);
        }
}

enum { DY = 6, FORWARD, DX, DGAMMA, DBETA, DRESIDUAL };

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    const struct dev_kernels *k = d->kernels;
    struct dev_batch_norm a = norm_of(x, p);
    struct dev_batch_norm_grads g = {.y = p[FORWARD],
                                     .dy = p[DY],
                                     .dx = p[DX],
                                     .dgamma = p[DGAMMA],
                                     .dbeta = p[DBETA],
                                     .dresidual = x->residual ? p[DRESIDUAL] : NULL,
                                     .accumulate_x = x->accumulate,
                                     .accumulate_gamma = x->accumulate,
                                     .accumulate_beta = x->accumulate,
                                     .accumulate_residual = x->accumulate,
                                     .scratch = op_scratch(d, k->batch_norm_scratch_floats(x->rows,
                                                                                           x->C))};

    k->batch_norm_bwd(d, &(struct dev_batch_norm_bwd_args){.of = a, .g = g});
}

/* Numbers that a ReLU would decide by rounding are moved away from 0. */
static void avoid_corners(struct op_call *c, const struct args *a)
{
    float *x = c->buffers[0].initial, *y = c->buffers[FORWARD].initial;
    const float *gamma = c->buffers[1].initial, *beta = c->buffers[2].initial;
    const float *mean = c->buffers[3].initial, *variance = c->buffers[4].initial;

    for (int64_t i = 0; i < a->rows * a->C; i++) {
        int64_t k = i % a->C;
        double rate = (double) gamma[k] / sqrt((double) variance[k] + (double) epsilon);
        double z = ((double) x[i] - (double) mean[k]) * rate + (double) beta[k];

        if (fabs(z) < 1e-5)
            x[i] += 1.0f;
        y[i] = fabsf(y[i]) < 0.5f ? 0.0f : y[i]; /* any mask does */
    }
}

static void test_backward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct args a = {shapes[i][0], shapes[i][1], bits & 1, bits & 2, bits & 4};
            double sums = 3e-7 * (10.0 + (double) a.rows);
            struct op_call c;

            op_begin(&c, 1e-5, 1e-5, "batch_norm_bwd (%d, %d) bits %d", (int) a.rows, (int) a.C,
                     bits);
            add_inputs(&c, &a);
            (void) op_typed_in(&c, a.rows * a.C, 8);
            (void) op_typed_in(&c, a.rows * a.C, 9);
            avoid_corners(&c, &a);
            (void) op_typed_out(&c, a.rows * a.C, a.accumulate, 10);
            (void) op_out(&c, a.C, a.accumulate, 11);
            op_tolerance(&c, 10.0 * sums, 1e-5);
            (void) op_out(&c, a.C, a.accumulate, 12);
            op_tolerance(&c, sums, 1e-5);
            (void) op_typed_out(&c, a.rows * a.C, a.accumulate || !a.residual, 13);
            op_check(&c, call_backward, &a);
        }
}

static void call_blend(struct dev *d, void *const *p, const void *arg)
{
    const int64_t *n = arg;

    d->kernels->blend(
        d, &(struct dev_blend_args){.x = p[0], .n = *n, .keep = 0.9f, .take = 0.1f, .y = p[1]});
}

static void test_blend(void **state)
{
    static const int64_t sizes[] = {1, 15, 16, 33, 1000};

    (void) state;
    for (int i = 0; i < 5; i++) {
        struct op_call c;

        op_begin(&c, 1e-7, 1e-7, "blend %d", (int) sizes[i]);
        (void) op_in(&c, sizes[i], 1);
        (void) op_out(&c, sizes[i], true, 2);
        op_check(&c, call_blend, &sizes[i]);
    }
}

/* A ReLU does not hide what is no number. */
static void test_nan(void **state)
{
    static const float x[] = {1.0f, NAN}, one[] = {1.0f}, zero[] = {0.0f};
    static const char *const names[] = {"reference", "cpu"};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct dev *d = op_device(names[i], 1);
        struct dev_batch_norm a = {.rows = 2,
                                   .C = 1,
                                   .x = op_upload(d, x, sizeof x),
                                   .gamma = op_upload(d, one, sizeof one),
                                   .beta = op_upload(d, zero, sizeof zero),
                                   .mean = op_upload(d, zero, sizeof zero),
                                   .variance = op_upload(d, one, sizeof one),
                                   .relu = true};
        float y[2];

        d->kernels->batch_norm(d, &(struct dev_batch_norm_args){.of = a,
                                                                .y = op_result(d, y, sizeof y)});
        op_done();
        assert_true(fabsf(y[0] - 1.0f) < 1e-6f && isnan(y[1]));
    }
}

/* ---- the operator ---- */

struct graph_case {
    int rank;
    bool relu, residual, shared_residual, plain_gamma;
    bool composed; /* of separate operators */
};

static struct gr_tensor *state_of(struct op_graph *t, const char *name, int64_t C,
                                  enum gr_init init)
{
    return gr_state(t->g, name, 1, &C, init, 0.0);
}

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    struct nn_batch_norm how = {.momentum = 0.9, .epsilon = 1e-3, .relu = c->relu && !c->composed};
    int64_t dims[] = {3, 2, 3, 5};
    struct gr_tensor *x = c->rank == 2 ? op_param(t, "x", 2, 7, 5, 0)
                                       : gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0);
    struct gr_tensor *gamma =
        c->plain_gamma ? state_of(t, "gamma", 5, GR_INIT_ONES) : op_param(t, "gamma", 1, 5, 0, 0);
    struct gr_tensor *beta = op_param(t, "beta", 1, 5, 0, 0), *residual = NULL, *y;

    if (c->residual)
        residual = c->rank == 2 ? op_param(t, "residual", 2, 7, 5, 0)
                                : gr_param(t->g, "residual", 4, dims, 0, GR_INIT_ZEROS, 0.0);
    if (c->shared_residual) /* the gradient of a shortcut is added to another */
        residual = nn_add(t->g, residual, nn_relu(t->g, residual));
    y = nn_batch_norm(t->g, x, gamma, beta, state_of(t, "mean", 5, GR_INIT_ZEROS),
                      state_of(t, "variance", 5, GR_INIT_ONES), c->composed ? NULL : residual,
                      &how);
    if (c->composed && residual)
        y = nn_add(t->g, y, residual);
    if (c->composed && c->relu)
        y = nn_relu(t->g, y);
    op_sum_loss(t, y);
}

static void test_gradients(void **state)
{
    static const struct graph_case cases[] = {
        {.rank = 2},
        {.rank = 4},
        {.rank = 4, .relu = true},
        {.rank = 4, .plain_gamma = true},
        {.rank = 4, .residual = true},
        {.rank = 2, .residual = true, .relu = true},
        {.rank = 4, .residual = true, .relu = true, .shared_residual = true}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        op_check_gradient(build, &cases[i], 1e-3, 4e-3);
}

/* Loss and gradients of the fused operator are those of its parts. */
static void test_fused_is_composed(void **state)
{
    (void) state;
    for (int bits = 0; bits < 8; bits++) {
        struct graph_case fused = {.rank = bits & 4 ? 2 : 4,
                                   .relu = bits & 1,
                                   .residual = bits & 2};
        struct graph_case parts = fused;
        struct op_graph a, b;
        float *x, *y;
        double loss;

        parts.composed = true;
        op_graph_new(&a, op_device("cpu", 2), build, &fused);
        op_graph_new(&b, op_device("cpu", 2), build, &parts);
        loss = op_graph_run(&a);
        assert_true(fabs(loss - op_graph_run(&b)) < 1e-6);
        x = device_floats(a.dev, a.params.grads, a.params.n_floats);
        y = device_floats(b.dev, b.params.grads, b.params.n_floats);
        t_assert_close(x, y, (size_t) a.params.n_floats, 1e-6, 1e-6);
        free(x);
        free(y);
        op_graph_release(&a);
        op_graph_release(&b);
    }
}

/* moving = m moving + (1 - m) batch, with n / (n - 1) of the variance or without; and a graph that
 * does not train reads it. */
static void test_moving_averages(void **state)
{
    static const float values[] = {1,  10, 2,
                                   10, 6,  40}; /* (3, 2): means 3, 20; variances 14/3, 200 */
    const int64_t dims[] = {3, 2}, C = 2;

    (void) state;
    for (int population = 0; population < 2; population++) {
        struct nn_batch_norm how = {0.5, 0.0, false, population};
        struct dev *d = op_device("cpu", 1);
        struct gr_context context = {0};
        struct t2_err err = T2_ERR_INIT;
        float factor = population ? 1.0f : 1.5f;
        struct gr_params params;

        gr_params_init(&params, d);
        for (int training = 1; training >= 0; training--) {
            struct gr_graph *g = gr_new(d, &params, training);
            struct gr_tensor *x = gr_floats(g, 2, dims);
            struct gr_tensor *gamma = gr_param(g, "gamma", 1, &C, 0, GR_INIT_ONES, 0.0);
            struct gr_tensor *beta = gr_param(g, "beta", 1, &C, 0, GR_INIT_ZEROS, 0.0);
            struct gr_tensor *mean = gr_state(g, "mean", 1, &C, GR_INIT_ZEROS, 0.0);
            struct gr_tensor *variance = gr_state(g, "variance", 1, &C, GR_INIT_ONES, 0.0);
            struct gr_tensor *y = nn_batch_norm(g, x, gamma, beta, mean, variance, NULL, &how);
            float means[2], variances[2], out[6];
            void *arena;

            if (training) {
                struct gr_node *loss = gr_add_node(g, y->producer->op, 1, &y, NULL);

                assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
                assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
                assert_int_equal(gr_params_initialise(&params, "uniform", 1.0, 1, &err), T2_OK);
                g->n_nodes = 1; /* the loss was there for the plan */
            } else {
                assert_int_equal(gr_finish(g, NULL, &y, 1, &err), T2_OK);
            }
            arena = d->alloc(d, g->arena_bytes);
            gr_bind(g, arena);
            d->upload_now(d, x->value, values, sizeof values);
            gr_run_forward(g, &context);
            device_read(d, means, mean->value, 2);
            device_read(d, variances, variance->value, 2);
            t_assert_close(means, ((float[]){1.5f, 10.0f}), 2, 1e-6, 1e-6);
            t_assert_close(variances,
                           ((float[]){0.5f + 0.5f * factor * 14.0f / 3.0f, 0.5f + 100.0f * factor}),
                           2, 1e-6, 1e-6);
            if (!training) {
                const float *v = variances;

                device_read(d, out, y->value, 6);
                t_assert_close(out,
                               ((float[]){-0.5f / sqrtf(v[0]), 0.0f, 0.5f / sqrtf(v[0]), 0.0f,
                                          4.5f / sqrtf(v[0]), 30.0f / sqrtf(v[1])}),
                               6, 1e-6, 1e-6);
            }
            d->free(d, arena);
            gr_free(g);
        }
        gr_params_release(&params);
    }
}

T_MAIN(cmocka_unit_test(test_moments), cmocka_unit_test(test_moments_of_outliers),
       cmocka_unit_test(test_norm), cmocka_unit_test(test_backward), cmocka_unit_test(test_blend),
       cmocka_unit_test(test_nan), cmocka_unit_test(test_gradients),
       cmocka_unit_test(test_fused_is_composed), cmocka_unit_test(test_moving_averages))
