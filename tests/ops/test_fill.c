/* tests/ops/test_fill.c - zeros, positions that hold something, rows that are masked. */
#include "train/ops/fill.h"

#include <stdlib.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/slices.h"

enum { B = 2, L = 3, D = 2 };

static const int32_t ids[B * L] = {5, 0, 7, 0, 2, 0};

/* x in rows that hold something, then zeros. */
static void build(struct op_graph *t, const void *arg)
{
    int64_t dims[] = {B, 1, D};
    struct gr_tensor *parts[] = {nn_mask_rows(t->g, op_param(t, "x", 3, B, L, D),
                                              op_ids(t, B, L, ids)),
                                 nn_zeros(t->g, 3, dims)};

    (void) arg;
    op_sum_loss(t, nn_join_positions(t->g, parts, 2, B));
}

static void test_gradient(void **state)
{
    (void) state;
    op_check_gradient(build, NULL, 1e-2, 2e-3);
}

static void test_values(void **state)
{
    struct op_graph t;
    float *x, *y, *dx;

    (void) state;
    op_graph_new(&t, op_device("reference", 1), build, NULL);
    (void) op_graph_run(&t);
    x = device_floats(t.dev, t.params.values, B * L * D);
    dx = device_floats(t.dev, t.params.grads, B * L * D);
    y = device_floats(t.dev, t.result->value, B * (L + 1) * D);
    for (int b = 0; b < B; b++) {
        for (int i = 0; i < L * D; i++) {
            bool there = ids[b * L + i / D] != 0;
            float want = there ? x[b * L * D + i] : 0.0f;

            assert_true(y[b * (L + 1) * D + i] == want);
            assert_true((dx[b * L * D + i] != 0.0f) == there);
        }
        for (int i = L * D; i < (L + 1) * D; i++)
            assert_true(y[b * (L + 1) * D + i] == 0.0f);
    }
    free(x);
    free(y);
    free(dx);
    op_graph_release(&t);
}

/* Whether rows hold something: at a position (-1: in any case), or at all of them. */
static void build_filled(struct op_graph *t, const void *arg)
{
    const int *position = arg;
    struct gr_tensor *at = op_ids(t, B, L, ids), *x, *filled;

    filled = *position == L ? nn_all_filled(t->g, at) : nn_filled(t->g, at, *position);
    x = op_param(t, "x", 3, filled->n, 1, 1);
    t->result = filled;
    op_sum_loss(t, x);
    t->result = filled;
}

static void test_filled(void **state)
{
    static const struct {
        int position, n;
        float want[B * L];
    } cases[] = {{-1, B, {1, 1}},
                 {0, B, {1, 0}},
                 {1, B, {0, 1}},
                 {2, B, {1, 0}},
                 {L, B * L, {1, 0, 1, 0, 1, 0}}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct op_graph t;
        float *got;

        op_graph_new(&t, op_device("reference", 1), build_filled, &cases[i].position);
        gr_run_forward(t.g, &t.context);
        assert_int_equal(t.result->n, cases[i].n);
        got = device_floats(t.dev, t.result->value, t.result->n);
        for (int k = 0; k < cases[i].n; k++)
            assert_true(got[k] == cases[i].want[k]);
        free(got);
        op_graph_release(&t);
    }
}

T_MAIN(cmocka_unit_test(test_gradient), cmocka_unit_test(test_values),
       cmocka_unit_test(test_filled))
