/*
 * tests/ops/test_linear.c - the dense layer: gradients with every option, weights used twice, and
 * the logits of inference.
 */
#include "train/ops/linear.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct graph_case {
    int rank;
    bool bias, relu;
    double dropout;
    bool twice; /* the same weights again */
};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    struct gr_tensor *x =
        c->rank == 2 ? op_param(t, "x", 2, 7, 5, 0) : op_param(t, "x", 3, 2, 3, 5);
    struct gr_tensor *w = op_param(t, "w", 2, 5, c->twice ? 5 : 4, 0);
    struct gr_tensor *bias = c->bias ? op_param(t, "bias", 1, c->twice ? 5 : 4, 0, 0) : NULL;
    struct gr_tensor *y = nn_linear(t->g, x, w, bias, c->relu, c->dropout);

    assert_int_equal(y->rank, c->rank);
    if (c->twice)
        y = nn_linear(t->g, y, w, bias, false, 0.0);
    op_sum_loss(t, y);
}

static void test_gradients(void **state)
{
    (void) state;
    for (int bits = 0; bits < 16; bits++)
        for (int r = 0; r < 3; r++) {
            struct graph_case c = {bits & 1 ? 3 : 2, bits & 2, bits & 4, 0.25 * r, bits & 8};

            if (c.relu || r == 0)
                op_check_gradient(build, &c, 1e-3, 2e-3); /* narrow: ReLU has a corner */
        }
}

/* x is used by two layers, and as weights of one: gradients add up. */
static void build_used_often(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 2, 4, 4, 0), *w = op_param(t, "w", 2, 4, 4, 0);
    struct gr_tensor *y = nn_linear(t->g, x, x, NULL, false, 0.0);

    (void) arg;
    y = nn_linear(t->g, y, x, NULL, false, 0.0);
    op_sum_loss(t, nn_linear(t->g, y, w, NULL, false, 0.0));
}

static void test_one_tensor_in_many_places(void **state)
{
    (void) state;
    op_check_gradient(build_used_often, NULL, 5e-3, 1e-3);
}

/* Logits are a product with the table's rows. */
static void test_logits(void **state)
{
    enum { ROWS = 6, K = 5, V = 7 };
    int64_t x_dims[] = {2, 3, K}, table_dims[] = {V, K};
    static float x[ROWS * K], table[V * K], expected[ROWS * V];
    const char *const names[] = {"reference", "cpu"};

    (void) state;
    t_fill(x, ROWS * K, 1);
    t_fill(table, V * K, 2);
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < V; v++)
            for (int k = 0; k < K; k++)
                expected[r * V + v] += x[r * K + k] * table[v * K + k];
    for (int i = 0; i < 2; i++) {
        struct dev *d = op_device(names[i], 1);
        struct gr_params none;
        struct gr_graph *g;
        struct gr_context context = {0};
        struct gr_tensor *logits;
        struct t2_err err = T2_ERR_INIT;
        float *values;
        void *arena;

        gr_params_init(&none, d);
        g = gr_new(d, &none, false);
        logits = nn_logits(g, gr_const(g, 3, x_dims, op_upload(d, x, sizeof x)),
                           gr_const(g, 2, table_dims, op_upload(d, table, sizeof table)));
        assert_int_equal(logits->rank, 3);
        assert_int_equal(logits->dims[2], V);
        assert_int_equal(gr_finish(g, NULL, &logits, 1, &err), T2_OK);
        arena = op_alloc(d, g->arena_bytes);
        gr_bind(g, arena);
        gr_run_forward(g, &context);
        values = device_floats(d, logits->value, ROWS * V);
        t_assert_close(values, expected, ROWS * V, 1e-6, 1e-6);
        free(values);
        op_done();
        op_free(d, arena, g->arena_bytes);
        gr_free(g);
        gr_params_release(&none);
    }
}

T_MAIN(cmocka_unit_test(test_gradients), cmocka_unit_test(test_one_tensor_in_many_places),
       cmocka_unit_test(test_logits))
