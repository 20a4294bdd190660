/*
 * train/ops/lstm.c - a recurrent layer of LSTM cells.
 *
 * The products of all positions with the input's rows of w are one gemm before the steps, so that a
 * step is the product of the state with the others, (B,H) x (H,4H), and the cell (device kernel
 * lstm_cell).  Backward goes through the steps in the other order, which gives the gradients of all
 * gates; those of w, x and bias are products over all positions at once.  A position of `gates` and
 * `previous` belongs to one step, whatever the direction, so nothing is put in another order.
 */
#include "train/ops/lstm.h"

#include "train/ops/cast.h"

enum { X, W, BIAS, LENGTHS, INITIAL, N_INPUTS };
enum { Y, STATE, GATES, PREVIOUS };

struct lstm {
    int64_t B, T, I, H;
    bool reverse;
    int64_t gemm_floats; /* of scratch; behind it what passes from step to step */
};

static const float *state_weights(const struct gr_node *node)
{
    const struct lstm *l = node->attributes;

    return (const float *) node->inputs[W]->value + l->I * 4 * l->H;
}

/* gates (B*T, 4H) = x w + bias */
static struct dev_gemm input_gemm(const struct gr_node *node)
{
    const struct lstm *l = node->attributes;

    return (struct dev_gemm){.M = l->B * l->T,
                             .N = 4 * l->H,
                             .K = l->I,
                             .type_a = node->inputs[X]->type,
                             .A = node->inputs[X]->value,
                             .lda = l->I,
                             .B = node->inputs[W]->value,
                             .ldb = 4 * l->H,
                             .C = node->outputs[GATES]->value,
                             .ldc = 4 * l->H,
                             .bias = node->inputs[BIAS]->value,
                             .scratch = node->scratch};
}

/* recurrent (B, 4H) = h w */
static struct dev_gemm step_gemm(const struct gr_node *node, float *recurrent)
{
    const struct lstm *l = node->attributes;

    return (struct dev_gemm){.M = l->B,
                             .N = 4 * l->H,
                             .K = l->H,
                             .A = node->outputs[STATE]->value,
                             .lda = l->H,
                             .B = state_weights(node),
                             .ldb = 4 * l->H,
                             .C = recurrent,
                             .ldc = 4 * l->H,
                             .scratch = node->scratch};
}

/* dh (B, H) += gates of one step w^T; dx (B*T, I) [+]= gates of all w^T */
static struct dev_gemm back_gemm(const struct gr_node *node, int64_t rows, int64_t n,
                                 const float *gates, const float *w, void *to, bool accumulate)
{
    const struct lstm *l = node->attributes;

    return (struct dev_gemm){.trans_b = true,
                             .M = rows,
                             .N = n,
                             .K = 4 * l->H,
                             .A = gates,
                             .lda = 4 * l->H,
                             .B = w,
                             .ldb = 4 * l->H,
                             .C = to,
                             .ldc = n,
                             .accumulate = accumulate,
                             .scratch = node->scratch};
}

/* dw (n, 4H) [+]= values^T gates, over all positions */
static struct dev_gemm weights_gemm(const struct gr_node *node, const void *values, int64_t n,
                                    float *to)
{
    const struct lstm *l = node->attributes;

    return (struct dev_gemm){.trans_a = true,
                             .M = n,
                             .N = 4 * l->H,
                             .K = l->B * l->T,
                             .A = values,
                             .lda = n,
                             .B = node->outputs[GATES]->value,
                             .ldb = 4 * l->H,
                             .C = to,
                             .ldc = 4 * l->H,
                             .accumulate = node->accumulate[W],
                             .scratch = node->scratch};
}

static struct dev_lstm_cell cell_of(const struct gr_node *node)
{
    const struct lstm *l = node->attributes;

    return (struct dev_lstm_cell){.B = l->B,
                                  .T = l->T,
                                  .H = l->H,
                                  .reverse = l->reverse,
                                  .lengths = node->inputs[LENGTHS]->value,
                                  .gates = node->outputs[GATES]->value,
                                  .previous = node->outputs[PREVIOUS]->value};
}

static void copy(const struct gr_node *node, const void *x, bool accumulate, void *y)
{
    const struct lstm *l = node->attributes;

    node->dev->kernels->copy(node->dev, &(struct dev_copy_args){.x = x,
                                                                .n = 2 * l->B * l->H,
                                                                .accumulate = accumulate,
                                                                .y = y});
}

static void lstm_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct lstm *l = node->attributes;
    const struct dev_kernels *k = node->dev->kernels;
    struct dev_lstm_cell cell = cell_of(node);
    float *recurrent = node->scratch + l->gemm_floats; /* (B, 4H) */
    struct dev_gemm inputs = input_gemm(node), step = step_gemm(node, recurrent);

    (void) context;
    cell.y = node->outputs[Y]->value;
    cell.state = node->outputs[STATE]->value;
    k->gemm(node->dev, &inputs);
    if (node->inputs[INITIAL])
        copy(node, node->inputs[INITIAL]->value, false, cell.state);
    for (cell.t = 0; cell.t < l->T; cell.t++) {
        cell.fresh = cell.t == 0 && !node->inputs[INITIAL];
        cell.recurrent = cell.fresh ? NULL : recurrent;
        if (!cell.fresh)
            k->gemm(node->dev, &step);
        k->lstm_cell(node->dev, &cell);
    }
}

static void lstm_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct lstm *l = node->attributes;
    const struct dev_kernels *k = node->dev->kernels;
    struct gr_tensor *x = node->inputs[X], *w = node->inputs[W], *bias = node->inputs[BIAS];
    struct gr_tensor *initial = node->inputs[INITIAL];
    struct dev_lstm_cell cell = cell_of(node);
    float *gates = cell.gates, *dw = w->grad; /* (B*T, 4H) */
    struct dev_gemm a;

    (void) context;
    cell.step_gates = node->scratch + l->gemm_floats; /* (B, 4H) */
    cell.dstate = cell.step_gates + l->B * 4 * l->H;  /* (2, B, H) */
    cell.dy = node->outputs[Y]->has_grad ? node->outputs[Y]->grad : NULL;
    if (node->outputs[STATE]->has_grad)
        copy(node, node->outputs[STATE]->grad, false, cell.dstate);
    a = back_gemm(node, l->B, l->H, cell.step_gates, state_weights(node), cell.dstate, true);
    for (cell.t = l->T - 1; cell.t >= 0; cell.t--) {
        cell.fresh = cell.t == l->T - 1 && !node->outputs[STATE]->has_grad;
        k->lstm_cell_bwd(node->dev, &cell);
        if (cell.t > 0 || initial)
            k->gemm(node->dev, &a);
    }
    if (initial && initial->needs_grad)
        copy(node, cell.dstate, node->accumulate[INITIAL], initial->grad);
    if (x->needs_grad) {
        a = back_gemm(node, l->B * l->T, l->I, gates, w->value, x->grad, node->accumulate[X]);
        k->gemm(node->dev, &a);
    }
    a = weights_gemm(node, x->value, l->I, dw);
    k->gemm(node->dev, &a);
    a = weights_gemm(node, cell.previous, l->H, dw + l->I * 4 * l->H);
    k->gemm(node->dev, &a);
    k->col_sum(node->dev, &(struct dev_col_sum_args){.x = gates,
                                                     .rows = l->B * l->T,
                                                     .cols = 4 * l->H,
                                                     .accumulate = node->accumulate[BIAS],
                                                     .out = bias->grad,
                                                     .scratch = node->scratch});
}

static const struct gr_op lstm_op = {.name = "lstm",
                                     .fwd = lstm_fwd,
                                     .bwd = lstm_bwd,
                                     .bwd_uses_inputs = 1u << X | 1u << W | 1u << LENGTHS,
                                     .bwd_uses_outputs = 1u << GATES | 1u << PREVIOUS};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void plan_scratch(const struct gr_graph *g, struct gr_node *node)
{
    const struct dev_kernels *k = g->dev->kernels;
    struct lstm *l = node->attributes;
    struct dev_gemm gemms[] = {input_gemm(node),
                               step_gemm(node, NULL),
                               back_gemm(node, l->B, l->H, NULL, NULL, NULL, true),
                               back_gemm(node, l->B * l->T, l->I, NULL, NULL, NULL, false),
                               weights_gemm(node, NULL, l->I, NULL),
                               weights_gemm(node, NULL, l->H, NULL)};

    l->gemm_floats = k->col_sum_scratch_floats(l->B * l->T, 4 * l->H);
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++)
        l->gemm_floats = larger(l->gemm_floats, k->gemm_scratch_floats(g->dev, &gemms[i]));
    l->gemm_floats = (l->gemm_floats + 15) / 16 * 16; /* what follows is aligned, too */
    node->scratch_fwd_floats = l->gemm_floats + l->B * 4 * l->H;
    node->scratch_bwd_floats = l->gemm_floats + l->B * 6 * l->H;
}

struct gr_tensor *nn_lstm(struct gr_graph *g, struct gr_tensor *x, const struct nn_lstm *how,
                          struct gr_tensor **state)
{
    struct lstm *l = gr_alloc(g, sizeof *l);
    struct gr_tensor *initial =
        how->initial ? nn_convert(g, how->initial, DEV_FLOAT32) : NULL; /* one that was joined */
    struct gr_tensor *inputs[N_INPUTS] = {x = nn_convert(g, x, DEV_FLOAT32), how->w, how->bias,
                                          how->lengths, initial};
    struct gr_node *node = gr_add_node(g, &lstm_op, N_INPUTS, inputs, l);

    T2_ASSERT(x->rank == 3 && how->w->rank == 2 && how->bias->n == how->w->dims[1]);
    *l = (struct lstm){.B = x->dims[0],
                       .T = x->dims[1],
                       .I = x->dims[2],
                       .H = how->w->dims[1] / 4,
                       .reverse = how->reverse};
    T2_ASSERT(how->w->dims[0] == l->I + l->H && how->w->dims[1] == 4 * l->H);
    T2_ASSERT(how->lengths->n == l->B && (!initial || initial->n == 2 * l->B * l->H));
    {
        const int64_t y[] = {l->B, l->T, l->H}, gates[] = {l->B, l->T, 4 * l->H};
        const int64_t ends[] = {2, l->B, l->H}, previous[] = {2, l->B, l->T, l->H};

        gr_add_output_of(g, node, DEV_FLOAT32, 3, y, true);
        *state = gr_add_output_of(g, node, DEV_FLOAT32, 3, ends, true);
        gr_add_output_of(g, node, DEV_FLOAT32, 3, gates, false);
        gr_add_output_of(g, node, DEV_FLOAT32, 4, previous, false);
    }
    plan_scratch(g, node);
    return node->outputs[Y];
}

/* ---- lengths ---- */

struct counted {
    int64_t counted, extra;
};

static void lengths_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct counted *c = node->attributes;
    const struct gr_tensor *ids = node->inputs[0];

    (void) context;
    node->dev->kernels->count_ids(node->dev,
                                  &(struct dev_count_ids_args){.ids = ids->ids,
                                                               .rows = ids->dims[0],
                                                               .cols = ids->dims[1],
                                                               .counted = c->counted,
                                                               .extra = c->extra,
                                                               .lengths = node->outputs[0]->value});
}

static const struct gr_op lengths_op = {.name = "lengths", .fwd = lengths_fwd};

struct gr_tensor *nn_lengths(struct gr_graph *g, struct gr_tensor *ids, int64_t counted,
                             int64_t extra)
{
    struct counted *c = gr_alloc(g, sizeof *c);

    T2_ASSERT(ids->rank == 2 && counted >= 0 && counted <= ids->dims[1]);
    *c = (struct counted){counted, extra};
    return gr_add_output_of(g, gr_add_node(g, &lengths_op, 1, &ids, c), DEV_FLOAT32, 1, ids->dims,
                            false);
}
