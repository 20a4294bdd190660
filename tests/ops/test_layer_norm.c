/*
 * tests/ops/test_layer_norm.c - layer normalisation, alone and of the sum of a residual connection:
 * kernels on every device against the reference loops, the operator's gradients, and that both
 * operators in one pass have the bits of two.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include "train/ops/layer_norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/cast.h"
#include "train/ops/elementwise.h"
#include "train/ops/residual.h"

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

/* ---- of a sum ---- */

struct sum_args {
    int64_t rows, D, shared_rows;
    double rate;
    bool ids;
    bool dout, dx, dy;  /* there, asked for */
    bool accumulate[2]; /* dx, dy */
    int32_t first_row;  /* of a batch, as a rank sees it; its rows have one row each */
};

static struct dev_dropout sum_dropout(struct dev *d, const struct sum_args *a)
{
    struct dev_dropout drop = op_dropout(d, a->rate, 31);

    if (a->first_row > 0) {
        drop.step =
            op_step_of(d, &(struct dev_step){.dropout_key = {3, 4}, .first_row = a->first_row});
        drop.row_numbers = a->D;
    }
    drop.shared_rows = a->shared_rows;
    drop.shared_cols = a->shared_rows > 0 ? a->D : 0;
    return drop;
}

static void call_sum_forward(struct dev *d, void *const *p, const void *arg)
{
    const struct sum_args *a = arg;

    d->kernels->layer_norm(d, &(struct dev_layer_norm_args){.type = op_type(),
                                                            .of_sum = true,
                                                            .sum = {.type = op_type(),
                                                                    .x = p[0],
                                                                    .y = p[1],
                                                                    .row_ids = a->ids ? p[2] : NULL,
                                                                    .rows = a->rows,
                                                                    .cols = a->D,
                                                                    .dropout = sum_dropout(d, a),
                                                                    .out = p[5]},
                                                            .x = p[5],
                                                            .scale = p[3],
                                                            .bias = p[4],
                                                            .rows = a->rows,
                                                            .D = a->D,
                                                            .eps = epsilon,
                                                            .y = p[6],
                                                            .stats = p[7]});
}

static void call_sum_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct sum_args *a = arg;
    const struct dev_kernels *k = d->kernels;
    float *scratch = op_scratch(d, k->layer_norm_scratch_floats(a->rows, a->D));

    k->layer_norm_bwd(d, &(struct dev_layer_norm_bwd_args){.type = op_type(),
                                                           .of_sum = true,
                                                           .sum = {.type = op_type(),
                                                                   .dout = a->dout ? p[5] : NULL,
                                                                   .row_ids = a->ids ? p[4] : NULL,
                                                                   .rows = a->rows,
                                                                   .cols = a->D,
                                                                   .dropout = sum_dropout(d, a),
                                                                   .accumulate = a->accumulate[1],
                                                                   .dy = a->dy ? p[7] : NULL},
                                                           .x = p[0],
                                                           .scale = p[1],
                                                           .stats = p[2],
                                                           .dy = p[3],
                                                           .rows = a->rows,
                                                           .D = a->D,
                                                           .dx = a->dx ? p[6] : NULL,
                                                           .accumulate_x = a->accumulate[0],
                                                           .dscale = p[8],
                                                           .dbias = p[9],
                                                           .scratch = scratch});
}

/* Sums of such numbers, one of them times 2, are exact in every type: what is normalised is the
 * same bits on all devices. */
static void sixteenths(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = rintf(x[i] * 16.0f) / 16.0f;
}

/* Rows of y whose id is 0 are not read. */
static void hide_rows(float *y, const int32_t *ids, int64_t rows, int64_t D)
{
    for (int64_t i = 0; i < rows * D; i++)
        if (ids[i / D] == 0)
            y[i] = NAN;
}

static void check_sum_forward(const struct sum_args *a)
{
    int64_t n = a->rows * a->D;
    const int32_t *ids;
    struct op_call c;
    float *x, *y;

    op_begin(&c, 6e-6, 1e-5, "layer_norm of a sum (%d, %d) rate %g ids %d shared %d first row %d",
             (int) a->rows, (int) a->D, a->rate, a->ids, (int) a->shared_rows, (int) a->first_row);
    x = op_typed_in(&c, n, 1);
    y = op_typed_in(&c, n, 2);
    sixteenths(x, n);
    sixteenths(y, n);
    ids = op_in_ids(&c, a->rows, 9, 3, 3);
    if (a->ids)
        hide_rows(y, ids, a->rows, a->D);
    (void) op_in(&c, a->D, 4);
    (void) op_in(&c, a->D, 5);
    (void) op_typed_out(&c, n, false, 6);
    op_tolerance(&c, 0.0, 0.0);
    (void) op_typed_out(&c, n, false, 7);
    (void) op_out(&c, 2 * a->rows, false, 8);
    op_check(&c, call_sum_forward, a);
}

/* What is added to is float32: in 16 bits a sum may be rounded to another neighbour before it is
 * added to what nearly cancels it. */
static void check_sum_backward(const struct sum_args *a)
{
    bool typed = !a->accumulate[0] && !a->accumulate[1];
    float *(*in)(struct op_call *, int64_t, uint64_t) = typed ? op_typed_in : op_in;
    float *(*out)(struct op_call *, int64_t, bool, uint64_t) = typed ? op_typed_out : op_out;
    int64_t n = a->rows * a->D;
    struct op_call c;
    float *stats;

    op_begin(&c, 8e-6, 1e-5,
             "layer_norm_bwd of a sum (%d, %d) rate %g ids %d dout %d dx %d %d dy %d %d",
             (int) a->rows, (int) a->D, a->rate, a->ids, a->dout, a->dx, a->accumulate[0], a->dy,
             a->accumulate[1]);
    (void) in(&c, n, 1);
    (void) op_in(&c, a->D, 2);
    stats = op_in(&c, 2 * a->rows, 3);
    for (int64_t r = 0; r < a->rows; r++)
        stats[2 * r + 1] = 1.5f + stats[2 * r + 1];
    (void) in(&c, n, 4);
    (void) op_in_ids(&c, a->rows, 9, 3, 5);
    (void) in(&c, n, 6);
    if (a->dx)
        (void) out(&c, n, a->accumulate[0], 7);
    else
        (void) op_in(&c, 1, 7);
    if (a->dy)
        (void) out(&c, n, a->accumulate[1], 8);
    else
        (void) op_in(&c, 1, 8);
    (void) op_out(&c, a->D, false, 9);
    op_tolerance(&c, 3e-7 * (double) (10 + a->rows), 1e-5);
    (void) op_out(&c, a->D, false, 10);
    op_tolerance(&c, 3e-7 * (double) (10 + a->rows), 1e-5);
    op_check(&c, call_sum_backward, a);
}

/* Rows that begin with a group of the mask (128), in one, and with none; of a rank's rows, too. */
static const int64_t sum_shapes[][2] = {{3, 5},   {66, 17},  {65, 64}, {20, 128},
                                        {7, 200}, {3, 1100}, {2, 2048}};

enum { N_SUM_SHAPES = sizeof sum_shapes / sizeof *sum_shapes };

static void test_sum_forward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SUM_SHAPES; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct sum_args a = {.rows = sum_shapes[i][0],
                                 .D = sum_shapes[i][1],
                                 .rate = bits & 1 ? 0.5 : 0.0,
                                 .ids = bits & 2,
                                 .first_row = bits & 4 ? 3 : 0};

            check_sum_forward(&a);
        }
    check_sum_forward(&(struct sum_args){.rows = 12, .D = 130, .shared_rows = 4, .rate = 0.5});
}

static void test_sum_backward(void **state)
{
    (void) state;
    for (int i = 0; i < N_SUM_SHAPES; i++)
        for (int bits = 0; bits < 32; bits++) {
            struct sum_args a = {.rows = sum_shapes[i][0],
                                 .D = sum_shapes[i][1],
                                 .rate = bits & 1 ? 0.5 : 0.0,
                                 .ids = bits & 2,
                                 .dout = bits & 4,
                                 .dx = true,
                                 .dy = true,
                                 .accumulate = {bits & 8, bits & 16}};

            check_sum_backward(&a);
        }
    for (int bits = 0; bits < 4; bits++)
        check_sum_backward(
            &(struct sum_args){.rows = 5, .D = 128, .rate = 0.5, .dx = bits & 1, .dy = bits & 2});
    check_sum_backward(&(
        struct sum_args){.rows = 6, .D = 256, .rate = 0.5, .first_row = 2, .dx = true, .dy = true});
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

/* Sub-layers as in a Transformer.  apart: another node comes between a sum and its norm. */
struct layers_case {
    bool apart, ids, post; /* post: nothing but the norm reads the sum */
    double rate;
};

static void build_layers(struct op_graph *t, const void *arg)
{
    static const int32_t row_ids[] = {1, 0, 3, 0, 4, 2};
    const struct layers_case *c = arg;
    struct gr_tensor *x = op_param(t, "x", 3, 2, 3, 70), *y = op_param(t, "y", 3, 2, 3, 70);
    struct gr_tensor *scale = op_param(t, "scale", 1, 70, 0, 0);
    struct gr_tensor *ids = c->ids ? op_ids(t, 2, 3, row_ids) : NULL;
    int joined = 0;

    for (int i = 0; i < 3; i++) {
        struct gr_tensor *bias = op_param(t, i == 1 ? "bias_1" : "bias", 1, 70, 0, 0);
        struct gr_tensor *sum = nn_residual(t->g, x, y, ids, c->rate);

        if (c->apart)
            (void) nn_relu(t->g, y);
        y = nn_layer_norm(t->g, sum, scale, bias, 1e-3);
        x = c->post ? y : sum;
    }
    op_sum_loss(t, nn_convert(t->g, nn_residual(t->g, x, y, NULL, 0.0), DEV_FLOAT32));
    for (int i = 0; i < t->g->n_nodes; i++)
        joined += strcmp(t->g->nodes[i]->op->name, "residual_layer_norm") == 0;
    assert_int_equal(joined, c->apart ? 0 : 3);
}

/* One node has the bits of two, of 16 bits, too: what lies between is rounded in both. */
static void check_bits(const char *device, int num_threads, enum dev_type type,
                       const struct layers_case *c)
{
    struct dev *d = op_device(device, num_threads);
    struct layers_case apart = *c;
    struct op_graph one, two;

    apart.apart = true;
    d->precision = type;
    op_graph_new(&one, d, build_layers, c);
    op_graph_new(&two, d, build_layers, &apart);
    d->precision = DEV_FLOAT32;
    assert_true(op_graph_run(&one) == op_graph_run(&two));
    device_assert_same(d, one.params.grads, d, two.params.grads, one.params.n_floats);
    op_graph_release(&one);
    op_graph_release(&two);
}

static void test_bits_of_a_sum(void **state)
{
    static const enum dev_type types[] = {DEV_FLOAT32, DEV_BFLOAT16, DEV_FLOAT16};

    (void) state;
    for (int bits = 0; bits < 8; bits++)
        for (int i = 0; i < 3; i++) {
            struct layers_case c = {.ids = bits & 1,
                                    .post = bits & 2,
                                    .rate = bits & 4 ? 0.3 : 0.0};

            check_bits("reference", 1, types[i], &c);
            check_bits("cpu", 1, types[i], &c);
            check_bits("cpu", 3, types[i], &c);
        }
}

static void test_gradients_of_a_sum(void **state)
{
    (void) state;
    for (int bits = 0; bits < 4; bits++)
        op_check_gradient(build_layers,
                          &(struct layers_case){.ids = bits & 1, .post = bits & 2, .rate = 0.25},
                          3e-3, 1e-3);
}

/* With remat a layer's norm is not made with the sum of the layer before. */
static void build_two_layers(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = op_param(t, "x", 2, 4, 6, 0), *scale = op_param(t, "scale", 1, 6, 0, 0);

    t->g->remat = *(const bool *) arg;
    for (int layer = 1; layer < 3; layer++) {
        gr_layer(t->g, layer);
        x = nn_residual(t->g, x, nn_layer_norm(t->g, x, scale, scale, 1e-3), NULL, 0.1);
    }
    gr_layer(t->g, 0);
    op_sum_loss(t, nn_layer_norm(t->g, x, scale, scale, 1e-3));
}

static void test_layers_stay_apart(void **state)
{
    (void) state;
    for (int remat = 0; remat < 2; remat++) {
        struct op_graph t;

        op_graph_new(&t, op_device("cpu", 1), build_two_layers, &(bool){remat});
        assert_int_equal(t.g->n_nodes, remat ? 6 : 4);
        (void) op_graph_run(&t);
        op_graph_release(&t);
        op_check_gradient(build_two_layers, &(bool){remat}, 3e-3, 1e-3);
    }
}

T_MAIN(cmocka_unit_test(test_forward), cmocka_unit_test(test_equal_numbers),
       cmocka_unit_test(test_backward), cmocka_unit_test(test_sum_forward),
       cmocka_unit_test(test_sum_backward), cmocka_unit_test(test_gradients),
       cmocka_unit_test(test_bits_of_a_sum), cmocka_unit_test(test_gradients_of_a_sum),
       cmocka_unit_test(test_layers_stay_apart))
