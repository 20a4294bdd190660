/*
 * train/ops/attention.c - multi-head dot-product attention, in training and against a cache.
 */
#include "train/ops/attention.h"

enum { Q, K, V, KEY_IDS };

static struct dev_attention arguments(const struct gr_node *node, const struct nn_attention *m,
                                      int64_t Lk)
{
    const struct gr_tensor *q = node->inputs[Q], *k = node->inputs[K], *v = node->inputs[V];
    struct dev_attention a = {.B = q->dims[0],
                              .H = m->heads,
                              .Lq = q->dims[1],
                              .Lk = Lk,
                              .Dk = q->dims[2] / m->heads,
                              .Dv = v->dims[2] / m->heads,
                              .k_rows = k->dims[1],
                              .q_per_key = m->q_per_key,
                              .q = q->value,
                              .k = k->value,
                              .v = v->value,
                              .causal = m->causal,
                              .scale = (float) m->scale,
                              .out = node->outputs[0]->value};

    if (node->inputs[KEY_IDS])
        a.key_ids = node->inputs[KEY_IDS]->ids;
    return a;
}

struct attention {
    struct nn_attention m;
    uint32_t site;
};

static void attention_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct attention *t = node->attributes;
    int64_t Lk = t->m.cached ? context->position + 1 : node->inputs[K]->dims[1];
    struct dev_attention a = arguments(node, &t->m, Lk);

    a.dropout = gr_dropout(t->m.dropout, t->site, context);
    node->dev->kernels->attention(node->dev, &a, node->scratch);
}

static void attention_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct attention *t = node->attributes;
    struct dev_attention a = arguments(node, &t->m, node->inputs[K]->dims[1]);
    struct dev_attention_grads grads = {
        .dout = node->outputs[0]->grad,
        .dq = node->inputs[Q]->needs_grad ? node->inputs[Q]->grad : NULL,
        .dk = node->inputs[K]->needs_grad ? node->inputs[K]->grad : NULL,
        .dv = node->inputs[V]->needs_grad ? node->inputs[V]->grad : NULL,
        .accumulate_q = node->accumulate[Q],
        .accumulate_k = node->accumulate[K],
        .accumulate_v = node->accumulate[V]};

    a.dropout = gr_dropout(t->m.dropout, t->site, context);
    node->dev->kernels->attention_bwd(node->dev, &a, &grads, node->scratch);
}

static const struct gr_op attention_op = {.name = "attention",
                                          .fwd = attention_fwd,
                                          .bwd = attention_bwd,
                                          .bwd_uses_inputs =
                                              1u << Q | 1u << K | 1u << V | 1u << KEY_IDS};

struct gr_tensor *nn_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                               struct gr_tensor *v, const struct nn_attention *attention)
{
    struct attention *t = gr_alloc(g, sizeof *t);
    struct gr_tensor *inputs[] = {q, k, v, attention->key_ids};
    struct gr_node *node = gr_add_node(g, &attention_op, 4, inputs, t);
    int64_t dims[] = {q->dims[0], q->dims[1], v->dims[2]};
    struct gr_tensor *out;
    struct dev_attention a;

    T2_ASSERT(q->rank == 3 && k->rank == 3 && v->rank == 3);
    T2_ASSERT(q->dims[2] == k->dims[2] && q->dims[2] % attention->heads == 0);
    T2_ASSERT(v->dims[2] % attention->heads == 0 && k->dims[1] == v->dims[1]);
    T2_ASSERT(q->dims[0] == k->dims[0] * attention->q_per_key);
    T2_ASSERT(!attention->causal || k->dims[1] >= q->dims[1]);
    t->m = *attention;
    t->site = gr_next_dropout_site(g);
    out = gr_add_output(g, node, 3, dims, true);
    a = arguments(node, attention, k->dims[1]);
    node->scratch_fwd_floats = g->dev->kernels->attention_scratch_floats(g->dev, &a, false);
    if (g->training)
        node->scratch_bwd_floats = g->dev->kernels->attention_scratch_floats(g->dev, &a, true);
    return out;
}

/* ---- cache ---- */

enum { X, CACHE };

static void put_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *cache = node->inputs[CACHE];

    node->dev->kernels->cache_put(node->dev, node->inputs[X]->value, cache->dims[0], cache->dims[2],
                                  cache->dims[1], context->position, cache->value);
}

static const struct gr_op put_op = {.name = "cache_put", .fwd = put_fwd};

struct gr_tensor *nn_cache_put(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *cache)
{
    struct gr_tensor *inputs[] = {x, cache};

    T2_ASSERT(!g->training && cache->kind == GR_CONST && cache->rank == 3);
    T2_ASSERT(x->dims[0] == cache->dims[0] && x->n == cache->dims[0] * cache->dims[2]);
    gr_add_node(g, &put_op, 2, inputs, NULL);
    return cache;
}
