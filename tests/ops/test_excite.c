/*
 * tests/ops/test_excite.c - channels weighted: kernels, gradients.
 */
#include "train/ops/excite.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

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
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct dev_excite a = {.B = shapes[i][0],
                                   .P = shapes[i][1],
                                   .C = shapes[i][2],
                                   .accumulate_dx = accumulate,
                                   .accumulate_dgate = accumulate};
            int64_t n = a.B * a.P * a.C;
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "excite %zu", i);
            (void) op_typed_in(&c, n, 1);
            (void) op_typed_in(&c, a.B * a.C, 2);
            (void) op_typed_out(&c, n, false, 3);
            op_check(&c, call_forward, &a);
            op_begin(&c, 2e-6, 1e-6, "excite_bwd %zu accumulate %d", i, accumulate);
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
    int64_t x[] = {2, 3, 2, 4}, gate[] = {2, 4};

    (void) arg;
    op_sum_loss(t, nn_excite(t->g, gr_param(t->g, "x", 4, x, 0, GR_INIT_ZEROS, 0.0),
                             gr_param(t->g, "gate", 2, gate, 0, GR_INIT_ZEROS, 0.0)));
}

static void test_gradients(void **state)
{
    (void) state;
    op_check_gradient(build, NULL, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_gradients))
