/*
 * tests/ops/test_pointwise_loss.c - losses of each value: kernels, values by hand, gradients.
 */
#include "train/ops/pointwise_loss.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct args {
    enum dev_pointwise kind;
    int64_t N, D;
    bool gradient, accumulate;
};

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_pointwise_loss a = {.kind = x->kind,
                                   .N = x->N,
                                   .D = x->D,
                                   .x = p[0],
                                   .targets = p[1],
                                   .weight = 0.5f,
                                   .step = op_step(d, 0.3f, 0),
                                   .dx = x->gradient ? p[3] : NULL,
                                   .accumulate = x->accumulate,
                                   .row_stats = p[2]};

    d->kernels->pointwise_loss(d, &a);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {17, 100}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct args a = {bits & 1 ? DEV_SQUARES : DEV_SIGMOID, shapes[i][0], shapes[i][1],
                             bits & 2, bits & 4};
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "pointwise_loss %d %d bits %d", (int) a.N, (int) a.D, bits);
            (void) op_in(&c, a.N * a.D, 1);
            (void) op_in(&c, a.N * a.D, 2);
            (void) op_out(&c, 4 * a.N, false, 3);
            (void) op_out(&c, a.N * a.D, a.accumulate || !a.gradient, 4);
            op_check(&c, call, &a);
        }
}

/* Large logits do not overflow; NaN is seen. */
static void test_by_hand(void **state)
{
    static const float x[] = {0, -1000, 1000, 2, NAN, 0}, t[] = {1, 0, 1, 0, 0, 0};
    struct dev *d = op_device("cpu", 1);
    float stats[12], dx[6];
    struct dev_pointwise_loss a = {.kind = DEV_SIGMOID,
                                   .N = 3,
                                   .D = 2,
                                   .x = x,
                                   .targets = t,
                                   .weight = 1.0f,
                                   .step = op_step(d, 1.0f, 0),
                                   .dx = dx,
                                   .row_stats = stats};

    (void) state;
    d->kernels->pointwise_loss(d, &a);
    assert_true(fabs((double) stats[0] - log(2.0)) < 1e-6 && stats[1] == 0.0f);
    assert_true(fabs((double) stats[4] - 2.126928) < 1e-5 && isnan(stats[8]));
    t_assert_close(dx, ((float[]){-0.5f, 0, 0, 0.8807971f}), 4, 1e-6, 0);
    assert_true(isnan(dx[4]));
    a.kind = DEV_SQUARES;
    a.weight = 0.5f;
    d->kernels->pointwise_loss(d, &a);
    assert_true(fabs((double) stats[0] - 500000.5) < 0.1);
    assert_true(fabsf(dx[0] + 1.0f) < 1e-6f && fabsf(dx[3] - 2.0f) < 1e-6f);
}

static const float targets[] = {1, 0, 0, 1, 0.5f, 1, 0, 0, 1, 1, 0, 0.25f};

static void build(struct op_graph *t, const void *arg)
{
    const enum dev_pointwise *kind = arg;
    const int64_t dims[] = {3, 4};
    struct gr_tensor *stats;
    struct gr_node *loss = nn_pointwise_loss(t->g, *kind, op_param(t, "x", 2, 3, 4, 0),
                                             op_const(t, 2, dims, targets), 0.25, &stats);

    op_xent_loss(t, loss, stats);
}

static void test_gradients(void **state)
{
    static const enum dev_pointwise kinds[] = {DEV_SIGMOID, DEV_SQUARES};

    (void) state;
    for (int i = 0; i < 2; i++)
        op_check_gradient(build, &kinds[i], 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_gradients))
