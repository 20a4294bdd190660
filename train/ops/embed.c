/*
 * train/ops/embed.c - embedding of ids (B,L) with position signal, added vector and dropout ->
 * (B,L,D), D of table (V,D).
 *
 * Formula: struct dev_embed.  One operator, as the sum of an embedding, a constant, a position and
 * a mask would be four passes over (B,L,D).
 */
#include "train/ops/embed.h"

#include "train/graph/late_values.h"

enum { IDS, TABLE, EXTRA, POSITIONS, POSITION_IDS };

struct embed {
    struct nn_embed e;
    const struct gr_params *params;
    uint32_t site;
};

static struct dev_embed arguments(const struct gr_node *node, const struct gr_context *context)
{
    const struct embed *m = node->attributes;
    const struct gr_tensor *ids = node->inputs[IDS], *extra = node->inputs[EXTRA];
    const struct gr_tensor *positions = node->inputs[POSITIONS];
    const struct gr_tensor *position_ids = node->inputs[POSITION_IDS];
    int64_t D = node->inputs[TABLE]->dims[1];
    struct dev_embed a = {.B = ids->dims[0],
                          .L = ids->dims[1],
                          .D = D,
                          .ids = ids->ids,
                          .table = node->inputs[TABLE]->value,
                          .scale = (float) m->e.scale,
                          .shift = m->e.shift_right ? 1 : 0,
                          .parts = m->e.parts,
                          .part_rows =
                              m->e.parts > 0 ? node->inputs[TABLE]->dims[0] / m->e.parts : 0,
                          .dropout = gr_dropout(m->e.dropout, m->site,
                                                (uint64_t) node->outputs[0]->n, context),
                          .type = node->outputs[0]->type};

    if (extra)
        a.extra = (const float *) extra->value + m->e.extra_row * D;
    if (positions) {
        a.positions = positions->value;
        a.n_positions = positions->dims[0];
    }
    if (position_ids)
        a.position_ids = position_ids->ids;
    if (m->e.at_position)
        a.at_step = context->on_device;
    return a;
}

static void embed_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct embed *m = node->attributes;
    struct dev_embed a = arguments(node, context);

    if (node->by_rows)
        gr_late_rows(m->params, node->inputs[TABLE]->param, a.ids, a.B * a.L);
    node->dev->kernels->embed(node->dev,
                              &(struct dev_embed_args){.of = a, .out = node->outputs[0]->value});
}

/* extra is one row of a table (target spaces): the other rows' gradients are zero. */
static void embed_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct embed *m = node->attributes;
    struct dev_embed a = arguments(node, context);
    struct gr_tensor *table = node->inputs[TABLE], *extra = node->inputs[EXTRA];
    struct gr_tensor *positions = node->inputs[POSITIONS];
    float *dextra = NULL, *dpositions = NULL;

    if (extra && extra->needs_grad) {
        if (!node->accumulate[EXTRA])
            node->dev->zero(node->dev, extra->grad, (size_t) extra->n * sizeof(float));
        dextra = (float *) extra->grad + m->e.extra_row * a.D;
    }
    if (positions && positions->needs_grad)
        dpositions = positions->grad;
    node->dev->kernels->embed_bwd(
        node->dev, &(struct dev_embed_bwd_args){.of = a,
                                                .dout = node->outputs[0]->grad,
                                                .V = table->dims[0],
                                                .dtable = table->needs_grad ? table->grad : NULL,
                                                .accumulate_table = node->accumulate[TABLE],
                                                .dextra = dextra,
                                                .accumulate_extra = true,
                                                .dpositions = dpositions,
                                                .accumulate_positions =
                                                    dpositions && node->accumulate[POSITIONS]});
}

static const struct gr_op embed_op = {.name = "embed",
                                      .fwd = embed_fwd,
                                      .bwd = embed_bwd,
                                      .bwd_uses_inputs = 1u << IDS | 1u << POSITION_IDS};

struct gr_tensor *nn_embed(struct gr_graph *g, const struct nn_embed *e)
{
    struct embed *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {e->ids, e->table, e->extra_table, e->positions, e->position_ids};
    int64_t dims[] = {e->ids->dims[0], e->ids->dims[1], e->table->dims[1]};
    struct gr_node *node;

    T2_ASSERT(e->ids->rank == 2 && e->table->rank == 2 && e->table->type == DEV_FLOAT32);
    T2_ASSERT(e->parts >= 0 && (e->parts == 0 || e->table->dims[0] % e->parts == 0));
    T2_ASSERT(!e->extra_table || e->extra_table->type == DEV_FLOAT32);
    T2_ASSERT(!e->positions || e->positions->type == DEV_FLOAT32);
    T2_ASSERT(!e->extra_table || e->extra_table->dims[1] == dims[2]);
    T2_ASSERT(!e->positions || e->positions->dims[1] == dims[2]);
    m->e = *e;
    m->params = g->params;
    m->site = gr_next_dropout_site(g);
    node = gr_add_node(g, &embed_op, 5, inputs, m);
    /* an id of parts has a row in each of them; a device with memory of its own has all values */
    if (e->table->kind == GR_PARAM && e->parts == 0 && g->dev->host_memory)
        node->by_rows = 1u << TABLE;
    return gr_add_output(g, node, 3, dims, true);
}

const struct nn_embed *nn_embed_of(const struct gr_node *node)
{
    return &((const struct embed *) node->attributes)->e;
}
