/*
 * train/models/model_decoder.c - a model step by step: encode once, then one target id at a time
 * against cached keys and values; or, of models without caches, the whole prefix again for every
 * id (prefix_search.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "train/models/prefix_search.h"
#include "train/models/search_graphs.h"

/* Ids in the host's memory of the device, which reads them when its queue gets there. */
struct sent_ids {
    int32_t *ids;
    size_t n;
    struct dev_event *read; /* NULL: none were sent */
};

struct mdl_decoder {
    struct mdl *m;
    struct dev_bytes limit;
    bool by_prefix;
    struct mdl_choice choice;
    struct mdl_prefix_search prefix;
    struct mdl_searches searches;
    /* Of the search that runs. */
    struct mdl_search_shape shape;
    struct mdl_search_graphs *graphs; /* of searches; NULL: none runs */
    int32_t *origins, *reordered;     /* (rows): whom each continues in the next step, and room */
    int32_t *live_rows;               /* (rows), those that do not rest in this step */
    bool *is_live;                    /* (rows) */
    int32_t *new_rows;                /* (refill * inputs_length), of sources that come */
    bool *is_new;                     /* (refill * inputs_length) */
    int32_t *positions;               /* (rows): of the next step, where they stand apart */
    bool apart;
    struct sent_ids inputs, step_ids, step_origins, step_positions;
    int32_t steps_done;
    const float *features; /* of speech or images, for the next begin; borrowed */
    float *host_logits;    /* (rows, V), of mdl_decoder_step */
    size_t host_logits_floats;
    float *others; /* device memory of mdl_decoder_mean_bytes: logits of another decoder */
    uint64_t others_bytes;
};

enum t2_status mdl_decoder_new(struct mdl *m, const struct dev_bytes *limit,
                               struct mdl_decoder **out, struct t2_err *err)
{
    struct mdl_decoder *d;

    *out = NULL;
    if (m->kind->check_decoding)
        T2_TRY(m->kind->check_decoding(m->hp, err));
    if (!m->kind->build_step && m->kind->prefix_multiple == 0)
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s' cannot be decoded", m->kind->name);
    d = t2_alloc(1, sizeof *d);
    d->m = m;
    d->limit = limit ? *limit : (struct dev_bytes){UINT64_MAX, UINT64_MAX};
    d->by_prefix = !m->kind->build_step;
    if (!d->by_prefix)
        mdl_searches_init(&d->searches, m, limit);
    *out = d;
    return T2_OK;
}

static void release_sent(struct dev *dev, struct sent_ids *s)
{
    if (s->read)
        dev->event_wait(dev, s->read);
    dev->event_free(dev, s->read);
    dev->free_host(dev, s->ids);
    *s = (struct sent_ids){0};
}

static void release_rows(struct mdl_decoder *d)
{
    t2_free(d->origins);
    t2_free(d->reordered);
    t2_free(d->live_rows);
    t2_free(d->is_live);
    t2_free(d->new_rows);
    t2_free(d->is_new);
    t2_free(d->positions);
}

static void make_rows(struct mdl_decoder *d, const struct mdl_search_shape *shape)
{
    const size_t rows = (size_t) shape->batch * (size_t) shape->beam;
    const size_t new_rows = (size_t) shape->refill * (size_t) shape->inputs_length;

    d->origins = t2_alloc(rows, sizeof *d->origins);
    d->reordered = t2_alloc(rows, sizeof *d->reordered);
    d->live_rows = t2_alloc(rows, sizeof *d->live_rows);
    d->is_live = t2_alloc(rows, sizeof *d->is_live);
    d->new_rows = t2_alloc(new_rows, sizeof *d->new_rows);
    d->is_new = t2_alloc(new_rows, sizeof *d->is_new);
    d->positions = t2_alloc(rows, sizeof *d->positions);
}

void mdl_decoder_free(struct mdl_decoder *d)
{
    if (!d)
        return;
    release_sent(d->m->dev, &d->inputs);
    release_sent(d->m->dev, &d->step_ids);
    release_sent(d->m->dev, &d->step_origins);
    release_sent(d->m->dev, &d->step_positions);
    mdl_searches_release(&d->searches);
    mdl_prefix_release(&d->prefix);
    release_rows(d);
    t2_free(d->host_logits);
    d->m->dev->free(d->m->dev, d->others);
    t2_free(d);
}

void mdl_decoder_set_choice(struct mdl_decoder *d, const struct mdl_choice *choice)
{
    T2_ASSERT(choice->n >= 0 && d->searches.n_shapes == 0 && !d->prefix.m);
    d->choice = d->searches.choice = *choice;
}

int64_t mdl_decoder_n_built(const struct mdl_decoder *d)
{
    return d->searches.n_built;
}

static enum t2_status check_shape(const struct mdl_decoder *d, const struct mdl_search_shape *s,
                                  struct t2_err *err)
{
    const struct mdl *m = d->m;
    struct mdl_shape shape = {.batch = s->batch,
                              .inputs_length = s->inputs_length,
                              .targets_length = 1};

    T2_ASSERT(s->batch > 0 && s->beam > 0 && s->batch <= INT32_MAX / s->beam && s->max_length > 0);
    T2_ASSERT(!m->problem.has_inputs || s->inputs_length > 0);
    if (m->kind->most_positions && s->max_length > m->kind->most_positions(m->hp))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "a text of up to %" PRId32 " ids, prompt included: model '%s' continues one "
                       "to %" PRId64 " at most; --decode_hparams=extra_length=N says how many are "
                       "added",
                       s->max_length, m->kind->name, m->kind->most_positions(m->hp));
    if (m->kind->remembers) /* caches take the place of its memory, which is of fewer rows */
        return T2_OK;
    return m->kind->check_shape ? m->kind->check_shape(m->hp, &m->problem, &shape, err) : T2_OK;
}

enum t2_status mdl_decoder_plan(struct mdl_decoder *d, const struct mdl_search_shape *shape,
                                struct dev_bytes *needed, struct t2_err *err)
{
    T2_TRY(check_shape(d, shape, err));
    return d->by_prefix ? mdl_prefix_plan(d->m, shape, &d->choice, &d->limit, needed, err)
                        : mdl_searches_plan(&d->searches, shape, needed, err);
}

/* Copies n ids to the device; they may change when this returns. */
static enum t2_status send(struct dev *dev, struct sent_ids *s, int32_t *to, const int32_t *ids,
                           size_t n, struct t2_err *err)
{
    if (dev->host_memory) {
        dev->upload_now(dev, to, ids, n * sizeof *ids);
        return T2_OK;
    }
    if (n > s->n) {
        release_sent(dev, s);
        s->ids = dev->alloc_host(dev, n * sizeof *ids);
        if (!s->ids)
            return t2_fail(err, T2_ENOMEM, "not enough memory for %zu ids", n);
        s->n = n;
    }
    if (s->read)
        dev->event_wait(dev, s->read);
    else
        s->read = dev->event_new(dev);
    memcpy(s->ids, ids, n * sizeof *ids);
    dev->upload(dev, to, s->ids, n * sizeof *ids);
    dev->event_record(dev, DEV_COMPUTE, s->read);
    return T2_OK;
}

/* Encodes the sources; the keys and values that the steps will look at stay in the block. */
static enum t2_status encode(struct mdl_decoder *d, const int32_t *inputs, struct t2_err *err)
{
    struct gr_context context = {.may_stop = true};
    struct mdl_search_graphs *g = d->graphs;
    struct dev *dev = d->m->dev;

    if (d->m->problem.speech)
        dev->upload_now(dev, g->encode.images->value, d->features, gr_bytes(g->encode.images));
    else
        T2_TRY(send(dev, &d->inputs, g->encode.inputs->ids, inputs, (size_t) g->encode.inputs->n,
                    err));
    gr_run_forward(g->encode.g, &context);
    dev->copy(dev, g->parts.memory_inputs->ids, g->encode.inputs->ids,
              (size_t) g->parts.memory_inputs->n * sizeof *inputs);
    return t2_check_interrupt(err);
}

/* Every hypothesis continues itself. */
static void stay(struct mdl_decoder *d)
{
    for (int32_t r = 0; r < d->shape.batch * d->shape.beam; r++)
        d->origins[r] = r;
}

/* No place has a source: all is padding, of finite keys and values, and rests. */
static void leave_empty(struct mdl_decoder *d)
{
    const struct mdl_step *parts = &d->graphs->parts;
    struct gr_tensor *ids = parts->memory_inputs;
    struct dev *dev = d->m->dev;

    dev->zero(dev, ids->ids, (size_t) ids->n * sizeof *ids->ids);
    for (int layer = 0; layer < d->graphs->memory.n_layers; layer++) {
        dev->zero(dev, parts->memory_k[layer]->value, gr_bytes(parts->memory_k[layer]));
        dev->zero(dev, parts->memory_v[layer]->value, gr_bytes(parts->memory_v[layer]));
    }
}

void mdl_decoder_hear(struct mdl_decoder *d, const float *features)
{
    d->features = features;
}

enum t2_status mdl_decoder_begin(struct mdl_decoder *d, const struct mdl_search_shape *shape,
                                 const int32_t *inputs, struct t2_err *err)
{
    T2_TRY(check_shape(d, shape, err));
    d->shape = *shape;
    d->graphs = NULL;
    d->steps_done = 0;
    d->apart = false;
    release_rows(d);
    make_rows(d, shape);
    stay(d);
    if (d->by_prefix)
        return mdl_prefix_begin(&d->prefix, d->m, shape, &d->choice, inputs, d->features, err);
    T2_TRY(mdl_searches_get(&d->searches, shape, &d->graphs, err));
    if (!d->graphs->encode.g)
        return T2_OK;
    if (inputs || d->m->problem.speech)
        return encode(d, inputs, err);
    T2_ASSERT(shape->refill > 0);
    leave_empty(d);
    return T2_OK;
}

bool mdl_decoder_shortlists(const struct mdl_decoder *d)
{
    return !d->by_prefix;
}

void mdl_decoder_shortlist(struct mdl_decoder *d, int32_t source, const int32_t *ids, int32_t n)
{
    T2_ASSERT(d->graphs && d->shape.shortlist > 0);
    mdl_shortlist_set(&d->graphs->shortlist, source, ids, n);
}

bool mdl_decoder_refills(const struct mdl_decoder *d)
{
    return !d->by_prefix && !d->m->problem.speech && !d->m->kind->chunk_positions;
}

/* The longest of n sources (n, L), without the zeros at their ends. */
static int32_t longest_of(const int32_t *inputs, int32_t n, size_t L)
{
    size_t longest = 1;

    for (size_t i = 0; i < (size_t) n; i++)
        for (size_t k = L; k > longest; k--)
            if (inputs[i * L + k - 1] != 0)
                longest = k;
    return (int32_t) longest;
}

/* The i-th source of a refill into a place; what lies behind it there is padding, whatever keys and
 * values it has. */
static void take_place(struct mdl_decoder *d, const struct mdl_refill *refill, size_t i, size_t at)
{
    const struct mdl_search_graphs *g = d->graphs;
    const struct mdl_step *parts = &g->parts;
    const size_t L = (size_t) d->shape.inputs_length, batch = (size_t) d->shape.batch;
    const size_t width = (size_t) refill->width, room = (size_t) d->shape.refill;
    int32_t *ids = parts->memory_inputs->ids + at * L;
    struct dev *dev = d->m->dev;

    dev->copy(dev, ids, refill->graph.inputs->ids + i * width, width * sizeof *ids);
    if (width < L)
        dev->zero(dev, ids + width, (L - width) * sizeof *ids);
    for (int layer = 0; layer < g->memory.n_layers; layer++) {
        size_t k = gr_bytes(refill->memory.k[layer]) / room;
        size_t v = gr_bytes(refill->memory.v[layer]) / room;

        dev->copy(dev,
                  (char *) parts->memory_k[layer]->value +
                      at * (gr_bytes(g->memory.k[layer]) / batch),
                  (char *) refill->memory.k[layer]->value + i * k, k);
        dev->copy(dev,
                  (char *) parts->memory_v[layer]->value +
                      at * (gr_bytes(g->memory.v[layer]) / batch),
                  (char *) refill->memory.v[layer]->value + i * v, v);
    }
}

/* Rows of the first n sources of a refill; NULL: all of them are.  Rows of others, as in live_of,
 * are not looked at. */
static const struct dev_live *rows_of_new(struct mdl_decoder *d, int32_t n, int32_t L,
                                          struct dev_live *live)
{
    const int32_t of = d->shape.refill * L;

    *live = (struct dev_live){.n = n * L, .of = of, .rows = d->new_rows, .is_live = d->is_new};
    if (n == d->shape.refill || !d->m->dev->host_memory)
        return NULL;
    for (int32_t r = 0; r < of; r++) {
        d->is_new[r] = r < live->n;
        d->new_rows[r] = r;
    }
    return live;
}

/* Their keys and values go where those of the sources before lay. */
static enum t2_status encode_again(struct mdl_decoder *d, int32_t n, const int32_t *places,
                                   const int32_t *inputs, struct t2_err *err)
{
    const size_t L = (size_t) d->shape.inputs_length, room = (size_t) d->shape.refill;
    const struct mdl_refill *refill;
    struct dev_live live;
    struct gr_context context = {.may_stop = true};
    struct dev *dev = d->m->dev;
    int32_t *narrow;
    size_t width;
    enum t2_status st;

    T2_TRY(mdl_searches_refill(&d->searches, d->graphs, longest_of(inputs, n, L), &refill, err));
    width = (size_t) refill->width;
    context.live = rows_of_new(d, n, refill->width, &live);
    narrow = t2_alloc(room * width, sizeof *narrow);
    for (size_t i = 0; i < room; i++)
        memcpy(narrow + i * width, inputs + i * L, width * sizeof *narrow);
    st = send(dev, &d->inputs, refill->graph.inputs->ids, narrow, room * width, err);
    t2_free(narrow);
    if (st != T2_OK)
        return st;
    gr_run_forward(refill->graph.g, &context);
    T2_TRY(t2_check_interrupt(err));
    for (size_t i = 0; i < (size_t) n; i++)
        take_place(d, refill, i, (size_t) places[i]);
    return T2_OK;
}

enum t2_status mdl_decoder_refill(struct mdl_decoder *d, int32_t n, const int32_t *places,
                                  const int32_t *inputs, struct t2_err *err)
{
    const int32_t beam = d->shape.beam;

    T2_ASSERT(mdl_decoder_refills(d) && d->graphs && n > 0 && n <= d->shape.refill);
    if (d->graphs->n_refills > 0)
        T2_TRY(encode_again(d, n, places, inputs, err));
    for (int32_t r = 0; !d->apart && r < d->shape.batch * beam; r++)
        d->positions[r] = d->steps_done;
    d->apart = true;
    for (int32_t i = 0; i < n; i++)
        for (int32_t r = places[i] * beam; r < (places[i] + 1) * beam; r++) {
            d->positions[r] = 0;
            d->origins[r] = r;
        }
    return T2_OK;
}

/* Does a position read no id? */
static bool begins_chunk(const struct mdl *m, int32_t step)
{
    return step == 0 || (m->kind->chunk_positions && step % m->kind->chunk_positions(m->hp) == 0);
}

/* The rows that do not rest; NULL: all.  Another device than the host computes all of them: a
 * launch costs it more than rows. */
static const struct dev_live *live_of(struct mdl_decoder *d, const struct dev_ask *asks,
                                      struct dev_live *live)
{
    int32_t n = d->shape.batch * d->shape.beam;

    *live = (struct dev_live){.of = n, .rows = d->live_rows, .is_live = d->is_live};
    if (!asks || !d->m->dev->host_memory)
        return NULL;
    for (int32_t r = 0; r < n; r++) {
        d->is_live[r] = !asks[r].rests;
        if (d->is_live[r])
            d->live_rows[live->n++] = r;
    }
    return live->n < n ? live : NULL;
}

/* Rows that rest stay where they are; caches have no row for more. */
static void advance(struct mdl_decoder *d, const struct dev_ask *asks)
{
    for (int32_t r = 0; r < d->shape.batch * d->shape.beam; r++)
        if (!(asks && asks[r].rests) && d->positions[r] < d->shape.max_length - 1)
            d->positions[r]++;
}

/* One step; the logits stay on the device.  asks may be NULL: all rows are computed. */
static enum t2_status run_step(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                               const struct dev_ask *asks, struct mdl_logit_rows *rows,
                               struct t2_err *err)
{
    struct dev_live live;
    struct gr_context context = {.position = step,
                                 .live = live_of(d, asks, &live),
                                 .may_stop = true};
    struct dev *dev = d->m->dev;
    size_t n = (size_t) d->shape.batch * (size_t) d->shape.beam;
    const struct mdl_graph *graph;

    T2_ASSERT(step == d->steps_done && (d->apart || step < d->shape.max_length));
    d->steps_done++;
    if (d->by_prefix)
        return mdl_prefix_step(&d->prefix, step, ids, rows, err);
    T2_ASSERT(d->graphs);
    graph = &d->graphs->step;
    if (begins_chunk(d->m, step))
        dev->zero(dev, graph->targets->ids, n * sizeof *ids);
    else
        T2_TRY(send(dev, &d->step_ids, graph->targets->ids, ids, n, err));
    if (d->graphs->parts.origins)
        T2_TRY(send(dev, &d->step_origins, d->graphs->parts.origins->ids, d->origins, n, err));
    stay(d);
    if (d->apart) {
        T2_TRY(send(dev, &d->step_positions, d->graphs->positions->ids, d->positions, n, err));
        context.positions = d->graphs->positions->ids;
        advance(d, asks);
    }
    gr_run_forward(graph->g, &context);
    T2_TRY(t2_check_interrupt(err));
    if (d->shape.shortlist > 0) {
        *rows = mdl_shortlist_logits(&d->graphs->shortlist, graph->logits->value, context.live);
        return t2_check_interrupt(err);
    }
    *rows = (struct mdl_logit_rows){.logits = graph->logits->value,
                                    .rows = (int64_t) n,
                                    .V = mdl_decoder_vocab(d),
                                    .stride = mdl_decoder_vocab(d)};
    return T2_OK;
}

enum t2_status mdl_decoder_step(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                                const float **logits, struct t2_err *err)
{
    struct dev *dev = d->m->dev;
    struct mdl_logit_rows rows;

    T2_ASSERT(d->shape.shortlist == 0);
    T2_TRY(run_step(d, step, ids, NULL, &rows, err));
    if (d->host_logits_floats < (size_t) (rows.rows * rows.V)) {
        t2_free(d->host_logits);
        d->host_logits_floats = (size_t) (rows.rows * rows.V);
        d->host_logits = t2_alloc(d->host_logits_floats, sizeof *d->host_logits);
    }
    for (int64_t r = 0; r < rows.rows; r++)
        dev->download(dev, d->host_logits + r * rows.V, rows.logits + r * rows.stride,
                      (size_t) rows.V * sizeof(float));
    *logits = d->host_logits;
    return dev_check(dev, err);
}

enum t2_status mdl_decoder_choose(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                                  const struct dev_ask *asks, struct dev_candidate *best,
                                  struct t2_err *err)
{
    struct mdl_logit_rows rows;

    T2_ASSERT(d->choice.n > 0);
    T2_TRY(run_step(d, step, ids, asks, &rows, err));
    mdl_choose(d->m->dev, &d->choice, d->by_prefix ? d->prefix.choice : d->graphs->choice, &rows,
               asks, best);
    if (d->shape.shortlist > 0)
        mdl_shortlist_name(&d->graphs->shortlist, asks, best, mdl_choice_n(&d->choice, rows.V));
    return dev_check(d->m->dev, err);
}

uint64_t mdl_decoder_mean_bytes(int32_t rows, int32_t V)
{
    return (uint64_t) rows * (uint64_t) V * sizeof(float);
}

/* logits [+]= x / n; x and logits on the device, x (rows, V) where it is another's. */
static void add_mean(struct dev *dev, const struct mdl_logit_rows *rows, float *logits,
                     const float *other, int n)
{
    for (int64_t r = 0; r < rows->rows; r++) {
        float *to = logits + r * rows->stride;
        struct dev_scale_args a = {.type = DEV_FLOAT32,
                                   .x = other ? other + r * rows->V : to,
                                   .n = rows->V,
                                   .scale = 1.0F / (float) n,
                                   .accumulate = other != NULL,
                                   .y = to};

        dev->kernels->scale(dev, &a);
    }
}

static enum t2_status need_others(struct mdl_decoder *d, const struct mdl_logit_rows *rows,
                                  struct t2_err *err)
{
    struct dev *dev = d->m->dev;
    uint64_t bytes = mdl_decoder_mean_bytes((int32_t) rows->rows, (int32_t) rows->V);

    if (bytes <= d->others_bytes)
        return T2_OK;
    dev->free(dev, d->others);
    d->others_bytes = 0;
    d->others = dev->alloc(dev, bytes);
    if (!d->others)
        return mdl_fail_decoding_memory(dev, bytes, err);
    d->others_bytes = bytes;
    return T2_OK;
}

enum t2_status mdl_decoder_choose_mean(struct mdl_decoder *const *d, int n, int32_t step,
                                       const int32_t *ids, const struct dev_ask *asks,
                                       struct dev_candidate *best, struct t2_err *err)
{
    struct mdl_decoder *first = d[0];
    struct dev *dev = first->m->dev;
    struct mdl_logit_rows rows;
    float *mean; /* the logits themselves, which the next step makes anew */

    T2_ASSERT(first->choice.n > 0 && first->shape.shortlist == 0);
    T2_TRY(run_step(first, step, ids, NULL, &rows, err));
    T2_TRY(need_others(first, &rows, err));
    mean = (float *) (uintptr_t) rows.logits;
    add_mean(dev, &rows, mean, NULL, n);
    for (int i = 1; i < n; i++) {
        const float *logits;
        int32_t V = mdl_decoder_vocab(d[i]);

        T2_ASSERT(V == rows.V);
        T2_TRY(mdl_decoder_step(d[i], step, ids, &logits, err));
        dev->upload_now(dev, first->others, logits, (size_t) (rows.rows * rows.V) * sizeof *logits);
        add_mean(dev, &rows, mean, first->others, n);
    }
    mdl_choose(dev, &first->choice, first->by_prefix ? first->prefix.choice : first->graphs->choice,
               &rows, asks, best);
    return dev_check(dev, err);
}

int32_t mdl_decoder_vocab(const struct mdl_decoder *d)
{
    const struct gr_tensor *logits;

    if (d->by_prefix)
        return mdl_prefix_vocab(d->m);
    T2_ASSERT(d->graphs);
    if (d->shape.shortlist > 0)
        return d->shape.shortlist;
    logits = d->graphs->step.logits;
    return (int32_t) logits->dims[logits->rank - 1];
}

enum t2_status mdl_decoder_reorder(struct mdl_decoder *d, const int32_t *from, struct t2_err *err)
{
    int32_t rows = d->shape.batch * d->shape.beam, *origins = d->origins;

    (void) err;
    if (d->by_prefix) {
        mdl_prefix_reorder(&d->prefix, from);
        return T2_OK;
    }
    for (int32_t r = 0; r < rows; r++) {
        d->reordered[r] = origins[from[r]];
        /* rows of a source are at one position, but for those that rested in its first step */
        d->positions[r] = d->positions[from[r]];
    }
    d->origins = d->reordered;
    d->reordered = origins;
    return T2_OK;
}
