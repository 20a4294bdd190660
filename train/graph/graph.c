/*
 * train/graph/graph.c - building and replaying graphs.
 *
 * A graph's life: gr_new; model code adds tensors and nodes in the order in which they run;
 * gr_finish derives the backward pass (derive_backward, remat.c) and the memory plan (plan.c);
 * gr_bind turns the plan's offsets into pointers; gr_run_forward and gr_run_backward run the nodes,
 * any number of times, without allocating.
 */
#include "train/graph/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "train/device/dropout_bits.h"
#include "train/graph/late_values.h"
#include "train/graph/layouts.h"
#include "train/graph/plan.h"
#include "train/graph/profile.h"
#include "train/graph/remat.h"
#include "train/graph/watch.h"

/* The step block lies before the tensors of the arena. */
enum { STEP_BYTES = DEV_ALIGN_BYTES };

/* Tensors, nodes and attributes are small and die together: a list of blocks. */
struct block {
    struct block *next;
    max_align_t data[];
};

struct gr_graph *gr_new(struct dev *dev, struct gr_params *params, bool training)
{
    struct gr_graph *g = t2_alloc(1, sizeof *g);

    g->dev = dev;
    g->params = params;
    g->type = dev->precision;
    g->training = training;
    return g;
}

static void drop_parts(struct gr_graph *g, struct gr_pass *pass)
{
    for (int i = 0; i < pass->n_parts; i++) {
        g->dev->recording_free(g->dev, pass->parts[i].recording);
        g->dev->recordings_left++;
    }
    t2_free(pass->parts);
    pass->parts = NULL;
    pass->n_parts = 0;
}

static void drop_recordings(struct gr_graph *g)
{
    struct gr_pass *passes[] = {&g->forward, &g->backward, &g->step_pass};

    for (int i = 0; i < 3; i++) {
        drop_parts(g, passes[i]);
        *passes[i] = (struct gr_pass){0};
    }
}

void gr_free(struct gr_graph *g)
{
    struct block *next;

    if (!g)
        return;
    if (g->arena)
        g->params->n_bound--;
    drop_recordings(g);
    for (struct block *block = g->allocations; block; block = next) {
        next = block->next;
        t2_free(block);
    }
    t2_free(g->nodes);
    t2_free(g->tensors);
    t2_free(g->param_tensors);
    t2_free(g);
}

void *gr_alloc(struct gr_graph *g, size_t bytes)
{
    struct block *block = t2_alloc(1, sizeof *block + bytes);

    block->next = g->allocations;
    g->allocations = block;
    return block->data;
}

static struct gr_tensor *add_tensor(struct gr_graph *g, enum gr_kind kind, enum dev_type type,
                                    int rank, const int64_t *dims)
{
    struct gr_tensor *t = gr_alloc(g, sizeof *t);

    T2_ASSERT(rank >= 0 && rank <= GR_MAX_RANK);
    if (g->n_tensors == g->tensors_capacity) {
        g->tensors_capacity = g->tensors_capacity ? 2 * g->tensors_capacity : 64;
        g->tensors =
            t2_realloc(g->tensors, (size_t) g->tensors_capacity, sizeof(struct gr_tensor *));
    }
    t->index = g->n_tensors;
    g->tensors[g->n_tensors++] = t;
    t->kind = kind;
    t->type = type;
    t->rank = rank;
    t->n = 1;
    for (int i = 0; i < rank; i++) {
        t->dims[i] = dims[i];
        t->n *= dims[i];
    }
    t->value_offset = t->grad_offset = GR_NO_PLACE;
    return t;
}

/* The one tensor of a parameter, or of a state. */
static struct gr_tensor *tensor_of(struct gr_graph *g, int param, bool trainable)
{
    const struct gr_param *p = &g->params->params[param];
    struct gr_tensor *t;

    if (param >= g->param_tensors_capacity) {
        int capacity = 2 * param + 64;

        g->param_tensors =
            t2_realloc(g->param_tensors, (size_t) capacity, sizeof(struct gr_tensor *));
        memset(g->param_tensors + g->param_tensors_capacity, 0,
               (size_t) (capacity - g->param_tensors_capacity) * sizeof(struct gr_tensor *));
        g->param_tensors_capacity = capacity;
    }
    if (!g->param_tensors[param]) {
        t = add_tensor(g, trainable ? GR_PARAM : GR_STATE, g->params->type, p->rank, p->dims);
        t->param = param;
        t->needs_grad = trainable && g->training;
        t->rounded_type = gr_rounded_type(g->params);
        g->param_tensors[param] = t;
    }
    return g->param_tensors[param];
}

struct gr_tensor *gr_param(struct gr_graph *g, const char *name, int rank, const int64_t *dims,
                           int n_shards, enum gr_init init, double init_gain)
{
    return tensor_of(g, gr_params_get(g->params, name, rank, dims, n_shards, init, init_gain),
                     true);
}

struct gr_tensor *gr_state(struct gr_graph *g, const char *name, int rank, const int64_t *dims,
                           enum gr_init init, double init_gain)
{
    return tensor_of(g, gr_params_get_state(g->params, name, rank, dims, init, init_gain), false);
}

void gr_state_moves(struct gr_graph *g, const struct gr_tensor *state, float keep)
{
    struct gr_param *p = &g->params->params[state->param];

    T2_ASSERT(state->kind == GR_STATE);
    p->moves = true;
    p->keep = keep;
}

struct gr_tensor *gr_const(struct gr_graph *g, int rank, const int64_t *dims, float *data)
{
    struct gr_tensor *t = add_tensor(g, GR_CONST, DEV_FLOAT32, rank, dims);

    t->value = data;
    return t;
}

struct gr_tensor *gr_table(struct gr_graph *g, int rank, const int64_t *dims, float *const *data)
{
    struct gr_tensor *t = add_tensor(g, GR_CONST, DEV_FLOAT32, rank, dims);

    t->table = data;
    return t;
}

struct gr_tensor *gr_cache(struct gr_graph *g, int rank, const int64_t *dims, void *data)
{
    struct gr_tensor *t = add_tensor(g, GR_CONST, g->type, rank, dims);

    t->value = data;
    return t;
}

struct gr_tensor *gr_ids(struct gr_graph *g, int rank, const int64_t *dims)
{
    return add_tensor(g, GR_IDS, DEV_INT32, rank, dims);
}

struct gr_tensor *gr_floats(struct gr_graph *g, int rank, const int64_t *dims)
{
    return add_tensor(g, GR_FLOATS, DEV_FLOAT32, rank, dims);
}

struct gr_node *gr_add_node(struct gr_graph *g, const struct gr_op *op, int n_inputs,
                            struct gr_tensor *const *inputs, void *attributes)
{
    struct gr_node *node = gr_alloc(g, sizeof *node);

    T2_ASSERT(n_inputs <= GR_MAX_INPUTS);
    if (g->n_nodes == g->nodes_capacity) {
        g->nodes_capacity = g->nodes_capacity ? 2 * g->nodes_capacity : 64;
        g->nodes = t2_realloc(g->nodes, (size_t) g->nodes_capacity, sizeof(struct gr_node *));
    }
    node->index = g->n_nodes;
    g->nodes[g->n_nodes++] = node;
    node->op = op;
    node->dev = g->dev;
    node->layer = g->layer;
    node->n_inputs = n_inputs;
    node->attributes = attributes;
    for (int i = 0; i < n_inputs; i++)
        node->inputs[i] = inputs[i];
    return node;
}

void gr_extend_node(struct gr_graph *g, struct gr_node *node, const struct gr_op *op, int n_more,
                    struct gr_tensor *const *more, void *attributes)
{
    T2_ASSERT(node == g->nodes[g->n_nodes - 1] && node->n_inputs + n_more <= GR_MAX_INPUTS);
    node->op = op;
    node->attributes = attributes;
    for (int i = 0; i < n_more; i++)
        node->inputs[node->n_inputs++] = more[i];
}

struct gr_tensor *gr_add_output_of(struct gr_graph *g, struct gr_node *node, enum dev_type type,
                                   int rank, const int64_t *dims, bool needs_grad)
{
    struct gr_tensor *t = add_tensor(g, GR_ACTIVATION, type, rank, dims);

    T2_ASSERT(node->n_outputs < GR_MAX_OUTPUTS);
    t->producer = node;
    t->needs_grad = needs_grad && g->training;
    node->outputs[node->n_outputs++] = t;
    return t;
}

struct gr_tensor *gr_add_output(struct gr_graph *g, struct gr_node *node, int rank,
                                const int64_t *dims, bool needs_grad)
{
    return gr_add_output_of(g, node, g->type, rank, dims, needs_grad);
}

void gr_layer(struct gr_graph *g, int layer)
{
    g->layer = layer;
}

uint32_t gr_next_dropout_site(struct gr_graph *g)
{
    return g->n_dropout_sites++;
}

/* The mask is named by (key of the run, step, site), so the backward pass and a second run of a
 * layer draw the same one without storing it (dropout_bits.h). */
struct dev_dropout gr_dropout(double rate, uint32_t site, uint64_t n_numbers,
                              const struct gr_context *context)
{
    uint64_t rows = context->rows > 0 ? (uint64_t) context->rows : 1;
    struct dev_dropout d = {.step = context->on_device,
                            .site = site,
                            .threshold = dev_dropout_threshold(rate),
                            .row_numbers = (int64_t) (n_numbers / rows)};

    /* Attention over parameters sees the batch as one row.  Its masks are those of no whole batch,
     * but no two ranks have the same. */
    if (n_numbers % rows != 0)
        d.row_numbers = (int64_t) dev_dropout_cols(n_numbers / rows + 1);
    d.scale = d.threshold ? (float) (1.0 / (1.0 - rate)) : 1.0f;
    return d;
}

struct dev_dropout gr_dropout_of(const struct gr_drop *drop, uint32_t site,
                                 const struct gr_tensor *x, const struct gr_context *context)
{
    struct dev_dropout d;

    if (!drop->same_positions)
        return gr_dropout(drop->rate, site, (uint64_t) x->n, context);
    T2_ASSERT(x->rank == 3);
    d = gr_dropout(drop->rate, site,
                   (uint64_t) x->dims[0] * dev_dropout_cols((uint64_t) x->dims[2]), context);
    d.shared_rows = x->dims[1];
    d.shared_cols = x->dims[2];
    return d;
}

/* ---- backward ---- */

/*
 * The node writes a gradient of input i: some inputs are absent, and ids and constants have none.
 */
static bool passes_gradient(const struct gr_node *node, int i)
{
    return node->inputs[i] && node->inputs[i]->needs_grad;
}

/*
 * Where variables are frozen: what lies before nothing that is trained needs no gradient, and the
 * nodes that would compute one have no backward pass.  An operator whose bwd does not ask what each
 * input needs (gr_op.skips_gradients) still writes the gradients of such inputs, which nobody
 * reads.
 */
static void leave_out_frozen(struct gr_graph *g)
{
    bool *written = t2_alloc((size_t) g->n_tensors, sizeof *written);

    for (int i = 0; i < g->n_tensors; i++)
        g->tensors[i]->for_frozen = g->tensors[i]->kind != GR_PARAM ||
                                    !gr_param_is_trained(g->params, g->tensors[i]->param);
    for (int n = 0; n < g->n_nodes; n++)
        for (int o = 0; o < g->nodes[n]->n_outputs; o++)
            for (int i = 0; i < g->nodes[n]->n_inputs; i++)
                if (passes_gradient(g->nodes[n], i) && !g->nodes[n]->inputs[i]->for_frozen)
                    g->nodes[n]->outputs[o]->for_frozen = false;
    for (int n = 0; n < g->n_nodes; n++) {
        const struct gr_node *node = g->nodes[n];
        bool runs = node->n_outputs == 0; /* the loss */

        for (int o = 0; o < node->n_outputs; o++)
            runs |= !node->outputs[o]->for_frozen;
        for (int i = 0; runs && !node->op->skips_gradients && i < node->n_inputs; i++)
            if (node->inputs[i])
                written[node->inputs[i]->index] = true;
    }
    for (int i = 0; i < g->n_tensors; i++)
        g->tensors[i]->needs_grad &= !g->tensors[i]->for_frozen || written[i];
    t2_free(written);
}

/* From the loss down, reverse-mode differentiation: a node takes part when one of its outputs has a
 * gradient, and hands gradients to its inputs.  The first node that does so for a tensor writes
 * (accumulate false), later ones add.  The backward pass visits nodes in the same descending order,
 * so "first" is decided here once and nothing is zeroed beforehand. */
static void derive_backward(struct gr_graph *g, struct gr_node *loss)
{
    for (int n = g->n_nodes - 1; n >= 0; n--) {
        struct gr_node *node = g->nodes[n];

        node->backward = node == loss;
        for (int o = 0; o < node->n_outputs; o++)
            node->backward |= node->outputs[o]->has_grad && !node->outputs[o]->for_frozen;
        for (int i = 0; node->backward && i < node->n_inputs; i++)
            if (passes_gradient(node, i)) {
                node->accumulate[i] = node->inputs[i]->has_grad;
                node->inputs[i]->has_grad = true;
            }
    }
}

/* A parameter without a path to the loss would have an undefined gradient and the optimizer would
 * use it. */
static enum t2_status check_parameters(const struct gr_graph *g, struct t2_err *err)
{
    for (int p = 0; p < g->params->n_params; p++) {
        const struct gr_tensor *t = p < g->param_tensors_capacity ? g->param_tensors[p] : NULL;

        if (gr_param_is_trained(g->params, p) && (!t || !t->has_grad))
            return t2_fail(err, T2_EUNSUPPORTED,
                           "variable '%s' has no path to the loss, so it would never be trained",
                           g->params->variables[g->params->params[p].first_variable].name);
    }
    return T2_OK;
}

enum t2_status gr_finish(struct gr_graph *g, struct gr_node *loss, struct gr_tensor *const *keep,
                         int n_keep, struct t2_err *err)
{
    if (g->training) {
        T2_ASSERT(loss);
        if (g->params->n_trained_floats > 0)
            leave_out_frozen(g);
        derive_backward(g, loss);
        T2_TRY(check_parameters(g, err));
        gr_schedule_backward(g);
    }
    gr_choose_layouts(g);
    gr_plan(g, keep, n_keep);
    gr_late_want(g);
    g->arena_bytes += STEP_BYTES;
    return T2_OK;
}

/* ---- running ---- */

/* NULL for a tensor that the plan gave no place: nobody reads it. */
static void *place(void *arena, size_t offset)
{
    return offset == GR_NO_PLACE ? NULL : (char *) arena + STEP_BYTES + offset;
}

/* Parameters and states lie in gr_params' arenas, constants elsewhere; only activations and inputs
 * are in the graph's own arena, so many graphs can share one block of memory, bound in turn. */
void gr_bind(struct gr_graph *g, void *arena)
{
    drop_recordings(g);
    if (!g->arena)
        g->params->n_bound++;
    gr_late_make_wanted(g->params);
    g->arena = arena;
    g->step = arena;
    for (int i = 0; i < g->n_tensors; i++) {
        struct gr_tensor *t = g->tensors[i];

        if (t->kind == GR_PARAM || t->kind == GR_STATE) {
            int64_t offset = g->params->params[t->param].offset;

            t->value = g->params->values + offset;
            t->grad = t->needs_grad ? g->params->grads + offset : NULL;
            t->layout = g->params->params[t->param].layout;
            t->rounded = gr_rounded_at(g->params, offset);
            T2_ASSERT(!t->rounded || t->layout == 0);
        } else if (t->table) {
            t->value = *t->table;
        } else if (t->kind == GR_IDS) {
            t->ids = place(arena, t->value_offset);
        } else if (t->kind == GR_ACTIVATION || t->kind == GR_FLOATS) {
            t->value = place(arena, t->value_offset);
            t->grad = place(arena, t->grad_offset);
        }
    }
}

/* Scratch memory is planned per pass and shared with tensors that are not alive then. */
static void run_node(struct gr_graph *g, struct gr_node *node, bool backward, bool again,
                     const struct gr_context *context)
{
    node->scratch = place(g->arena, backward ? node->scratch_bwd_offset : node->scratch_fwd_offset);
    g->dev->node = node->op->name;
    g->dev->node_index = node->index;
    (backward ? node->op->bwd : node->op->fwd)(node, context);
    if (context->profile) {
        gr_profile_mark(context->profile, node->op->name, backward);
        if (context->profile->trace)
            gr_trace_node(context->profile->trace, g, node, backward);
    }
    if (context->watch)
        gr_watch_node(context->watch, g, node, backward, again);
}

static void set_step(struct gr_graph *g, const struct gr_context *context)
{
    struct dev_step step = {.dropout_key = {context->dropout_key[0], context->dropout_key[1]},
                            .branch_key = {context->branch_key[0], context->branch_key[1]},
                            .symbol_key = {context->symbol_key[0], context->symbol_key[1]},
                            .first_row = context->first_row,
                            .dropout_step = {(uint32_t) context->step,
                                             (uint32_t) (context->step >> 32) << 16},
                            .grad_scale = context->grad_scale,
                            .loss_scale = context->loss_scale > 0.0F ? context->loss_scale : 1.0F,
                            .position = (int32_t) context->position,
                            .positions = context->positions,
                            .all_rows = context->all_rows > 0 ? context->all_rows : context->rows};

    gr_round_values(g->params);
    g->dev->kernels->set_step(g->dev, &(struct dev_set_step_args){.value = step, .to = g->step});
}

static void run_forward(struct gr_graph *g, const struct gr_context *context)
{
    for (int n = 0; n < g->n_nodes && !(context->may_stop && t2_interrupted()); n++) {
        g->nodes[n]->update_states = g->training && !(context->watch && context->watch->measures);
        run_node(g, g->nodes[n], false, false, context);
    }
}

/* The end of the last parameter whose gradient the node writes; 0: none. */
static int64_t end_of_gradients(const struct gr_graph *g, const struct gr_node *node)
{
    int64_t end = 0;

    for (int i = 0; i < node->n_inputs; i++)
        if (passes_gradient(node, i) && node->inputs[i]->kind == GR_PARAM) {
            const struct gr_param *p = &g->params->params[node->inputs[i]->param];

            end = p->offset + p->n > end ? p->offset + p->n : end;
        }
    return end;
}

static void find_what_stays(const struct gr_graph *g)
{
    int64_t from = 0;

    for (int k = g->n_backward_steps - 1; k >= 0; k--) {
        struct gr_step *step = &g->backward_steps[k];
        int64_t end = step->again ? 0 : end_of_gradients(g, step->node);

        step->stays_from = from;
        from = end > from ? end : from;
    }
}

static void tell(const struct gr_context *context, int64_t from)
{
    if (context->listener)
        context->listener->gradients_stay(context->listener->context, from);
}

/* A part of a recorded pass ends here; another may begin. */
static void end_part(struct gr_graph *g, struct gr_pass *pass, int64_t stays_from)
{
    struct dev_recording *r = g->dev->record_end(g->dev);

    if (!r) {
        pass->is_lost = true;
        return;
    }
    pass->parts = t2_realloc(pass->parts, (size_t) pass->n_parts + 1, sizeof *pass->parts);
    pass->parts[pass->n_parts++] = (struct gr_part){r, stays_from};
    g->dev->recordings_left--;
}

static void run_backward(struct gr_graph *g, const struct gr_context *context)
{
    bool records = context->recorded != NULL;
    int64_t told = g->params->n_floats;

    if (context->listener)
        find_what_stays(g);
    for (int k = 0; k < g->n_backward_steps; k++) {
        const struct gr_step *step = &g->backward_steps[k];

        step->node->update_states = false;
        run_node(g, step->node, !step->again, step->again, context);
        if (!records) {
            tell(context, step->stays_from);
        } else if (context->listener && k + 1 < g->n_backward_steps &&
                   told - step->stays_from >= context->listener->bucket) {
            end_part(g, context->recorded, step->stays_from);
            g->dev->record_begin(g->dev);
            told = step->stays_from;
        }
    }
}

static void run_step(struct gr_graph *g, const struct gr_context *context)
{
    run_forward(g, context);
    run_backward(g, context);
    context->tail->queue(context->tail->context);
}

typedef void (*gr_pass_fn)(struct gr_graph *g, const struct gr_context *context);

static void record(struct gr_graph *g, struct gr_pass *pass, gr_pass_fn run,
                   const struct gr_context *context)
{
    struct gr_context whole = *context;

    drop_parts(g, pass);
    pass->is_heard = context->listener != NULL;
    pass->tail = context->tail ? context->tail->number : 0;
    pass->is_lost = false;
    whole.may_stop = false;
    whole.recorded = pass;
    g->dev->record_begin(g->dev);
    run(g, &whole);
    end_part(g, pass, 0);
}

/* Was the pass recorded for somebody else? */
static bool is_another(const struct gr_pass *pass, const struct gr_context *context)
{
    return pass->is_heard != (context->listener != NULL) ||
           pass->tail != (context->tail ? context->tail->number : 0);
}

/* Shapes that come once are not worth a recording, so it is made when a pass is run a second time;
 * there is a number of them that a device keeps.  A profile and a watch want to stand between the
 * nodes. */
static void run_pass(struct gr_graph *g, struct gr_pass *pass, gr_pass_fn run,
                     const struct gr_context *context)
{
    struct dev *d = g->dev;

    if (!d->replay || context->profile || context->watch || !pass->ran) {
        pass->ran = true;
        if (context->profile)
            gr_profile_begin(context->profile, d);
        run(g, context);
        if (context->profile)
            gr_profile_end(context->profile);
        return;
    }
    if ((!pass->parts && d->recordings_left > 0) || (pass->parts && is_another(pass, context)))
        record(g, pass, run, context);
    if (!pass->parts || pass->is_lost) {
        drop_parts(g, pass);
        run(g, context);
        return;
    }
    for (int i = 0; i < pass->n_parts; i++) {
        d->replay(d, pass->parts[i].recording);
        tell(context, pass->parts[i].stays_from);
    }
}

void gr_run_forward(struct gr_graph *g, const struct gr_context *asked)
{
    struct gr_context here = *asked;

    here.on_device = g->step;
    here.listener = NULL;
    here.tail = NULL;
    set_step(g, &here);
    run_pass(g, &g->forward, run_forward, &here);
}

void gr_run_backward(struct gr_graph *g, const struct gr_context *asked)
{
    struct gr_context here = *asked;

    here.on_device = g->step;
    here.tail = NULL;
    run_pass(g, &g->backward, run_backward, &here);
}

void gr_run_step(struct gr_graph *g, const struct gr_context *asked, const struct gr_tail *tail)
{
    struct gr_context here = *asked;

    T2_ASSERT(!here.listener && tail->number > 0);
    here.on_device = g->step;
    here.tail = tail;
    set_step(g, &here);
    g->step_pass.ran |= g->forward.ran && g->backward.ran;
    run_pass(g, &g->step_pass, run_step, &here);
}

const struct dev_step *gr_step_on_device(const struct gr_graph *g)
{
    return g->step;
}
