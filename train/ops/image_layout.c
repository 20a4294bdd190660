/*
 * train/ops/image_layout.c - channels of several images joined, images moved.
 */
#include "train/ops/image_layout.h"

#include "train/ops/cast.h"

static int64_t channels(const struct gr_tensor *x)
{
    return x->dims[x->rank - 1];
}

static void concat_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *y = node->outputs[0];
    int64_t at = 0;

    (void) context;
    for (int i = 0; i < node->n_inputs; i++) {
        const struct gr_tensor *x = node->inputs[i];

        node->dev->kernels->copy_columns(
            node->dev, &(struct dev_copy_columns_args){.type = node->outputs[0]->type,
                                                       .x = x->value,
                                                       .rows = x->n / channels(x),
                                                       .cols = channels(x),
                                                       .x_stride = channels(x),
                                                       .accumulate = false,
                                                       .y = dev_element(y->type, y->value, at),
                                                       .y_stride = channels(y)});
        at += channels(x);
    }
}

static void concat_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *y = node->outputs[0];
    int64_t at = 0;

    (void) context;
    for (int i = 0; i < node->n_inputs; i++) {
        struct gr_tensor *x = node->inputs[i];

        if (!x->needs_grad) {
            at += channels(x);
            continue;
        }
        node->dev->kernels->copy_columns(
            node->dev, &(struct dev_copy_columns_args){.type = node->outputs[0]->type,
                                                       .x = dev_element_in(y->type, y->grad, at),
                                                       .rows = x->n / channels(x),
                                                       .cols = channels(x),
                                                       .x_stride = channels(y),
                                                       .accumulate = node->accumulate[i],
                                                       .y = x->grad,
                                                       .y_stride = channels(x)});
        at += channels(x);
    }
}

static const struct gr_op concat_op = {.name = "concat_channels",
                                       .fwd = concat_fwd,
                                       .bwd = concat_bwd,
                                       .skips_gradients = true};

struct gr_tensor *nn_concat_channels(struct gr_graph *g, struct gr_tensor *const *x, int n)
{
    int64_t dims[] = {x[0]->dims[0], x[0]->dims[1], x[0]->dims[2], 0};

    for (int i = 0; i < n; i++) {
        T2_ASSERT(x[i]->rank == 4 && x[i]->n / channels(x[i]) == x[0]->n / channels(x[0]));
        T2_ASSERT(x[i]->type == g->type);
        for (int earlier = 0; earlier < i; earlier++)
            T2_ASSERT(x[i] != x[earlier]); /* one gradient is written at a time */
        dims[3] += channels(x[i]);
    }
    return gr_add_output(g, gr_add_node(g, &concat_op, n, x, NULL), 4, dims, true);
}

struct shift {
    int64_t rows, columns;
};

static void shift_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct shift *s = node->attributes;
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->shift_pixels(
        node->dev,
        &(struct dev_shift_pixels_args){.type = node->outputs[0]->type,
                                        .x = x->value,
                                        .dims = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]},
                                        .rows = s->rows,
                                        .columns = s->columns,
                                        .accumulate = false,
                                        .y = node->outputs[0]->value});
}

static void shift_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct shift *s = node->attributes;
    struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->shift_pixels(
        node->dev,
        &(struct dev_shift_pixels_args){.type = node->outputs[0]->type,
                                        .x = node->outputs[0]->grad,
                                        .dims = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]},
                                        .rows = -s->rows,
                                        .columns = -s->columns,
                                        .accumulate = node->accumulate[0],
                                        .y = x->grad});
}

static const struct gr_op shift_op = {.name = "shift_pixels", .fwd = shift_fwd, .bwd = shift_bwd};

struct gr_tensor *nn_shift_pixels(struct gr_graph *g, struct gr_tensor *x, int64_t rows,
                                  int64_t columns)
{
    struct shift *s = gr_alloc(g, sizeof *s);

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 4 && (!g->training || x->needs_grad));
    *s = (struct shift){rows, columns};
    return gr_add_output(g, gr_add_node(g, &shift_op, 1, &x, s), 4, x->dims, true);
}

static void mirror_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->mirror_pixels(
        node->dev,
        &(struct dev_mirror_pixels_args){.type = node->outputs[0]->type,
                                         .x = x->value,
                                         .dims = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]},
                                         .y = node->outputs[0]->value});
}

static const struct gr_op mirror_op = {.name = "mirror_pixels", .fwd = mirror_fwd};

struct gr_tensor *nn_mirror_pixels(struct gr_graph *g, struct gr_tensor *x)
{
    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 4 && !g->training);
    return gr_add_output(g, gr_add_node(g, &mirror_op, 1, &x, NULL), 4, x->dims, false);
}
