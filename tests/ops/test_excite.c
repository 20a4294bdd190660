/*
 * tests/ops/test_excite.c - channels weighted: kernels, gradients.
 */
#include "train/ops/excite.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    struct dev_excite a = *(const struct dev_excite *) arg;

    a.x = p[0];
    a.gate = p[1];
    a.type = op_type();
    a.y = p[2];
    d->kernels->excite(d, &a);
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    struct dev_excite a = *(const struct dev_excite *) arg;

    a.x = p[0];
    a.gate = p[1];
    a.type = op_type();
    a.dy = p[2];
    a.dx = p[3];
    a.dgate = p[4];
    d->kernels->excite_bwd(d, &a);
}

static void test_kernels_agree(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 4, 5}, {2, 49, 64}, {4, 9, 130}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bits = 0; bits < 4; bits++) {
            bool accumulate = bits & 1;
            struct dev_excite a = {.B = shapes[i][0],
                                   .P = shapes[i][1],
                                   .C = shapes[i][2],
                                   .slope = bits & 2 ? 0.7f : 0.0f,
                                   .accumulate_dx = accumulate,
                                   .accumulate_dgate = accumulate};
            int64_t n = a.B * a.P * a.C;
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "excite %zu slope %g", i, (double) a.slope);
            (void) op_typed_in(&c, n, 1);
            (void) op_typed_in(&c, a.B * a.C, 2);
            (void) op_typed_out(&c, n, false, 3);
            op_check(&c, call_forward, &a);
            op_begin(&c, 2e-6, 1e-6, "excite_bwd %zu slope %g accumulate %d", i, (double) a.slope,
                     accumulate);
            (void) op_typed_in(&c, n, 1);
            (void) op_typed_in(&c, a.B * a.C, 2);
            (void) op_typed_in(&c, n, 3);
            (void) op_typed_out(&c, n, accumulate, 4);
            (void) op_typed_out(&c, a.B * a.C, accumulate, 5);
            op_check(&c, call_backward, &a);
        }
}

static void build(struct op_graph *t, const void *arg)
{
    int64_t dims[] = {2, 3, 2, 4}, gates[] = {2, 4};
    struct gr_tensor *x = gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0);
    int which = *(const int *) arg;
    struct gr_tensor *gate =
        which < 2 ? gr_param(t->g, "gate", 2, gates, 0, GR_INIT_ZEROS, 0.0) : NULL;

    op_sum_loss(t, which == 0   ? nn_excite(t->g, x, gate)
                   : which == 1 ? nn_excite_hard(t->g, x, gate, 0.16667)
                   : which == 2 ? nn_add(t->g, nn_swish(t->g, x), x)
                                : nn_add(t->g, nn_hard_swish(t->g, x), x));
}

/* x s(x) at both ends and between them. */
static void build_curve(struct op_graph *t, const void *arg)
{
    static const float values[] = {-4.0f, -3.0f, -1.0f, 0.0f, 1.0f, 3.0f, 5.0f};
    int64_t dims[] = {1, 7};
    struct gr_tensor *x = op_const(t, 2, dims, values);

    op_sum_loss(t, *(const int *) arg ? nn_hard_swish(t->g, x) : nn_swish(t->g, x));
}

static void test_curves(void **state)
{
    static const double expected[2][7] = {{-0.0719448398, -0.142277620, -0.268941421, 0.0,
                                           0.731058579, 2.85772238, 4.96653575},
                                          {0.0, 0.0, -1.0 / 3, 0.0, 2.0 / 3, 3.0, 5.0}};

    (void) state;
    for (int hard = 0; hard < 2; hard++) {
        struct op_graph t;
        double sum = 0.0;

        op_graph_new(&t, op_device("cpu", 1), build_curve, &hard);
        for (int i = 0; i < 7; i++)
            sum += expected[hard][i] * (double) t.coefficients[i];
        assert_true(fabs(op_graph_run(&t) - sum) < 1e-5);
        op_graph_release(&t);
    }
}

static void test_gradients(void **state)
{
    (void) state;
    for (int which = 0; which < 4; which++)
        op_check_gradient(build, &which, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_curves),
       cmocka_unit_test(test_gradients))
