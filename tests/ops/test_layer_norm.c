/*
 * tests/ops/test_layer_norm.c - layer normalisation: kernels on every device against the reference
 * loops, and the operator's gradients.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/layer_norm.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct args {
    int64_t rows, D;
    bool accumulate[3]; /* x, scale, bias */
};

static const float epsilon = 1e-6f;

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;

    d->kernels->layer_norm(d, &(struct dev_layer_norm_args){.type = op_type(),
                                                            .x = p[0],
                                                            .scale = p[1],
                                                            .bias = p[2],
                                                            .rows = a->rows,
                                                            .D = a->D,
                                                            .eps = epsilon,
                                                            .y = p[3],
                                                            .stats = p[4]});
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    const struct dev_kernels *k = d->kernels;
    float *scratch = op_scratch(d, k->layer_norm_scratch_floats(a->rows, a->D));

    k->layer_norm_bwd(d, &(struct dev_layer_norm_bwd_args){.type = op_type(),
                                                           .x = p[0],
                                                           .scale = p[1],
                                                           .stats = p[2],
                                                           .dy = p[3],
                                                           .rows = a->rows,
                                                           .D = a->D,
                                                           .dx = p[4],
                                                           .accumulate_x = a->accumulate[0],
                                                           .dscale = p[5],
                                                           .accumulate_scale = a->accumulate[1],
                                                           .dbias = p[6],
                                                           .accumulate_bias = a->accumulate[2],
                                                           .scratch = scratch});
}

static const int64_t shapes[][2] = {{1, 2},   {3, 5},   {5, 15},   {7, 16},   {63, 17},
                                    {64, 33}, {65, 48}, {129, 20}, {200, 70}, {2, 1000}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void check_forward(const struct args *a, float factor, float offset)
{
    struct op_call c;
    float *x;

    op_begin(&c, 2e-6, 4e-6, "layer_norm (%d, %d) factor %g offset %g", (int) a->rows, (int) a->D,
             (double) factor, (double) offset);
    x = op_typed_in(&c, a->rows * a->D, 1);
    for (int64_t i = 0; i < a->rows * a->D; i++)
        x[i] = x[i] * factor + offset;
    (void) op_in(&c, a->D, 2);
    (void) op_in(&c, a->D, 3);
    (void) op_typed_out(&c, a->rows * a->D, false, 4);
    /* an offset is rounded with the mean, and a row loses what it had in common */
    op_tolerance(&c, 3e-6 * (1.0 + (double) (offset / factor)), 4e-6);
    (void) op_out(&c, 2 * a->rows, false, 5);
    op_tolerance(&c, 1e-6 * (double) (factor + offset), 4e-6 * (1.0 + (double) (offset / factor)));
    op_check(&c, call_forward, a);
}

static void test_forward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++) {
        struct args a = {.rows = shapes[i][0], .D = shapes[i][1]};

        check_forward(&a, 1.0f, 0.0f);
        if (a.D > 2) { /* of two numbers the difference can be tiny */
            check_forward(&a, 1000.0f, 0.0f);
            check_forward(&a, 1.0f, 30.0f);
        }
    }
}

/* A row of equal numbers has variance 0: the bias remains, nothing overflows. */
static void test_equal_numbers(void **state)
{
    struct args a = {.rows = 3, .D = 19};
    struct op_call c;
    float *x;

    (void) state;
    op_begin(&c, 1e-6, 1e-6, "layer_norm of equal numbers");
    x = op_in(&c, a.rows * a.D, 1);
    for (int64_t i = 0; i < a.rows * a.D; i++)
        x[i] = (float) (i / a.D); /* sums of small integers are exact */
    (void) op_in(&c, a.D, 2);
    (void) op_in(&c, a.D, 3);
    (void) op_out(&c, a.rows * a.D, false, 4);
    op_tolerance(&c, 2e-4, 1e-6); /* mean off by an ulp, times 1 / sqrt(epsilon) */
    (void) op_out(&c, 2 * a.rows, false, 5);
    op_check(&c, call_forward, &a);
}

static void test_backward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct args a = {shapes[i][0], shapes[i][1], {bits & 1, bits & 2, bits & 4}};
            struct op_call c;
            float *stats;

            op_begin(&c, 3e-6, 1e-5, "layer_norm_bwd (%d, %d) accumulate %d", (int) a.rows,
                     (int) a.D, bits);
            (void) op_typed_in(&c, a.rows * a.D, 1);
            (void) op_in(&c, a.D, 2);
            stats = op_in(&c, 2 * a.rows, 3);
            for (int64_t r = 0; r < a.rows; r++)
                stats[2 * r + 1] = 1.5f + stats[2 * r + 1]; /* any statistics do */
            (void) op_typed_in(&c, a.rows * a.D, 4);
            (void) op_typed_out(&c, a.rows * a.D, bits & 1, 5);
            (void) op_out(&c, a.D, bits & 2, 6);
            op_tolerance(&c, 3e-7 * (double) (10 + a.rows), 1e-5);
            (void) op_out(&c, a.D, bits & 4, 7);
            op_tolerance(&c, 3e-7 * (double) (10 + a.rows), 1e-5);
            op_check(&c, call_backward, &a);
        }
}

/* ---- gradients ---- */

struct graph_case {
    int rank;
    bool same; /* one parameter is scale and bias */
};

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_case *c = arg;
    struct gr_tensor *x =
        c->rank == 2 ? op_param(t, "x", 2, 7, 5, 0) : op_param(t, "x", 3, 2, 3, 9);
    int64_t D = x->dims[c->rank - 1];
    struct gr_tensor *scale = op_param(t, "scale", 1, D, 0, 0);
    struct gr_tensor *bias = c->same ? scale : op_param(t, "bias", 1, D, 0, 0);

    op_sum_loss(t, nn_layer_norm(t->g, x, scale, bias, 1e-3));
}

static void test_gradients(void **state)
{
    static const struct graph_case cases[] = {{2, false}, {3, false}, {2, true}};

    (void) state;
    for (int i = 0; i < 3; i++)
        op_check_gradient(build, &cases[i], 3e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_forward), cmocka_unit_test(test_equal_numbers),
       cmocka_unit_test(test_backward), cmocka_unit_test(test_gradients))
