/*
 * tests/ops/test_tanh.c - the hyperbolic tangent: kernels on every device against the reference,
 * gradients.
 */
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"

enum { N = 10000 };

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    (void) arg;
    d->kernels->tanh(d, &(struct dev_tanh_args){.x = p[0], .n = N, .y = p[1]});
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    d->kernels->tanh_bwd(d, &(struct dev_tanh_bwd_args){.y = p[0],
                                                        .dy = p[1],
                                                        .n = N,
                                                        .accumulate = *(const bool *) arg,
                                                        .dx = p[2]});
}

/* Values from -20 to 20, beyond which nothing but +-1 is left. */
static void test_kernels(void **state)
{
    struct op_call c;
    float *x;

    (void) state;
    op_begin(&c, 1e-6, 1e-6, "tanh");
    x = op_in(&c, N, 1);
    for (int i = 0; i < N; i++)
        x[i] *= 20.0f;
    (void) op_out(&c, N, false, 2);
    op_check(&c, call_forward, NULL);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        op_begin(&c, 1e-6, 1e-6, "tanh_bwd accumulate %d", accumulate);
        (void) op_in(&c, N, 1);
        (void) op_in(&c, N, 2);
        (void) op_out(&c, N, accumulate, 3);
        op_check(&c, call_backward, &(bool){accumulate});
    }
}

static void build(struct op_graph *t, const void *arg)
{
    (void) arg;
    op_sum_loss(t, nn_tanh(t->g, op_param(t, "x", 2, 3, 4, 0)));
}

static void test_gradient(void **state)
{
    (void) state;
    op_check_gradient(build, NULL, 1e-3, 2e-3);
}

T_MAIN(cmocka_unit_test(test_kernels), cmocka_unit_test(test_gradient))
