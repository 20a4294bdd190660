/*
 * tests/unit/train/test_remat.c - which nodes run again, and when.  What that gives is in
 * test_plan.c.
 */
#include "train/graph/remat.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void nothing(struct gr_node *node, const struct gr_context *context)
{
    (void) node;
    (void) context;
}

/* Backward reads the input. */
static const struct gr_op reads = {.name = "reads",
                                   .fwd = nothing,
                                   .bwd = nothing,
                                   .bwd_uses_inputs = 1};
static const struct gr_op reads_not = {.name = "reads_not", .fwd = nothing, .bwd = nothing};

static struct gr_tensor *add(struct gr_graph *g, const struct gr_op *op, struct gr_tensor *x)
{
    return gr_add_output(g, gr_add_node(g, op, 1, &x, NULL), 1, x->dims, true);
}

/* Layer 1 is nodes 0 to 2, layer 2 nodes 3 and 4, the loss node 5.  Upper case: runs again. */
static const char *schedule(bool remat, const struct gr_op *second, char out[16])
{
    struct gr_params params;
    struct gr_graph *g;
    struct t2_err err = T2_ERR_INIT;
    int64_t n = 4;
    struct gr_tensor *x;
    struct gr_node *loss;

    gr_params_init(&params, op_device("reference", 1));
    g = gr_new(op_device("reference", 1), &params, true);
    g->remat = remat;
    x = gr_param(g, "p", 1, &n, 0, GR_INIT_ZEROS, 0.0);
    gr_layer(g, 1);
    x = add(g, &reads, add(g, second, add(g, &reads, x)));
    gr_layer(g, 2);
    x = add(g, &reads, add(g, &reads, x));
    gr_layer(g, 0);
    loss = gr_add_node(g, &reads, 1, &x, NULL);
    assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
    for (int k = 0; k < g->n_backward_steps; k++)
        out[k] =
            (char) ((g->backward_steps[k].again ? 'A' : 'a') + g->backward_steps[k].node->index);
    out[g->n_backward_steps] = '\0';
    gr_free(g);
    gr_params_release(&params);
    return out;
}

static void test_order(void **state)
{
    char out[16];

    (void) state;
    assert_string_equal(schedule(false, &reads, out), "fedcba");
    /* The last value of each layer is kept for what follows it; the others are made again. */
    assert_string_equal(schedule(true, &reads, out), "fDedABcba");
    /* A value that only a second run reads: 0 runs again for 1, which runs again for c. */
    assert_string_equal(schedule(true, &reads_not, out), "fDedABcba");
}

T_MAIN(cmocka_unit_test(test_order))
