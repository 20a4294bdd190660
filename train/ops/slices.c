/*
 * train/ops/slices.c - positions of sequences cut out, joined and repeated.
 *
 * Rows of columns are what is copied: of (B,L,D), B rows of L D columns, of which a run of
 * positions is a run.
 */
#include "train/ops/slices.h"

#include "train/ops/cast.h"

static void copy_columns(struct gr_node *node, const void *x, int64_t x_stride, void *y,
                         int64_t y_stride, int64_t rows, int64_t cols, bool accumulate)
{
    node->dev->kernels->copy_columns(node->dev,
                                     &(struct dev_copy_columns_args){.type = node->outputs[0]->type,
                                                                     .x = x,
                                                                     .rows = rows,
                                                                     .cols = cols,
                                                                     .x_stride = x_stride,
                                                                     .accumulate = accumulate,
                                                                     .y = y,
                                                                     .y_stride = y_stride});
}

/* ---- slices ---- */

static void slice_fwd(struct gr_node *node, const struct gr_context *context)
{
    const int64_t *first = node->attributes;
    const struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];
    int64_t B = x->dims[0], cols = y->n / B;

    (void) context;
    copy_columns(node, dev_element_in(x->type, x->value, *first * x->dims[2]), x->n / B, y->value,
                 cols, B, cols, false);
}

/* What is not in the slice gets nothing from it. */
static void slice_bwd(struct gr_node *node, const struct gr_context *context)
{
    const int64_t *first = node->attributes;
    struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];
    int64_t B = x->dims[0], cols = y->n / B;

    (void) context;
    if (!node->accumulate[0])
        node->dev->zero(node->dev, x->grad, gr_bytes(x));
    copy_columns(node, y->grad, cols, dev_element(x->type, x->grad, *first * x->dims[2]), x->n / B,
                 B, cols, node->accumulate[0]);
}

static const struct gr_op slice_op = {.name = "slice_positions",
                                      .fwd = slice_fwd,
                                      .bwd = slice_bwd};

struct gr_tensor *nn_slice_positions(struct gr_graph *g, struct gr_tensor *x, int64_t first,
                                     int64_t n, int64_t pieces)
{
    int64_t *attributes = gr_alloc(g, sizeof *attributes);
    int64_t dims[] = {x->dims[0] * pieces, n / pieces, x->dims[2]};

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 3 && (!g->training || x->needs_grad));
    T2_ASSERT(first >= 0 && n > 0 && first + n <= x->dims[1] && n % pieces == 0);
    *attributes = first;
    return gr_add_output(g, gr_add_node(g, &slice_op, 1, &x, attributes), 3, dims, true);
}

/* ---- joined ---- */

static void join_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *y = node->outputs[0];
    int64_t B = y->dims[0], at = 0;

    (void) context;
    for (int i = 0; i < node->n_inputs; i++) {
        const struct gr_tensor *x = node->inputs[i];

        copy_columns(node, x->value, x->n / B, dev_element(y->type, y->value, at), y->n / B, B,
                     x->n / B, false);
        at += x->n / B;
    }
}

static void join_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *y = node->outputs[0];
    int64_t B = y->dims[0], at = 0;

    (void) context;
    for (int i = 0; i < node->n_inputs; i++) {
        struct gr_tensor *x = node->inputs[i];

        copy_columns(node, dev_element_in(y->type, y->grad, at), y->n / B, x->grad, x->n / B, B,
                     x->n / B, node->accumulate[i]);
        at += x->n / B;
    }
}

static const struct gr_op join_op = {.name = "join_positions", .fwd = join_fwd, .bwd = join_bwd};

struct gr_tensor *nn_join_positions(struct gr_graph *g, struct gr_tensor *const *x, int n,
                                    int64_t B)
{
    int64_t dims[] = {B, 0, x[0]->dims[x[0]->rank - 1]};

    for (int i = 0; i < n; i++) {
        T2_ASSERT(x[i]->dims[x[i]->rank - 1] == dims[2] && x[i]->n % (B * dims[2]) == 0);
        T2_ASSERT(x[i]->type == g->type && (!g->training || x[i]->needs_grad));
        for (int earlier = 0; earlier < i; earlier++)
            T2_ASSERT(x[i] != x[earlier]); /* one gradient is written at a time */
        dims[1] += x[i]->n / (B * dims[2]);
    }
    return gr_add_output(g, gr_add_node(g, &join_op, n, x, NULL), 3, dims, true);
}

/* ---- repeated ---- */

/* The gradient of a mean is n equal parts of it, so n times that is the row itself; and the sum of
 * the repetitions is n times their mean. */
static void scale(struct gr_node *node, const void *x, int64_t n, double by, void *y,
                  bool accumulate)
{
    node->dev->kernels->scale(node->dev, &(struct dev_scale_args){.type = node->outputs[0]->type,
                                                                  .x = x,
                                                                  .n = n,
                                                                  .scale = (float) by,
                                                                  .accumulate = accumulate,
                                                                  .y = y});
}

static void repeat_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];
    struct gr_tensor *y = node->outputs[0];

    (void) context;
    node->dev->kernels->mean_axis_bwd(node->dev,
                                      &(struct dev_mean_axis_bwd_args){.type = y->type,
                                                                       .dy = x->value,
                                                                       .B = y->dims[0],
                                                                       .L = y->dims[1],
                                                                       .D = y->dims[2],
                                                                       .accumulate = false,
                                                                       .dx = y->value});
    scale(node, y->value, y->n, (double) y->dims[1], y->value, false);
}

static void repeat_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];

    (void) context;
    if (!x->needs_grad)
        return;
    node->dev->kernels->mean_axis(node->dev, &(struct dev_mean_axis_args){.type = y->type,
                                                                          .x = y->grad,
                                                                          .B = y->dims[0],
                                                                          .L = y->dims[1],
                                                                          .D = y->dims[2],
                                                                          .y = node->scratch});
    scale(node, node->scratch, x->n, (double) y->dims[1], x->grad, node->accumulate[0]);
}

static const struct gr_op repeat_op = {.name = "repeat", .fwd = repeat_fwd, .bwd = repeat_bwd};

struct gr_tensor *nn_repeat(struct gr_graph *g, struct gr_tensor *x, int64_t n)
{
    int64_t dims[] = {x->dims[0], n, x->n / x->dims[0]};
    struct gr_node *node;

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank >= 2);
    node = gr_add_node(g, &repeat_op, 1, &x, NULL);
    node->scratch_bwd_floats = x->n;
    return gr_add_output(g, node, 3, dims, true);
}
