/*
 * train/models/model_decoder.c - a model step by step: encode once, then one target id at a time
 * against cached keys and values; or, of models without caches, the whole prefix again for every
 * id (prefix_search.h).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "train/models/prefix_search.h"
#include "train/models/search_graphs.h"

struct mdl_decoder {
    struct mdl *m;
    uint64_t max_bytes;
    bool by_prefix;
    struct mdl_prefix_search prefix;
    struct mdl_searches searches;
    /* Of the search that runs. */
    struct mdl_search_shape shape;
    struct mdl_search_graphs *graphs; /* of searches; NULL: none runs */
    int side;                         /* of the caches */
    int32_t steps_done;
    float *host_logits; /* of a device with memory of its own */
    size_t host_logits_floats;
};

enum t2_status mdl_decoder_new(struct mdl *m, uint64_t max_bytes, struct mdl_decoder **out,
                               struct t2_err *err)
{
    struct mdl_decoder *d;

    *out = NULL;
    if (!m->kind->build_step && m->kind->prefix_multiple == 0)
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s' cannot be decoded", m->kind->name);
    if (m->kind->check_decoding)
        T2_TRY(m->kind->check_decoding(m->hp, err));
    d = t2_alloc(1, sizeof *d);
    d->m = m;
    d->max_bytes = max_bytes;
    d->by_prefix = !m->kind->build_step;
    if (!d->by_prefix)
        mdl_searches_init(&d->searches, m, max_bytes);
    *out = d;
    return T2_OK;
}

void mdl_decoder_free(struct mdl_decoder *d)
{
    if (!d)
        return;
    mdl_searches_release(&d->searches);
    mdl_prefix_release(&d->prefix);
    t2_free(d->host_logits);
    t2_free(d);
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
    return m->kind->check_shape ? m->kind->check_shape(m->hp, &m->problem, &shape, err) : T2_OK;
}

enum t2_status mdl_decoder_plan(struct mdl_decoder *d, const struct mdl_search_shape *shape,
                                uint64_t *bytes, struct t2_err *err)
{
    T2_TRY(check_shape(d, shape, err));
    return d->by_prefix ? mdl_prefix_plan(d->m, shape, d->max_bytes, bytes, err)
                        : mdl_searches_plan(&d->searches, shape, bytes, err);
}

/* Encodes the sources; the keys and values that the steps will look at stay in the block. */
static enum t2_status encode(struct mdl_decoder *d, const int32_t *inputs, struct t2_err *err)
{
    struct gr_context context = {.may_stop = true};
    struct mdl_search_graphs *g = d->graphs;
    struct dev *dev = d->m->dev;

    dev->upload_now(dev, g->encode.inputs->ids, inputs,
                    (size_t) g->encode.inputs->n * sizeof *inputs);
    gr_run_forward(g->encode.g, &context);
    T2_TRY(t2_check_interrupt(err));
    dev->upload_now(dev, g->parts.memory_inputs->ids, inputs,
                    (size_t) g->parts.memory_inputs->n * sizeof *inputs);
    return T2_OK;
}

enum t2_status mdl_decoder_begin(struct mdl_decoder *d, const struct mdl_search_shape *shape,
                                 const int32_t *inputs, struct t2_err *err)
{
    T2_TRY(check_shape(d, shape, err));
    d->shape = *shape;
    d->graphs = NULL;
    d->side = 0;
    d->steps_done = 0;
    if (d->by_prefix)
        return mdl_prefix_begin(&d->prefix, d->m, shape, inputs, err);
    T2_TRY(mdl_searches_get(&d->searches, shape, &d->graphs, err));
    return d->graphs->encode.g ? encode(d, inputs, err) : T2_OK;
}

static const float *logits_on_host(struct mdl_decoder *d)
{
    const struct gr_tensor *logits = d->graphs->step.logits;
    struct dev *dev = d->m->dev;

    if (dev->host_memory)
        return logits->value;
    if (d->host_logits_floats < (size_t) logits->n) {
        t2_free(d->host_logits);
        d->host_logits_floats = (size_t) logits->n;
        d->host_logits = t2_alloc(d->host_logits_floats, sizeof *d->host_logits);
    }
    dev->download(dev, d->host_logits, logits->value, (size_t) logits->n * sizeof(float));
    return d->host_logits;
}

enum t2_status mdl_decoder_step(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                                const float **logits, struct t2_err *err)
{
    struct gr_context context = {.position = step, .may_stop = true};
    struct dev *dev = d->m->dev;
    size_t n_ids = (size_t) d->shape.batch * (size_t) d->shape.beam;
    const struct mdl_graph *graph;

    T2_ASSERT(step == d->steps_done && step < d->shape.max_length);
    if (d->by_prefix) {
        T2_TRY(mdl_prefix_step(&d->prefix, step, ids, logits, err));
        d->steps_done++;
        return T2_OK;
    }
    T2_ASSERT(d->graphs);
    graph = &d->graphs->step;
    if (step == 0)
        dev->zero(dev, graph->targets->ids, n_ids * sizeof *ids);
    else
        dev->upload_now(dev, graph->targets->ids, ids, n_ids * sizeof *ids);
    gr_run_forward(graph->g, &context);
    T2_TRY(t2_check_interrupt(err));
    d->steps_done++;
    *logits = logits_on_host(d);
    return dev_check(dev, err);
}

int32_t mdl_decoder_vocab(const struct mdl_decoder *d)
{
    const struct gr_tensor *logits;

    if (d->by_prefix)
        return mdl_prefix_vocab(d->m);
    T2_ASSERT(d->graphs);
    logits = d->graphs->step.logits;
    return (int32_t) logits->dims[logits->rank - 1];
}

enum t2_status mdl_decoder_reorder(struct mdl_decoder *d, const int32_t *from, struct t2_err *err)
{
    const struct dev_kernels *k = d->m->dev->kernels;
    const struct mdl_searches *s = &d->searches;
    int32_t rows = d->shape.batch * d->shape.beam;
    bool moves = false;

    (void) err;
    for (int32_t r = 0; r < rows; r++)
        moves |= from[r] != r;
    if (!moves)
        return T2_OK;
    if (d->by_prefix) {
        mdl_prefix_reorder(&d->prefix, from);
        return T2_OK;
    }
    d->m->dev->upload_now(d->m->dev, mdl_search_origins(d->graphs), from,
                          (size_t) rows * sizeof *from);
    for (int layer = 0; layer < s->n_layers; layer++)
        for (int c = 0; c < 3; c++)
            if (s->channels[c])
                k->cache_gather(d->m->dev,
                                &(struct dev_cache_gather_args){
                                    .from = mdl_search_cache(s, d->graphs, d->side, c, layer),
                                    .index = mdl_search_origins(d->graphs),
                                    .B = rows,
                                    .D = s->channels[c],
                                    .cache_rows = d->shape.max_length,
                                    .rows = d->steps_done,
                                    .to = mdl_search_cache(s, d->graphs, 1 - d->side, c, layer)});
    d->side = 1 - d->side;
    mdl_search_take_side(s, d->graphs, d->side);
    return T2_OK;
}
