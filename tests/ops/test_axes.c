/*
 * tests/ops/test_axes.c - values scaled, axes exchanged and averaged: kernels, gradients.
 */
#include "train/ops/axes.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct args {
    int64_t A, B, D;
    bool accumulate;
};

static void call_swap(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->swap_axes(d, &(struct dev_swap_axes_args){.type = op_type(),
                                                          .x = p[0],
                                                          .A = a->A,
                                                          .B = a->B,
                                                          .D = a->D,
                                                          .accumulate = a->accumulate,
                                                          .y = p[1]});
}

static void call_scale(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->scale(d, &(struct dev_scale_args){.type = op_type(),
                                                  .x = p[0],
                                                  .n = a->A * a->B * a->D,
                                                  .scale = -1.5f,
                                                  .accumulate = a->accumulate,
                                                  .y = p[1]});
}

static void call_unscale(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->scale(d, &(struct dev_scale_args){.type = op_type(),
                                                  .x = p[0],
                                                  .n = a->A * a->B * a->D,
                                                  .scale = 1.0f,
                                                  .unscale = op_step(d, 1.0f, 0),
                                                  .accumulate = a->accumulate,
                                                  .y = p[1]});
}

static void call_mean(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->mean_axis(d, &(struct dev_mean_axis_args){.type = op_type(),
                                                          .x = p[0],
                                                          .B = a->A,
                                                          .L = a->B,
                                                          .D = a->D,
                                                          .y = p[1]});
}

static void call_mean_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->mean_axis_bwd(d, &(struct dev_mean_axis_bwd_args){.type = op_type(),
                                                                  .dy = p[0],
                                                                  .B = a->A,
                                                                  .L = a->B,
                                                                  .D = a->D,
                                                                  .accumulate = a->accumulate,
                                                                  .dx = p[1]});
}

static void check(const char *what, op_kernel_fn call, const struct args *a, int64_t in,
                  int64_t out, bool accumulate)
{
    struct op_call c;

    op_begin(&c, 1e-6, 1e-6, "%s (%d, %d, %d) accumulate %d", what, (int) a->A, (int) a->B,
             (int) a->D, accumulate);
    (void) op_typed_in(&c, in, 1);
    (void) op_typed_out(&c, out, accumulate, 2);
    op_check(&c, call, a);
}

static void test_kernels_agree(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {4, 3, 5}, {2, 48, 8}, {7, 1, 33}, {3, 100, 16}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct args a = {shapes[i][0], shapes[i][1], shapes[i][2], accumulate};
            int64_t all = a.A * a.B * a.D;

            check("swap_axes", call_swap, &a, all, all, accumulate);
            check("scale", call_scale, &a, all, all, accumulate);
            check("scale by the step", call_unscale, &a, all, all, accumulate);
            check("mean_axis", call_mean, &a, all, a.A * a.D, false);
            check("mean_axis_bwd", call_mean_bwd, &a, a.A * a.D, all, accumulate);
        }
}

static void test_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; /* (2, 3, 2) */
    static const float swapped[] = {1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12};
    static const float mean[] = {3, 4, 9, 10};
    struct dev *d = op_device("reference", 1);
    float y[12];

    (void) state;
    d->kernels->swap_axes(d, &(struct dev_swap_axes_args){.x = op_upload(d, x, sizeof x),
                                                          .A = 2,
                                                          .B = 3,
                                                          .D = 2,
                                                          .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, swapped, 12, 0, 0);
    d->kernels->scale(d, &(struct dev_scale_args){.x = op_upload(d, x, sizeof x),
                                                  .n = 12,
                                                  .scale = 4.0f,
                                                  .unscale = op_step(d, 1.0f, 0), /* 4 */
                                                  .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, x, 12, 0, 0);
    d->kernels->mean_axis(d, &(struct dev_mean_axis_args){.x = op_upload(d, x, sizeof x),
                                                          .B = 2,
                                                          .L = 3,
                                                          .D = 2,
                                                          .y = op_result(d, y, sizeof mean)});
    op_done();
    t_assert_close(y, mean, 4, 0, 0);
}

static void build(struct op_graph *t, const void *arg)
{
    const int *which = arg;
    struct gr_tensor *x = op_param(t, "x", 3, 2, 3, 4);

    op_sum_loss(t, *which == 0   ? nn_heads_to_rows(t->g, x)
                   : *which == 1 ? nn_mean_positions(t->g, x)
                                 : nn_scale(t->g, x, 0.3));
}

static void test_gradients(void **state)
{
    (void) state;
    for (int which = 0; which < 3; which++)
        op_check_gradient(build, &which, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_gradients))
