/*
 * train/ops/attention.c - multi-head dot-product attention, in training and against a cache.
 *
 * q (B,Lq,H*Dk), k (B,Lk,H*Dk), v (B,Lk,H*Dv) -> out (B,Lq,H*Dv).  Heads are column blocks of the
 * tensors, so neither splitting nor joining them copies anything (the original's split_heads and
 * combine_heads transpose).  The kernel computes the weights again in the backward pass, which
 * therefore reads all inputs and not the output.
 */
#include "train/ops/attention.h"

#include "train/device/dropout_bits.h"
#include "train/ops/cast.h"

enum {
    Q,
    K,
    V,
    KEY_IDS,
    Q_SEGMENTS,
    K_SEGMENTS,
    Q_LEVELS,
    K_LEVELS,
    RELATIVE_K,
    RELATIVE_V,
    CACHE_INDEX,
    N_INPUTS
};

static const int32_t *ids_of(const struct gr_node *node, int input)
{
    return node->inputs[input] ? node->inputs[input]->ids : NULL;
}

/* Tables (rows, D) are shared by the heads, (H, rows, D) are not. */
static struct dev_relative relative_of(const struct gr_node *node, const struct nn_attention *m)
{
    const struct gr_tensor *k = node->inputs[RELATIVE_K], *v = node->inputs[RELATIVE_V];
    struct dev_relative r = {.kind = m->relative};

    if (m->relative == DEV_RELATIVE_NONE)
        return r;
    r.rows = k->dims[k->rank - 2];
    r.per_head = k->rank == 3;
    r.k = k->value;
    r.v = v ? v->value : NULL;
    return r;
}

/* With one_memory (attention over parameters) all queries of the batch, (1, B*Lq), see one set of
 * keys.  Lk is the number of filled rows of a cache, k_rows its capacity. */
static struct dev_attention arguments(const struct gr_node *node, const struct nn_attention *m,
                                      int64_t Lk)
{
    const struct gr_tensor *q = node->inputs[Q], *k = node->inputs[K], *v = node->inputs[V];
    struct dev_attention a = {.B = m->one_memory ? 1 : q->dims[0],
                              .H = m->heads,
                              .Lq = m->one_memory ? q->dims[0] * q->dims[1] : q->dims[1],
                              .Lk = Lk,
                              .Dk = q->dims[2] / m->heads,
                              .Dv = v->dims[2] / m->heads,
                              .step_keys = m->step_keys,
                              .k_rows = k->dims[1],
                              .q_per_key = m->q_per_key,
                              .type = node->outputs[0]->type,
                              .q = q->value,
                              .k = k->value,
                              .v = v->value,
                              .cache_index = ids_of(node, CACHE_INDEX),
                              .key_ids = ids_of(node, KEY_IDS),
                              .q_segments = ids_of(node, Q_SEGMENTS),
                              .k_segments = ids_of(node, K_SEGMENTS),
                              .q_levels = ids_of(node, Q_LEVELS),
                              .k_levels = ids_of(node, K_LEVELS),
                              .causal = m->causal,
                              .proximity = m->proximity,
                              .hard_k = m->hard_k,
                              .scale = (float) m->scale,
                              .relative = relative_of(node, m),
                              .dropout_same_batch = m->dropout_same_batch,
                              .dropout_same_heads = m->dropout_same_heads,
                              .dropout_same_queries = m->dropout_same_queries,
                              .out = node->outputs[0]->value};

    return a;
}

struct attention {
    struct nn_attention m;
    uint32_t site;
};

static struct dev_dropout mask_of(const struct dev_attention *a, const struct attention *t,
                                  const struct gr_context *context)
{
    uint64_t n_pairs = a->dropout_same_batch ? 0 : (uint64_t) (a->B * a->H);

    return gr_dropout(t->m.dropout, t->site, n_pairs * dev_dropout_pair(a), context);
}

static void attention_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct attention *t = node->attributes;
    struct dev_attention a = arguments(node, &t->m, node->inputs[K]->dims[1]);

    a.at_step = t->m.cached ? context->on_device : NULL;
    a.dropout = mask_of(&a, t, context);
    a.live = context->live && context->live->of == a.B ? context->live : NULL;
    node->dev->kernels->attention(node->dev,
                                  &(struct dev_attention_args){.of = a, .scratch = node->scratch});
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
        .accumulate_v = node->accumulate[V],
        .drelative_k = node->inputs[RELATIVE_K] ? node->inputs[RELATIVE_K]->grad : NULL,
        .drelative_v = node->inputs[RELATIVE_V] ? node->inputs[RELATIVE_V]->grad : NULL,
        .accumulate_relative_k = node->accumulate[RELATIVE_K],
        .accumulate_relative_v = node->accumulate[RELATIVE_V]};

    a.dropout = mask_of(&a, t, context);
    node->dev->kernels->attention_bwd(
        node->dev, &(struct dev_attention_bwd_args){.of = a, .g = grads, .scratch = node->scratch});
}

static const struct gr_op attention_op = {.name = "attention",
                                          .fwd = attention_fwd,
                                          .bwd = attention_bwd,
                                          .bwd_uses_inputs = (1u << N_INPUTS) - 1};

struct gr_tensor *nn_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                               struct gr_tensor *v, const struct nn_attention *attention)
{
    struct attention *t = gr_alloc(g, sizeof *t);
    struct gr_tensor *inputs[N_INPUTS] = {
        [Q] = q = nn_convert(g, q, g->type),   [K] = k = nn_convert(g, k, g->type),
        [V] = v = nn_convert(g, v, g->type),   [KEY_IDS] = attention->key_ids,
        [Q_SEGMENTS] = attention->q_segments,  [K_SEGMENTS] = attention->k_segments,
        [Q_LEVELS] = attention->q_levels,      [K_LEVELS] = attention->k_levels,
        [RELATIVE_K] = attention->relative_k,  [RELATIVE_V] = attention->relative_v,
        [CACHE_INDEX] = attention->cache_index};
    struct gr_node *node = gr_add_node(g, &attention_op, N_INPUTS, inputs, t);
    int64_t dims[] = {q->dims[0], q->dims[1], v->dims[2]};
    struct gr_tensor *out;
    struct dev_attention a;

    T2_ASSERT(q->rank == 3 && k->rank == 3 && v->rank == 3);
    T2_ASSERT(q->dims[2] == k->dims[2] && q->dims[2] % attention->heads == 0);
    T2_ASSERT(v->dims[2] % attention->heads == 0 && k->dims[1] == v->dims[1]);
    T2_ASSERT(attention->one_memory ? k->dims[0] == 1 && attention->q_per_key == 1
                                    : q->dims[0] == k->dims[0] * attention->q_per_key);
    T2_ASSERT(!attention->causal || k->dims[1] >= q->dims[1]);
    T2_ASSERT(!attention->q_segments == !attention->k_segments);
    T2_ASSERT(!attention->q_levels == !attention->k_levels);
    T2_ASSERT((attention->relative == DEV_RELATIVE_NONE) == !attention->relative_k);
    T2_ASSERT(!attention->relative_k || k->dims[1] >= q->dims[1]);
    T2_ASSERT(!attention->relative_k || attention->relative_k->type == DEV_FLOAT32);
    T2_ASSERT(!attention->relative_v || attention->relative_v->type == DEV_FLOAT32);
    T2_ASSERT(!attention->cache_index || (attention->cached && attention->q_per_key == 1));
    t->m = *attention;
    t->site = gr_next_dropout_site(g);
    out = gr_add_output(g, node, 3, dims, true);
    a = arguments(node, attention, k->dims[1]);
    node->scratch_fwd_floats = g->dev->kernels->attention_scratch_floats(g->dev, &a, false);
    if (g->training)
        node->scratch_bwd_floats = g->dev->kernels->attention_scratch_floats(g->dev, &a, true);
    return out;
}

const struct nn_attention *nn_attention_of(const struct gr_node *node)
{
    return &((const struct attention *) node->attributes)->m;
}

/* ---- cache ---- */

enum { X, CACHE };

static void put_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *cache = node->inputs[CACHE];
    int64_t D = node->inputs[X]->n / cache->dims[0]; /* the rows of a position are one */

    node->dev->kernels->cache_put(node->dev,
                                  &(struct dev_cache_put_args){.type = node->inputs[CACHE]->type,
                                                               .x = node->inputs[X]->value,
                                                               .B = cache->dims[0],
                                                               .D = D,
                                                               .cache_rows =
                                                                   cache->n / cache->dims[0] / D,
                                                               .at_step = context->on_device,
                                                               .cache = cache->value});
}

static const struct gr_op put_op = {.name = "cache_put", .fwd = put_fwd};

struct gr_tensor *nn_cache_put(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *cache)
{
    struct gr_tensor *inputs[] = {x, cache};

    T2_ASSERT(!g->training && cache->kind == GR_CONST && cache->rank == 3);
    T2_ASSERT(x->type == cache->type);
    T2_ASSERT(x->dims[0] == cache->dims[0] && x->n % (cache->dims[0] * cache->dims[2]) == 0);
    T2_ASSERT(cache->n % x->n == 0);
    gr_add_node(g, &put_op, 2, inputs, NULL);
    return cache;
}

enum { ORIGINS, TABLES };

static void index_fwd(struct gr_node *node, const struct gr_context *context)
{
    const int64_t *step_rows = node->attributes;
    const struct gr_tensor *tables = node->inputs[TABLES];

    node->dev->kernels->cache_index(node->dev,
                                    &(struct dev_cache_index_args){.origins =
                                                                       node->inputs[ORIGINS]->ids,
                                                                   .B = tables->dims[1],
                                                                   .cache_rows = tables->dims[2],
                                                                   .step_rows = *step_rows,
                                                                   .at_step = context->on_device,
                                                                   .tables = tables->ids});
}

static const struct gr_op index_op = {.name = "cache_index", .fwd = index_fwd};

struct gr_tensor *nn_cache_index(struct gr_graph *g, struct gr_tensor *origins, int64_t cache_rows,
                                 int64_t step_rows)
{
    int64_t *attributes = gr_alloc(g, sizeof *attributes);
    int64_t dims[] = {2, origins->n, cache_rows};
    struct gr_tensor *inputs[] = {origins, gr_ids(g, 3, dims)};

    T2_ASSERT(!g->training && step_rows > 0 && cache_rows % step_rows == 0);
    *attributes = step_rows;
    gr_add_node(g, &index_op, 2, inputs, attributes);
    return inputs[TABLES];
}
