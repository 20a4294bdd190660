/*
 * train/models/search_graphs.c - see the header.
 */
#include "train/models/search_graphs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum { MAX_SHAPES = 512, ALIGNMENT = 64 };

void mdl_searches_init(struct mdl_searches *s, struct mdl *m, uint64_t max_bytes)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->max_bytes = max_bytes;
    s->n_layers = m->kind->n_decoder_layers(m->hp);
    m->kind->cache_channels(m->hp, &s->channels[0], &s->channels[1], &s->channels[2]);
    s->shapes = t2_alloc(MAX_SHAPES, sizeof *s->shapes);
}

static void graphs_free(struct mdl_search_graphs *g)
{
    if (!g)
        return;
    gr_free(g->encode.g);
    gr_free(g->step.g);
    t2_free(g);
}

void mdl_searches_release(struct mdl_searches *s)
{
    for (int i = 0; i < s->n_shapes; i++)
        graphs_free(s->shapes[i].graphs);
    t2_free(s->shapes);
    if (s->m)
        s->m->dev->free(s->m->dev, s->block);
}

enum t2_status mdl_fail_decoding_memory(uint64_t bytes, struct t2_err *err)
{
    char human[32];

    return t2_fail(err, T2_ENOMEM,
                   "not enough memory for decoding (%s); use a smaller batch_size or beam_size in "
                   "--decode_hparams",
                   t2_human_bytes(bytes, human, sizeof human));
}

/* ---- sizes ---- */

static uint64_t cache_bytes(const struct mdl_searches *s, const struct mdl_step *parts, int c)
{
    uint64_t n = (uint64_t) parts->rows * (uint64_t) parts->max_length * (uint64_t) s->channels[c] *
                 sizeof(float);

    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* One hypothesis of a source never changes places with another. */
static int n_sides(const struct mdl_step *parts)
{
    return parts->beam > 1 ? 2 : 1;
}

static uint64_t origins_bytes(const struct mdl_step *parts)
{
    uint64_t n = n_sides(parts) > 1 ? (uint64_t) parts->rows * sizeof(int32_t) : 0;

    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Of all layers and sides; more than any machine has where 64 bits are too few. */
static uint64_t all_caches_bytes(const struct mdl_searches *s, const struct mdl_step *parts)
{
    double channels = (double) (s->channels[0] + s->channels[1] + s->channels[2]);
    uint64_t layer = 0;

    if ((double) parts->rows * parts->max_length * channels * s->n_layers > 0x1p58)
        return (uint64_t) 1 << 60;
    for (int c = 0; c < 3; c++)
        layer += cache_bytes(s, parts, c);
    return (uint64_t) n_sides(parts) * layer * (uint64_t) s->n_layers;
}

int32_t *mdl_search_origins(const struct mdl_search_graphs *g)
{
    return (int32_t *) (void *) ((char *) g->block + g->origins_offset);
}

float *mdl_search_cache(const struct mdl_searches *s, const struct mdl_search_graphs *g, int side,
                        int c, int layer)
{
    uint64_t sides = (uint64_t) n_sides(&g->parts);
    uint64_t at = g->caches_offset + all_caches_bytes(s, &g->parts) / sides * (uint64_t) side;

    T2_ASSERT((uint64_t) side < sides);
    for (int i = 0; i < c; i++)
        at += cache_bytes(s, &g->parts, i) * (uint64_t) s->n_layers;
    at += cache_bytes(s, &g->parts, c) * (uint64_t) layer;
    return (float *) (void *) ((char *) s->block + at);
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

/* Of the table of positions, where it has to grow. */
static uint64_t new_position_bytes(const struct mdl_searches *s,
                                   const struct mdl_search_shape *shape)
{
    int64_t n = positions_of(shape);

    return n <= s->m->tables.n_positions
               ? 0
               : 2 * (uint64_t) n * (uint64_t) mdl_hp_int(s->m->hp, "hidden_size") * sizeof(float);
}

/* ---- building ---- */

static enum t2_status build_encode(struct mdl_searches *s, struct mdl_build *b,
                                   const struct mdl_search_shape *shape,
                                   struct mdl_search_graphs *g, struct t2_err *err)
{
    struct gr_tensor *keep[2 * MDL_MAX_LAYERS]; /* what the decoder looks at in every step */

    b->g = g->encode.g = gr_new(s->m->dev, &s->m->params, false);
    s->m->kind->build_encode(b, shape->batch, shape->inputs_length, &g->encode, &g->memory);
    for (int layer = 0; layer < s->n_layers; layer++) {
        keep[2 * layer] = g->memory.k[layer];
        keep[2 * layer + 1] = g->memory.v[layer];
    }
    s->n_built++;
    return gr_finish(b->g, NULL, keep, 2 * s->n_layers, err);
}

static enum t2_status build_both(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                 struct mdl_search_graphs *g, struct t2_err *err)
{
    struct mdl *m = s->m;
    struct mdl_build b = {.model = m->kind->name,
                          .hp = m->eval_hp,
                          .problem = &m->problem,
                          .tables = &m->tables};

    T2_TRY(mdl_place_positions(m, positions_of(shape), err));
    g->positions = m->tables.timing;
    if (m->problem.has_inputs)
        T2_TRY(build_encode(s, &b, shape, g, err));
    g->parts = (struct mdl_step){.rows = shape->batch * shape->beam,
                                 .beam = shape->beam,
                                 .inputs_length = shape->inputs_length,
                                 .max_length = shape->max_length,
                                 .memory = m->problem.has_inputs ? &g->memory : NULL};
    b.g = g->step.g = gr_new(m->dev, &m->params, false);
    m->kind->build_step(&b, &g->parts, &g->step);
    s->n_built++;
    T2_TRY(gr_finish(b.g, NULL, &g->step.logits, 1, err));
    g->step_offset = g->encode.g ? g->encode.g->arena_bytes : 0;
    g->caches_offset = g->step_offset + g->step.g->arena_bytes;
    g->origins_offset = g->caches_offset + all_caches_bytes(s, &g->parts);
    g->block_bytes = g->origins_offset + origins_bytes(&g->parts);
    g->graph_bytes = sizeof *g + bytes_of_graph(g->encode.g) + bytes_of_graph(g->step.g);
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
           a->max_length == b->max_length;
}

static void drop_graphs(struct mdl_searched *a)
{
    graphs_free(a->graphs);
    a->graphs = NULL;
}

/* The entry of a shape; a new one, in place of the least recently used when there are many, has no
 * graphs and bytes 0. */
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
    /* a table that was only placed has no values when it is replaced */
    if (a->graphs && a->graphs->positions != s->m->tables.timing)
        drop_graphs(a);
    a->last_use = ++s->clock;
    return a;
}

/* Until the rest fits, or this one's are alone. */
static void make_room(struct mdl_searches *s, const struct mdl_searched *used)
{
    uint64_t sum = s->block_bytes;

    for (int i = 0; i < s->n_shapes; i++)
        sum += s->shapes[i].graphs ? s->shapes[i].graphs->graph_bytes : 0;
    while (sum > s->max_bytes) {
        struct mdl_searched *oldest = NULL;

        for (int i = 0; i < s->n_shapes; i++) {
            struct mdl_searched *a = &s->shapes[i];

            if (a != used && a->graphs && (!oldest || a->last_use < oldest->last_use))
                oldest = a;
        }
        if (!oldest)
            return;
        sum -= oldest->graphs->graph_bytes;
        drop_graphs(oldest);
    }
}

enum t2_status mdl_searches_plan(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                 uint64_t *bytes, struct t2_err *err)
{
    const struct mdl_step parts = {.rows = shape->batch * shape->beam,
                                   .beam = shape->beam,
                                   .max_length = shape->max_length};
    struct mdl_searched *a = entry_of(s, shape);
    uint64_t positions = new_position_bytes(s, shape);
    struct mdl_search_graphs *g;

    if (a->bytes == 0) {
        a->bytes = all_caches_bytes(s, &parts) + positions;
        if (a->bytes <= s->max_bytes) { /* else nothing is built or placed for it */
            T2_TRY(build(s, shape, &g, err));
            a->graphs = g;
            a->bytes = g->block_bytes + g->graph_bytes + positions;
        }
        if (a->bytes > s->max_bytes)
            drop_graphs(a);
        make_room(s, a);
    }
    *bytes = a->bytes;
    return T2_OK;
}

/* ---- in memory ---- */

/* A block that is larger than this search needs is given back when the limit wants it. */
static enum t2_status need_block(struct mdl_searches *s, const struct mdl_search_graphs *g,
                                 struct t2_err *err)
{
    struct dev *dev = s->m->dev;

    if (g->block_bytes <= s->block_bytes &&
        (g->block_bytes == s->block_bytes || s->block_bytes + g->graph_bytes <= s->max_bytes))
        return T2_OK;
    dev->free(dev, s->block);
    s->block_bytes = 0;
    for (int i = 0; i < s->n_shapes; i++)
        if (s->shapes[i].graphs)
            s->shapes[i].graphs->block = NULL;
    s->block = dev->alloc(dev, g->block_bytes);
    if (!s->block)
        return mdl_fail_decoding_memory(g->block_bytes, err);
    s->block_bytes = g->block_bytes;
    return T2_OK;
}

void mdl_search_take_side(const struct mdl_searches *s, struct mdl_search_graphs *g, int side)
{
    for (int layer = 0; layer < s->n_layers; layer++) {
        g->parts.k_tensors[layer]->value = mdl_search_cache(s, g, side, 0, layer);
        g->parts.v_tensors[layer]->value = mdl_search_cache(s, g, side, 1, layer);
        if (s->channels[2])
            g->parts.f_tensors[layer]->value = mdl_search_cache(s, g, side, 2, layer);
    }
}

static void bind(const struct mdl_searches *s, struct mdl_search_graphs *g)
{
    if (g->encode.g)
        gr_bind(g->encode.g, s->block);
    gr_bind(g->step.g, (char *) s->block + g->step_offset);
    for (int layer = 0; g->encode.g && layer < s->n_layers; layer++) {
        g->parts.memory_k[layer]->value = g->memory.k[layer]->value;
        g->parts.memory_v[layer]->value = g->memory.v[layer]->value;
    }
    g->block = s->block;
}

enum t2_status mdl_searches_get(struct mdl_searches *s, const struct mdl_search_shape *shape,
                                struct mdl_search_graphs **graphs, struct t2_err *err)
{
    struct mdl_searched *a = entry_of(s, shape);

    T2_TRY(mdl_need_positions(s->m, positions_of(shape), err));
    if (a->graphs && a->graphs->positions != s->m->tables.timing)
        drop_graphs(a);
    if (!a->graphs)
        T2_TRY(build(s, shape, &a->graphs, err));
    if (a->bytes == 0)
        a->bytes = a->graphs->block_bytes + a->graphs->graph_bytes;
    T2_TRY(need_block(s, a->graphs, err));
    make_room(s, a);
    if (!a->graphs->block)
        bind(s, a->graphs);
    mdl_search_take_side(s, a->graphs, 0);
    *graphs = a->graphs;
    return T2_OK;
}
