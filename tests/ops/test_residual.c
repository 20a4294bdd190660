/*
 * tests/ops/test_residual.c - residual connections and dropout as operators: gradients, one tensor
 * in both places, that each has a mask of its own.
 */
#include "train/ops/residual.h"

#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static const int32_t row_ids[] = {1, 0, 3, 0, 0, 2};

struct graph_case {
    bool ids, same;
    double rate;
};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    struct gr_tensor *x = op_param(t, "x", 3, 2, 3, 5);
    struct gr_tensor *y = c->same ? x : op_param(t, "y", 3, 2, 3, 5);

    op_sum_loss(t, nn_residual(t->g, x, y, c->ids ? op_ids(t, 2, 3, row_ids) : NULL, c->rate));
}

static void test_gradients(void **state)
{
    (void) state;
    for (int bits = 0; bits < 2; bits++)
        for (int r = 0; r < 3; r++)
            op_check_gradient(build, &(struct graph_case){bits & 1, false, 0.25 * r}, 1e-2, 1e-4);
}

/* x + dropout(x): both ways lead to the same gradient. */
static void test_one_tensor_in_both_places(void **state)
{
    (void) state;
    for (int bits = 0; bits < 2; bits++)
        for (int r = 0; r < 2; r++)
            op_check_gradient(build, &(struct graph_case){bits & 1, true, 0.5 * r}, 1e-2, 1e-4);
}

/* A chain in which every tensor is used twice. */
static void build_chain(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 2, 4, 5, 0), *y = op_param(t, "y", 2, 4, 5, 0);
    double rate = *(const double *) arg;

    for (int i = 0; i < 3; i++) {
        struct gr_tensor *z = nn_residual(t->g, x, nn_dropout(t->g, y, rate), NULL, rate);

        y = x;
        x = z;
    }
    op_sum_loss(t, nn_residual(t->g, x, y, NULL, 0.0));
}

static void test_chain(void **state)
{
    static const double rates[] = {0.0, 0.3};

    (void) state;
    for (int i = 0; i < 2; i++)
        op_check_gradient(build_chain, &rates[i], 1e-2, 1e-4);
}

/* Without dropout there is no node at all. */
static void build_nothing(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 1, 3, 0, 0);

    (void) arg;
    assert_ptr_equal(nn_dropout(t->g, x, 0.0), x);
    op_sum_loss(t, nn_dropout(t->g, x, 0.5));
}

static void test_no_dropout_no_node(void **state)
{
    (void) state;
    op_check_gradient(build_nothing, NULL, 1e-2, 1e-4);
}

/* ---- masks ---- */

static void build_two(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 2, 8, 64, 0);
    struct gr_tensor *both =
        nn_residual(t->g, nn_dropout(t->g, x, 0.5), nn_dropout(t->g, x, 0.5), NULL, 0.0);

    (void) arg;
    op_sum_loss(t, both);
}

/* The mask as the gradient of a sum shows it, after a run with this context. */
static void masks(const struct gr_context *context, float out[8 * 64])
{
    struct op_graph t;

    op_graph_new(&t, op_device("cpu", 2), build_two, NULL);
    t.context = *context;
    for (int i = 0; i < 8 * 64; i++)
        t.coefficients[i] = 1.0f;
    (void) op_graph_run(&t);
    memcpy(out, t.params.grads, 8 * 64 * sizeof *out);
    op_graph_release(&t);
}

/* Two dropouts of one graph: an element has both (4), one (2) or none (0) in the proportions of
 * independent masks; the same context gives the same, another step or seed another. */
static void test_masks_differ(void **state)
{
    struct gr_context c = {.dropout_key = {1, 2}, .step = 7};
    static float first[8 * 64], again[8 * 64], other[8 * 64];
    int counts[3] = {0};

    (void) state;
    masks(&c, first);
    for (int i = 0; i < 8 * 64; i++) {
        assert_true(first[i] == 0.0f || first[i] == 2.0f || first[i] == 4.0f);
        counts[(int) first[i] / 2]++;
    }
    /* 128, 256, 128 of 512; standard deviations 9.8, 11.3 */
    assert_in_range(counts[0], 128 - 40, 128 + 40);
    assert_in_range(counts[1], 256 - 46, 256 + 46);
    masks(&c, again);
    assert_memory_equal(first, again, sizeof first);
    c.step = 8;
    masks(&c, other);
    assert_memory_not_equal(first, other, sizeof first);
    c.step = 7 + (UINT64_C(1) << 32);
    masks(&c, other);
    assert_memory_not_equal(first, other, sizeof first);
    c.step = 7;
    c.dropout_key[1] = 3;
    masks(&c, other);
    assert_memory_not_equal(first, other, sizeof first);
}

T_MAIN(cmocka_unit_test(test_gradients), cmocka_unit_test(test_one_tensor_in_both_places),
       cmocka_unit_test(test_chain), cmocka_unit_test(test_no_dropout_no_node),
       cmocka_unit_test(test_masks_differ))
