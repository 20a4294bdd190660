/*
 * tests/ops/test_slices.c - positions cut out, joined and repeated: values by hand, gradients.
 * The kernels are those of test_image_layout.c and test_axes.c.
 */
#include "train/ops/slices.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"

/* x (2, 5, 3): from position 1 four, in two pieces; also the first two, joined behind them. */
static void build_pieces(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 3, 2, 5, 3), *parts[2];

    (void) arg;
    x = nn_reshape(t->g, x, 3, (int64_t[]){2, 5, 3});
    parts[0] = nn_slice_positions(t->g, x, 1, 4, 2); /* (4, 2, 3) */
    parts[1] = nn_slice_positions(t->g, x, 0, 2, 1); /* (2, 2, 3) */
    op_sum_loss(t, nn_join_positions(t->g, parts, 2, 2));
}

static void build_repeated(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 2, 3, 4, 0);

    (void) arg;
    x = nn_reshape(t->g, x, 2, (int64_t[]){3, 4});
    op_sum_loss(t, nn_add(t->g, nn_repeat(t->g, x, 5), nn_repeat(t->g, x, 5)));
}

static void test_gradients(void **state)
{
    (void) state;
    op_check_gradient(build_pieces, NULL, 1e-2, 1e-4);
    op_check_gradient(build_repeated, NULL, 1e-2, 1e-4);
}

static void run(struct gr_graph *g, struct gr_tensor *y, float *values)
{
    struct gr_context context = {0};
    struct t2_err err = T2_ERR_INIT;
    void *arena;

    assert_int_equal(gr_finish(g, NULL, &y, 1, &err), T2_OK);
    arena = g->dev->alloc(g->dev, g->arena_bytes);
    gr_bind(g, arena);
    gr_run_forward(g, &context);
    g->dev->download(g->dev, values, y->value, (size_t) y->n * sizeof *values);
    g->dev->free(g->dev, arena);
}

static void test_values(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8}; /* (2, 4, 1) */
    static const float joined[] = {1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7, 8};
    static const float repeated[] = {1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8};

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct dev *d = op_device(devices[i], 2);
        float *there = d->alloc(d, sizeof x), y[16];
        struct gr_params params;
        struct gr_graph *g;
        struct gr_tensor *all, *parts[2];

        gr_params_init(&params, d);
        d->upload_now(d, there, x, sizeof x);
        g = gr_new(d, &params, false);
        all = gr_const(g, 3, (int64_t[]){2, 4, 1}, there);
        parts[0] = nn_slice_positions(g, all, 0, 3, 1);
        parts[1] = nn_slice_positions(g, all, 1, 3, 3);
        run(g, nn_join_positions(g, parts, 2, 2), y);
        t_assert_close(y, joined, 12, 0, 0);
        gr_free(g);
        g = gr_new(d, &params, false);
        run(g, nn_repeat(g, gr_const(g, 2, (int64_t[]){2, 4}, there), 2), y);
        t_assert_close(y, repeated, 16, 0, 0);
        gr_free(g);
        d->free(d, there);
        gr_params_release(&params);
    }
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_gradients))
