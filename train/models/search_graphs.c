/*
 * train/models/search_graphs.c - see the header.
 */
#include "train/models/search_graphs.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/graph/late_values.h"
#include "train/ops/attention.h"

enum { MAX_SHAPES = 512, ALIGNMENT = DEV_ALIGN_BYTES };

void mdl_searches_init(struct mdl_searches *s, struct mdl *m, const struct dev_bytes *limit)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->tables_before = mdl_table_bytes(m, 0);
    /* The host's products with packed weights are faster for few rows, and a row's bits do not
     * depend on those beside it. */
    if (mdl_searches_pack(m))
        s->packs = mdl_use_packs(m);
    s->limit = limit ? *limit : (struct dev_bytes){UINT64_MAX, UINT64_MAX};
    s->n_layers = m->kind->n_decoder_layers(m->hp);
    for (int32_t layer = 0; layer < s->n_layers; layer++)
        m->kind->cache_channels(m->hp, layer, s->channels[layer]);
    s->shapes = t2_alloc(MAX_SHAPES, sizeof *s->shapes);
}

static void graphs_free(struct mdl_search_graphs *g)
{
    if (!g)
        return;
    gr_free(g->encode.g);
    gr_free(g->step.g);
    for (int i = 0; i < g->n_refills; i++)
        gr_free(g->refills[i].graph.g);
    mdl_shortlist_release(&g->shortlist);
    t2_free(g);
}

void mdl_searches_release(struct mdl_searches *s)
{
    for (int i = 0; i < s->n_shapes; i++)
        graphs_free(s->shapes[i].graphs);
    t2_free(s->shapes);
    if (!s->m)
        return;
    if (s->packs)
        mdl_leave_packs(s->m);
    s->m->dev->free(s->m->dev, s->block);
}

enum t2_status mdl_fail_decoding_memory(const struct dev *dev, uint64_t bytes, struct t2_err *err)
{
    return dev_fail_memory(dev, bytes, "decoding",
                           "use a smaller batch_size or beam_size in --decode_hparams", err);
}

/* With the plan by class. */
static enum t2_status fail_search(const struct mdl_searches *s, const struct mdl_search_graphs *g,
                                  struct t2_err *err)
{
    char values[32], arenas[32], caches[32], candidates[32], advice[256];

    snprintf(advice, sizeof advice,
             "use a smaller batch_size or beam_size in --decode_hparams; the plan: parameters %s, "
             "activations %s, caches %s, candidates %s",
             t2_human_bytes((uint64_t) s->m->params.n_floats * sizeof(float) +
                                gr_rounded_bytes(&s->m->params),
                            values, sizeof values),
             t2_human_bytes(g->caches_offset + g->block_bytes - g->refill_offset, arenas,
                            sizeof arenas),
             t2_human_bytes(g->choice_offset - g->caches_offset, caches, sizeof caches),
             t2_human_bytes(g->refill_offset - g->choice_offset, candidates, sizeof candidates));
    return dev_fail_memory(s->m->dev, g->block_bytes, "decoding", advice, err);
}

/* ---- sizes ---- */

static uint64_t cache_bytes(const struct mdl_searches *s, const struct mdl_step *parts,
                            int64_t channels)
{
    uint64_t n = (uint64_t) parts->rows * (uint64_t) parts->max_length * (uint64_t) channels *
                 dev_type_bytes(s->m->dev->precision);

    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Of all layers; more than any machine has where 64 bits are too few. */
static uint64_t all_caches_bytes(const struct mdl_searches *s, const struct mdl_step *parts)
{
    double channels = 0.0;
    uint64_t all = 0;

    for (int32_t layer = 0; layer < s->n_layers; layer++)
        for (int c = 0; c < MDL_N_CACHES; c++)
            channels += (double) s->channels[layer][c];
    if ((double) parts->rows * parts->max_length * channels > 0x1p58)
        return (uint64_t) 1 << 60;
    for (int32_t layer = 0; layer < s->n_layers; layer++)
        for (int c = 0; c < MDL_N_CACHES; c++)
            all += cache_bytes(s, parts, s->channels[layer][c]);
    return all;
}

/* The caches lie one behind the other, all of a kind together. */
static void place_caches(const struct mdl_searches *s, struct mdl_search_graphs *g)
{
    char *at = (char *) s->block + g->caches_offset;

    for (int c = 0; c < MDL_N_CACHES; c++)
        for (int32_t layer = 0; layer < s->n_layers; layer++) {
            if (s->channels[layer][c])
                g->parts.caches[c][layer]->value = at;
            at += cache_bytes(s, &g->parts, s->channels[layer][c]);
        }
}

/* About: each tensor, node and list of attributes is a block of its own. */
static uint64_t bytes_of_graph(const struct gr_graph *g)
{
    enum { HEAD = 32, ATTRIBUTES = 160 };

    if (!g)
        return 0;
    return (uint64_t) g->n_tensors * (sizeof(struct gr_tensor) + HEAD) +
           (uint64_t) g->n_nodes * (sizeof(struct gr_node) + ATTRIBUTES + 2 * HEAD) +
           (uint64_t) (g->tensors_capacity + g->nodes_capacity + g->param_tensors_capacity) *
               sizeof(void *);
}

static int32_t positions_of(const struct mdl_search_shape *shape)
{
    return shape->max_length > shape->inputs_length ? shape->max_length : shape->inputs_length;
}

/* With values that are not there before a graph reads them. */
static uint64_t packs_bytes(const struct mdl_searches *s)
{
    return gr_late_bytes(&s->m->params) +
           (s->packs ? s->packs->bytes + gr_packs_scratch_bytes(s->packs) : 0);
}

/* What is needed with tables of positions, those that came since the limit and this shape's, and
 * with packed weights. */
static struct dev_bytes with_tables(const struct mdl_searches *s,
                                    const struct mdl_search_shape *shape, struct dev_bytes needed)
{
    dev_bytes_add(s->m->dev, &needed,
                  mdl_table_bytes(s->m, positions_of(shape)) - s->tables_before + packs_bytes(s),
                  0);
    return needed;
}

/* ---- building ---- */

static enum t2_status build_encode(struct mdl_searches *s, struct mdl_build *b, int32_t batch,
                                   int32_t inputs_length, struct mdl_graph *encode,
                                   struct mdl_memory *memory, struct t2_err *err)
{
    struct gr_tensor *keep[2 * MDL_MAX_LAYERS]; /* what the decoder looks at in every step */

    b->g = encode->g = gr_new(s->m->dev, &s->m->params, false);
    b->g->packs = s->packs;
    s->m->kind->build_encode(b, batch, inputs_length, encode, memory);
    for (int layer = 0; layer < s->n_layers; layer++) {
        keep[2 * layer] = memory->k[layer];
        keep[2 * layer + 1] = memory->v[layer];
    }
    s->n_built++;
    return gr_finish(b->g, NULL, keep, 2 * s->n_layers, err);
}

/* Do keys and values of a source lie by its positions, one behind the other? */
static bool by_positions(const struct mdl_searches *s, const struct mdl_memory *memory, int32_t L)
{
    for (int layer = 0; layer < s->n_layers; layer++)
        if (memory->k[layer]->rank != 3 || memory->k[layer]->dims[1] != L ||
            memory->v[layer]->rank != 3 || memory->v[layer]->dims[1] != L)
            return false;
    return true;
}

/* The one for all sources, and of which widths others may follow. */
static enum t2_status build_refill(struct mdl_searches *s, struct mdl_build *b,
                                   const struct mdl_search_shape *shape,
                                   struct mdl_search_graphs *g, struct t2_err *err)
{
    enum { LEAST = 32 }; /* ids; less is not worth other graphs */
    const int32_t L = shape->inputs_length;

    g->n_refills = 1;
    g->refills[0].width = L;
    T2_TRY(build_encode(s, b, shape->refill, L, &g->refills[0].graph, &g->refills[0].memory, err));
    if (L < LEAST || !by_positions(s, &g->refills[0].memory, L))
        return T2_OK;
    for (; g->n_refills < MDL_REFILLS; g->n_refills++)
        g->refills[g->n_refills].width =
            (int32_t) ((int64_t) L * (MDL_REFILLS - g->n_refills) / MDL_REFILLS);
    return T2_OK;
}

/* What builds graphs of this model. */
static struct mdl_build build_of(const struct mdl *m, const struct mdl_tables *tables)
{
    return (struct mdl_build){.model = mdl_variables_of(m->kind),
                              .hp = m->eval_hp,
                              .problem = &m->problem,
                              .tables = tables};
}

/* One hypothesis of a source never changes places with another. */
static void add_index(struct gr_graph *g, struct mdl_step *parts)
{
    int64_t dims[] = {parts->rows, 1};

    if (parts->beam == 1)
        return;
    parts->origins = gr_ids(g, 2, dims);
    parts->cache_index = nn_cache_index(g, parts->origins, parts->max_length, 1);
}

static enum t2_status build_both(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                 struct mdl_search_graphs *g, struct t2_err *err)
{
    struct mdl *m = s->m;
    struct mdl_build b = build_of(m, mdl_positions_plan(&m->positions, positions_of(shape)));
    const struct gr_tensor *logits;
    int64_t V;

    g->tables = b.tables;
    if (m->problem.has_inputs)
        T2_TRY(
            build_encode(s, &b, shape->batch, shape->inputs_length, &g->encode, &g->memory, err));
    if (m->problem.has_inputs && shape->refill > 0)
        T2_TRY(build_refill(s, &b, shape, g, err));
    g->parts = (struct mdl_step){.rows = shape->batch * shape->beam,
                                 .beam = shape->beam,
                                 .inputs_length = shape->inputs_length,
                                 .max_length = shape->max_length,
                                 .shortlist = shape->shortlist,
                                 .memory = m->problem.has_inputs ? &g->memory : NULL};
    b.g = g->step.g = gr_new(m->dev, &m->params, false);
    b.g->packs = s->packs;
    add_index(b.g, &g->parts);
    if (shape->refill > 0)
        g->positions = gr_ids(b.g, 2, (int64_t[]){g->parts.rows, 1});
    m->kind->build_step(&b, &g->parts, &g->step);
    s->n_built++;
    T2_TRY(gr_finish(b.g, NULL, &g->step.logits, 1, err));
    if (shape->shortlist > 0)
        T2_TRY(mdl_shortlist_build(m, s->packs ? s->packs->type : DEV_FLOAT32, &g->parts,
                                   &g->shortlist, err));
    g->step_offset = g->encode.g ? g->encode.g->arena_bytes : 0;
    g->caches_offset = g->step_offset + g->step.g->arena_bytes;
    g->choice_offset = g->caches_offset + all_caches_bytes(s, &g->parts);
    logits = g->step.logits;
    V = shape->shortlist > 0 ? shape->shortlist : logits->dims[logits->rank - 1];
    g->refill_offset = g->choice_offset + mdl_choice_bytes(m->dev, &s->choice, g->parts.rows, V);
    g->shortlist_offset =
        g->refill_offset + (g->n_refills > 0 ? g->refills[0].graph.g->arena_bytes : 0);
    g->block_bytes = g->shortlist_offset + g->shortlist.bytes;
    g->graph_bytes = sizeof *g + bytes_of_graph(g->encode.g) + bytes_of_graph(g->step.g) +
                     (uint64_t) g->n_refills * bytes_of_graph(g->refills[0].graph.g) +
                     bytes_of_graph(g->shortlist.gather.g) +
                     (uint64_t) shape->batch * (uint64_t) shape->shortlist * sizeof(int32_t);
    return T2_OK;
}

static enum t2_status build(struct mdl_searches *s, const struct mdl_search_shape *shape,
                            struct mdl_search_graphs **g, struct t2_err *err)
{
    enum t2_status st;

    *g = t2_alloc(1, sizeof **g);
    st = build_both(s, shape, *g, err);
    if (st != T2_OK) {
        graphs_free(*g);
        *g = NULL;
    }
    return st;
}

/* ---- by shape ---- */

static bool same_shape(const struct mdl_search_shape *a, const struct mdl_search_shape *b)
{
    return a->batch == b->batch && a->beam == b->beam && a->inputs_length == b->inputs_length &&
           a->max_length == b->max_length && a->refill == b->refill && a->shortlist == b->shortlist;
}

static void drop_graphs(struct mdl_searched *a)
{
    graphs_free(a->graphs);
    a->graphs = NULL;
}

/* The entry of a shape; a new one, in place of the least recently used when there are many, has no
 * graphs and is not planned. */
static struct mdl_searched *entry_of(struct mdl_searches *s, const struct mdl_search_shape *shape)
{
    struct mdl_searched *a = NULL;

    for (int i = 0; i < s->n_shapes && !a; i++)
        if (same_shape(&s->shapes[i].shape, shape))
            a = &s->shapes[i];
    if (!a && s->n_shapes < MAX_SHAPES) {
        a = &s->shapes[s->n_shapes++];
        *a = (struct mdl_searched){.shape = *shape};
    } else if (!a) {
        a = &s->shapes[0];
        for (int i = 1; i < s->n_shapes; i++)
            a = s->shapes[i].last_use < a->last_use ? &s->shapes[i] : a;
        drop_graphs(a);
        *a = (struct mdl_searched){.shape = *shape};
    }
    a->last_use = ++s->clock;
    return a;
}

/* Until the rest fits, or this one's are alone.  Graphs are the host's. */
static void make_room(struct mdl_searches *s, const struct mdl_searched *used)
{
    struct dev_bytes sum = {0, 0};

    dev_bytes_add(s->m->dev, &sum, s->block_bytes + packs_bytes(s), 0);
    for (int i = 0; i < s->n_shapes; i++)
        sum.host += s->shapes[i].graphs ? s->shapes[i].graphs->graph_bytes : 0;
    while (sum.host > s->limit.host) {
        struct mdl_searched *oldest = NULL;

        for (int i = 0; i < s->n_shapes; i++) {
            struct mdl_searched *a = &s->shapes[i];

            if (a != used && a->graphs && (!oldest || a->last_use < oldest->last_use))
                oldest = a;
        }
        if (!oldest)
            return;
        sum.host -= oldest->graphs->graph_bytes;
        drop_graphs(oldest);
    }
}

enum t2_status mdl_searches_plan(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                 struct dev_bytes *needed, struct t2_err *err)
{
    const struct dev *dev = s->m->dev;
    const struct mdl_step parts = {.rows = shape->batch * shape->beam,
                                   .beam = shape->beam,
                                   .max_length = shape->max_length};
    struct mdl_searched *a = entry_of(s, shape);
    struct mdl_search_graphs *g;

    if (!a->planned) {
        a->needed = (struct dev_bytes){0, 0};
        dev_bytes_add(dev, &a->needed, all_caches_bytes(s, &parts), 0);
        *needed = with_tables(s, shape, a->needed);
        if (dev_bytes_fit(needed, &s->limit)) { /* else nothing is built for it */
            T2_TRY(build(s, shape, &g, err));
            a->graphs = g;
            a->needed = (struct dev_bytes){0, 0};
            dev_bytes_add(dev, &a->needed, g->block_bytes, g->graph_bytes);
            *needed = with_tables(s, shape, a->needed);
        }
        a->planned = true;
        if (!dev_bytes_fit(needed, &s->limit))
            drop_graphs(a);
        make_room(s, a);
    }
    *needed = with_tables(s, shape, a->needed);
    return T2_OK;
}

/* ---- in memory ---- */

/* A block that is larger than this search needs is given back when the limit wants it. */
static enum t2_status need_block(struct mdl_searches *s, const struct mdl_search_graphs *g,
                                 struct t2_err *err)
{
    struct dev *dev = s->m->dev;
    struct dev_bytes kept = {0, 0};

    dev_bytes_add(dev, &kept, s->block_bytes + packs_bytes(s), g->graph_bytes);
    if (g->block_bytes <= s->block_bytes &&
        (g->block_bytes == s->block_bytes || dev_bytes_fit(&kept, &s->limit)))
        return T2_OK;
    dev->free(dev, s->block);
    s->block_bytes = 0;
    for (int i = 0; i < s->n_shapes; i++)
        if (s->shapes[i].graphs)
            s->shapes[i].graphs->block = NULL;
    s->block = dev->alloc(dev, g->block_bytes);
    if (!s->block)
        return fail_search(s, g, err);
    s->block_bytes = g->block_bytes;
    return T2_OK;
}

static void bind(const struct mdl_searches *s, struct mdl_search_graphs *g)
{
    if (g->encode.g)
        gr_bind(g->encode.g, s->block);
    gr_bind(g->step.g, (char *) s->block + g->step_offset);
    for (int i = 0; i < g->n_refills; i++)
        if (g->refills[i].graph.g)
            gr_bind(g->refills[i].graph.g, (char *) s->block + g->refill_offset);
    if (g->shortlist.gather.g)
        mdl_shortlist_bind(&g->shortlist, (char *) s->block + g->shortlist_offset);
    for (int layer = 0; g->encode.g && layer < s->n_layers; layer++) {
        g->parts.memory_k[layer]->value = g->memory.k[layer]->value;
        g->parts.memory_v[layer]->value = g->memory.v[layer]->value;
    }
    place_caches(s, g);
    g->choice = (char *) s->block + g->choice_offset;
    g->block = s->block;
}

enum t2_status mdl_searches_get(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                struct mdl_search_graphs **graphs, struct t2_err *err)
{
    struct mdl_searched *a = entry_of(s, shape);

    if (!a->graphs)
        T2_TRY(build(s, shape, &a->graphs, err));
    if (!a->planned) {
        a->needed = (struct dev_bytes){0, 0};
        dev_bytes_add(s->m->dev, &a->needed, a->graphs->block_bytes, a->graphs->graph_bytes);
        a->planned = true;
    }
    T2_TRY(mdl_positions_make(&s->m->positions, a->graphs->tables, err));
    T2_TRY(need_block(s, a->graphs, err));
    make_room(s, a);
    if (!a->graphs->block)
        bind(s, a->graphs);
    if (s->packs)
        T2_TRY(gr_packs_make(s->packs, err));
    *graphs = a->graphs;
    return T2_OK;
}

/* Only the one for all sources is left. */
static void drop_narrow(struct mdl_search_graphs *g)
{
    for (int i = 1; i < g->n_refills; i++) {
        gr_free(g->refills[i].graph.g);
        g->refills[i].graph.g = NULL;
    }
    g->n_refills = 1;
}

enum t2_status mdl_searches_refill(struct mdl_searches *s, struct mdl_search_graphs *g,
                                   int32_t n_ids, const struct mdl_refill **refill,
                                   struct t2_err *err)
{
    const struct mdl_graph *widest = &g->refills[0].graph;
    struct mdl_build b = build_of(s->m, g->tables);
    struct mdl_refill *r = &g->refills[0];

    for (int i = 1; i < g->n_refills && n_ids <= g->refills[i].width; i++)
        r = &g->refills[i];
    if (!r->graph.g) {
        T2_TRY(build_encode(s, &b, (int32_t) widest->inputs->dims[0], r->width, &r->graph,
                            &r->memory, err));
        if (r->graph.g->arena_bytes > widest->g->arena_bytes) { /* no plan promises less */
            drop_narrow(g);
            r = &g->refills[0];
        } else {
            gr_bind(r->graph.g, (char *) g->block + g->refill_offset);
        }
    }
    *refill = r;
    return T2_OK;
}
