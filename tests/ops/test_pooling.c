/*
 * tests/ops/test_pooling.c - pooling of images: kernels on every device against the reference
 * loops, values of TensorFlow's rules by hand, gradients.
 */
#include "train/ops/pooling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

/* ---- kernels ---- */

struct args {
    struct dev_pool pool;
    bool accumulate;
};

static struct dev_pool typed(const struct args *a)
{
    struct dev_pool pool = a->pool;

    pool.type = op_type();
    return pool;
}

static void call_max(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->max_pool(
        d, &(struct dev_max_pool_args){.of = typed(a), .x = p[0], .y = p[1], .argmax = p[2]});
}

static void call_max_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->max_pool_bwd(d, &(struct dev_max_pool_bwd_args){.of = typed(a),
                                                                .dy = p[0],
                                                                .argmax = p[1],
                                                                .accumulate = a->accumulate,
                                                                .dx = p[2]});
}

static void call_avg(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->avg_pool(d, &(struct dev_avg_pool_args){.of = typed(a), .x = p[0], .y = p[1]});
}

static void call_avg_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->avg_pool_bwd(d, &(struct dev_avg_pool_bwd_args){.of = typed(a),
                                                                .dy = p[0],
                                                                .accumulate = a->accumulate,
                                                                .dx = p[1]});
}

static struct args pool_of(const int64_t s[6], enum nn_padding padding)
{
    struct args a = {{.B = s[0], .H = s[1], .W = s[2], .C = s[3], .size = s[4], .stride = s[5]},
                     false};

    nn_conv2d_axis(padding, s[1], s[4], s[5], 1, &a.pool.Ho, &a.pool.top);
    nn_conv2d_axis(padding, s[2], s[4], s[5], 1, &a.pool.Wo, &a.pool.left);
    return a;
}

/* B, H, W, C, size, stride; several strips of 64 channels. */
static const int64_t shapes[][6] = {{1, 1, 1, 1, 1, 1},  {2, 5, 7, 3, 3, 2},   {1, 6, 6, 17, 2, 2},
                                    {3, 4, 3, 70, 3, 1}, {2, 9, 8, 130, 3, 2}, {1, 7, 7, 5, 2, 3},
                                    {2, 8, 8, 4, 1, 2}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void check(struct args *a)
{
    const struct dev_pool *p = &a->pool;
    int64_t n = p->B * p->H * p->W * p->C, n_out = p->B * p->Ho * p->Wo * p->C;
    struct op_call c;
    float *x, *picked;
    int32_t *argmax;
    float *y;

    /* small integers, so that there are equal ones */
    op_begin(&c, 0.0, 0.0, "max_pool %d x %d", (int) p->H, (int) p->W);
    x = op_typed_in(&c, n, 1);
    for (int64_t i = 0; i < n; i++)
        x[i] = rintf(3.0f * x[i]);
    (void) op_typed_out(&c, n_out, false, 2);
    (void) op_out(&c, n_out, true, 3); /* whole numbers: their bits are compared as floats */
    picked = op_run_on(op_device("reference", 1), &c, call_max, a);
    y = op_run_on(op_device("cpu", 2), &c, call_max, a);
    assert_memory_equal(picked, y, (size_t) (2 * n_out) * sizeof *y);
    free(y);
    op_check(&c, call_max, a);

    for (int accumulate = 0; accumulate < 2; accumulate++) {
        a->accumulate = accumulate;
        op_begin(&c, 1e-6, 1e-6, "max_pool_bwd %d x %d", (int) p->H, (int) p->W);
        (void) op_typed_in(&c, n_out, 4);
        argmax = op_in_ids(&c, n_out, 1, 0, 5);
        memcpy(argmax, picked + n_out, (size_t) n_out * sizeof *argmax);
        (void) op_typed_out(&c, n, accumulate, 6);
        op_check(&c, call_max_bwd, a);
        op_begin(&c, 1e-6, 1e-6, "avg_pool_bwd %d x %d", (int) p->H, (int) p->W);
        (void) op_typed_in(&c, n_out, 7);
        (void) op_typed_out(&c, n, accumulate, 8);
        op_check(&c, call_avg_bwd, a);
    }
    op_begin(&c, 1e-6, 1e-6, "avg_pool %d x %d", (int) p->H, (int) p->W);
    (void) op_typed_in(&c, n, 9);
    (void) op_typed_out(&c, n_out, false, 10);
    op_check(&c, call_avg, a);
    free(picked);
}

static void test_kernels_agree(void **state)
{
    static const enum nn_padding paddings[] = {NN_SAME, NN_VALID, NN_SYMMETRIC};

    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int p = 0; p < 3; p++) {
            struct args a = pool_of(shapes[i], paddings[p]);

            if (a.pool.Ho > 0 && a.pool.Wo > 0)
                check(&a);
        }
}

/* A 4 x 4 image, windows 3 x 3, stride 2. SAME pads one row and column at the end, SYMMETRIC one at
 * the beginning and one at the end. */
static void test_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const struct {
        enum nn_padding padding;
        int64_t outputs;
        float max[4], avg[4];
    } cases[] = {{NN_SAME, 2, {11, 12, 15, 16}, {6, 7.5f, 12, 13.5f}},
                 {NN_VALID, 1, {11}, {6}},
                 {NN_SYMMETRIC, 2, {6, 8, 14, 16}, {3.5f, 5, 9.5f, 11}}};
    static const char *const names[] = {"reference", "cpu"};

    (void) state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            struct dev *d = op_device(names[i], 1);
            struct args a = pool_of((int64_t[]){1, 4, 4, 1, 3, 2}, cases[k].padding);
            float y[4];

            assert_int_equal(a.pool.Ho, cases[k].outputs);
            d->kernels->max_pool(d, &(struct dev_max_pool_args){.of = a.pool,
                                                                .x = op_upload(d, x, sizeof x),
                                                                .y = op_result(d, y, sizeof y)});
            op_done();
            t_assert_close(y, cases[k].max, (size_t) (a.pool.Ho * a.pool.Wo), 0, 0);
            d->kernels->avg_pool(d, &(struct dev_avg_pool_args){.of = a.pool,
                                                                .x = op_upload(d, x, sizeof x),
                                                                .y = op_result(d, y, sizeof y)});
            op_done();
            t_assert_close(y, cases[k].avg, (size_t) (a.pool.Ho * a.pool.Wo), 1e-6, 0);
        }
}

/* Equal numbers: the first in the order of rows.  NaN wins and stays. */
static void test_first_maximum(void **state)
{
    static const float x[] = {1, 5, 5, 5}, dy[] = {2};
    static const float bad[] = {1, NAN, 7, 2};
    static const char *const names[] = {"reference", "cpu"};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct dev *d = op_device(names[i], 1);
        struct args a = pool_of((int64_t[]){1, 2, 2, 1, 2, 2}, NN_VALID);
        float y[1], dx[4], *y_there = op_result(d, y, sizeof y);
        int32_t argmax[1], *argmax_there = op_result(d, argmax, sizeof argmax);

        d->kernels->max_pool(d, &(struct dev_max_pool_args){.of = a.pool,
                                                            .x = op_upload(d, x, sizeof x),
                                                            .y = y_there,
                                                            .argmax = argmax_there});
        op_fetch();
        assert_true(y[0] == 5.0f);
        assert_int_equal(argmax[0], 1);
        d->kernels->max_pool_bwd(d,
                                 &(struct dev_max_pool_bwd_args){.of = a.pool,
                                                                 .dy = op_upload(d, dy, sizeof dy),
                                                                 .argmax = argmax_there,
                                                                 .accumulate = false,
                                                                 .dx =
                                                                     op_result(d, dx, sizeof dx)});
        op_fetch();
        t_assert_close(dx, ((float[]){0, 2, 0, 0}), 4, 0, 0);
        d->kernels->max_pool(d, &(struct dev_max_pool_args){.of = a.pool,
                                                            .x = op_upload(d, bad, sizeof bad),
                                                            .y = y_there,
                                                            .argmax = argmax_there});
        op_done();
        assert_true(isnan(y[0]));
    }
}

/* ---- operators ---- */

struct graph_case {
    int which; /* maximum, mean, mean of all */
    enum nn_padding padding;
};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    const int64_t dims[] = {2, 5, 4, 1};
    struct gr_tensor *x = gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0);

    op_sum_loss(t, c->which == 0   ? nn_max_pool(t->g, x, 3, 2, c->padding)
                   : c->which == 1 ? nn_avg_pool(t->g, x, 3, 2, c->padding)
                                   : nn_global_mean(t->g, x));
}

static void test_gradients(void **state)
{
    static const enum nn_padding paddings[] = {NN_SAME, NN_VALID, NN_SYMMETRIC};

    (void) state;
    for (int which = 0; which < 3; which++)
        for (int p = 0; p < (which == 2 ? 1 : 3); p++)
            op_check_gradient(build, &(struct graph_case){which, paddings[p]},
                              which == 0 ? 1e-3 : 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_first_maximum), cmocka_unit_test(test_gradients))
