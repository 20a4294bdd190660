/*
 * train/ops/recall.c - see the header.
 *
 * A row of a batch is one row of a matrix: memory (B, M D), x (B, C D), y (B, (M + C) D); the parts
 * are its columns.
 */
#include "train/ops/recall.h"

#include "train/ops/cast.h"

enum { MEMORY, X, STATE, N_INPUTS };

struct recall {
    int64_t rows, memory_cols, x_cols;
    bool training;
};

static void copy(struct dev *d, enum dev_type type, const void *x, int64_t x_stride, void *y,
                 int64_t y_stride, int64_t rows, int64_t cols, bool accumulate)
{
    d->kernels->copy_columns(d, &(struct dev_copy_columns_args){.type = type,
                                                                .x = x,
                                                                .rows = rows,
                                                                .cols = cols,
                                                                .x_stride = x_stride,
                                                                .accumulate = accumulate,
                                                                .y = y,
                                                                .y_stride = y_stride});
}

static void *at(void *values, enum dev_type type, int64_t n)
{
    return (char *) values + (size_t) n * dev_type_bytes(type);
}

static void recall_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct recall *r = node->attributes;
    const struct gr_tensor *state = node->inputs[STATE], *y = node->outputs[0];
    int64_t width = r->memory_cols + r->x_cols;
    struct dev *d = node->dev;

    (void) context;
    copy(d, y->type, node->inputs[MEMORY]->value, r->memory_cols, y->value, width, r->rows,
         r->memory_cols, false);
    copy(d, y->type, node->inputs[X]->value, r->x_cols, at(y->value, y->type, r->memory_cols),
         width, r->rows, r->x_cols, false);
    if (r->training && !node->update_states)
        return;
    if (y->type == state->type) {
        copy(d, y->type, at(y->value, y->type, r->x_cols), width, state->value, r->memory_cols,
             r->rows, r->memory_cols, false);
        return;
    }
    for (int64_t b = 0; b < r->rows; b++)
        d->kernels->convert(
            d, &(struct dev_convert_args){.type_x = y->type,
                                          .type_y = state->type,
                                          .x = at(y->value, y->type, b * width + r->x_cols),
                                          .n = r->memory_cols,
                                          .y = at(state->value, state->type, b * r->memory_cols)});
}

static void recall_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct recall *r = node->attributes;
    const struct gr_tensor *x = node->inputs[X], *y = node->outputs[0];

    (void) context;
    if (x->needs_grad)
        copy(node->dev, y->type, at(y->grad, y->type, r->memory_cols), r->memory_cols + r->x_cols,
             x->grad, r->x_cols, r->rows, r->x_cols, node->accumulate[X]);
}

static const struct gr_op recall_op = {.name = "recall",
                                       .fwd = recall_fwd,
                                       .bwd = recall_bwd,
                                       .runs_once = true};

struct gr_tensor *nn_recall(struct gr_graph *g, struct gr_tensor *memory, struct gr_tensor *x)
{
    struct recall *r = gr_alloc(g, sizeof *r);
    int64_t D = x->dims[2], dims[] = {x->dims[0], memory->dims[1] + x->dims[1], D};
    struct gr_tensor *inputs[N_INPUTS] = {nn_convert(g, memory, g->type), nn_convert(g, x, g->type),
                                          memory};

    T2_ASSERT(memory->kind == GR_STATE && memory->rank == 3 && x->rank == 3);
    T2_ASSERT(memory->dims[0] >= x->dims[0] && memory->dims[2] == D);
    *r = (struct recall){x->dims[0], memory->dims[1] * D, x->dims[1] * D, g->training};
    return gr_add_output(g, gr_add_node(g, &recall_op, N_INPUTS, inputs, r), 3, dims, true);
}
