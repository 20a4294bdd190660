/*
 * train/models/model_decoder.c - a model step by step: encode once, then one target id at a time
 * against cached keys and values; or, of models without caches, the whole prefix again for every
 * id.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "base/str.h"
#include "train/models/model_parts.h"

struct mdl_decoder {
    struct mdl *m;
    int32_t max_rows, max_inputs_length, max_length;
    int32_t rows;
    int32_t n_layers;
    int64_t k_channels, v_channels, f_channels;
    float *k[2][MDL_MAX_LAYERS], *v[2][MDL_MAX_LAYERS],
        *f[2][MDL_MAX_LAYERS]; /* caches, and where a reordering goes */
    int current;
    struct mdl_graph encode, step;
    struct mdl_memory memory;
    struct mdl_step parts;
    void *encode_arena, *step_arena;
    size_t encode_bytes, step_bytes;
    int32_t steps_done;
    /* of a model without build_step: the sources of all rows, and their ids so far (rows,
     * max_length) */
    bool by_prefix;
    int32_t inputs_length;
    int32_t *inputs, *prefix, *reordered;
    float *host_logits;
    size_t host_logits_floats;
};

static enum t2_status out_of_memory(struct t2_err *err, size_t bytes)
{
    char human[32];

    return t2_fail(err, T2_ENOMEM,
                   "not enough memory for decoding (%s); use a smaller batch_size or beam_size in "
                   "--decode_hparams",
                   t2_human_bytes(bytes, human, sizeof human));
}

static void need_host_logits(struct mdl_decoder *d, int64_t n)
{
    if (d->host_logits_floats >= (size_t) n)
        return;
    t2_free(d->host_logits);
    d->host_logits_floats = (size_t) n;
    d->host_logits = t2_alloc(d->host_logits_floats, sizeof *d->host_logits);
}

/* ---- the whole prefix for every id (_slow_greedy_infer, _beam_decode_slow) ---- */

static int64_t round_up(const struct mdl_decoder *d, int64_t n)
{
    int64_t multiple = d->m->kind->prefix_multiple;

    return (n + multiple - 1) / multiple * multiple;
}

static void new_prefixes(struct mdl_decoder *d)
{
    size_t rows = (size_t) d->max_rows, ids = (size_t) round_up(d, d->max_length);

    T2_ASSERT(d->m->problem.has_inputs);
    d->by_prefix = true;
    d->inputs = t2_alloc(rows * (size_t) d->max_inputs_length, sizeof *d->inputs);
    d->prefix = t2_alloc(rows * ids, sizeof *d->prefix);
    d->reordered = t2_alloc(rows * ids, sizeof *d->reordered);
}

static void begin_prefixes(struct mdl_decoder *d, const int32_t *inputs, int32_t length,
                           int32_t beam)
{
    memset(d->prefix, 0, (size_t) d->rows * (size_t) round_up(d, d->max_length) * sizeof(int32_t));
    d->inputs_length = length;
    for (int32_t r = 0; r < d->rows; r++)
        memcpy(d->inputs + (size_t) r * (size_t) length,
               inputs + (size_t) (r / beam) * (size_t) length, (size_t) length * sizeof *inputs);
}

/* Targets with padding behind them: of whole multiples, as the model makes them anyway. */
static enum t2_status step_prefixes(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                                    struct t2_err *err)
{
    int64_t width = round_up(d, d->max_length), length = round_up(d, step + 1);
    int64_t V = mdl_decoder_vocab(d), per_row = length * V;
    struct mdl_batch batch = {.batch = d->rows,
                              .inputs_length = d->inputs_length,
                              .targets_length = (int32_t) length,
                              .inputs = d->inputs,
                              .targets = d->reordered};

    for (int32_t r = 0; r < d->rows; r++) {
        if (step > 0)
            d->prefix[r * width + step - 1] = ids[r];
        memcpy(d->reordered + r * length, d->prefix + r * width, (size_t) length * sizeof *ids);
    }
    need_host_logits(d, d->rows * per_row);
    T2_TRY(mdl_logits(d->m, &batch, d->host_logits, err));
    for (int32_t r = 0; r < d->rows; r++)
        memmove(d->host_logits + r * V, d->host_logits + r * per_row + step * V,
                (size_t) V * sizeof(float));
    d->steps_done++;
    return T2_OK;
}

static void reorder_prefixes(struct mdl_decoder *d, const int32_t *from)
{
    size_t width = (size_t) round_up(d, d->max_length);
    int32_t *swapped = d->prefix;

    for (int32_t r = 0; r < d->rows; r++)
        memcpy(d->reordered + (size_t) r * width, d->prefix + (size_t) from[r] * width,
               width * sizeof *swapped);
    d->prefix = d->reordered;
    d->reordered = swapped;
}

/* ---- life ---- */

enum t2_status mdl_decoder_new(struct mdl *m, int32_t max_rows, int32_t max_inputs_length,
                               int32_t max_length, struct mdl_decoder **out, struct t2_err *err)
{
    struct mdl_decoder *d;

    T2_ASSERT(max_rows > 0 && max_length > 0);
    *out = NULL;
    if (!m->kind->build_step && m->kind->prefix_multiple == 0)
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s' cannot be decoded", m->kind->name);
    if (m->kind->check_decoding)
        T2_TRY(m->kind->check_decoding(m->hp, err));
    T2_TRY(mdl_need_positions(m, max_length > max_inputs_length ? max_length : max_inputs_length,
                              err));
    d = t2_alloc(1, sizeof *d);
    d->m = m;
    d->max_rows = max_rows;
    d->max_inputs_length = max_inputs_length;
    d->max_length = max_length;
    if (!m->kind->build_step) {
        new_prefixes(d);
        *out = d;
        return T2_OK;
    }
    d->n_layers = m->kind->n_decoder_layers(m->hp);
    m->kind->cache_channels(m->hp, &d->k_channels, &d->v_channels, &d->f_channels);
    for (int side = 0; side < 2; side++)
        for (int layer = 0; layer < d->n_layers; layer++) {
            size_t rows = (size_t) max_rows * (size_t) max_length * sizeof(float);

            d->k[side][layer] = m->dev->alloc(m->dev, rows * (size_t) d->k_channels);
            d->v[side][layer] = m->dev->alloc(m->dev, rows * (size_t) d->v_channels);
            if (d->f_channels)
                d->f[side][layer] = m->dev->alloc(m->dev, rows * (size_t) d->f_channels);
            if (!d->k[side][layer] || !d->v[side][layer] || (d->f_channels && !d->f[side][layer])) {
                size_t all = rows * (size_t) (d->k_channels + d->v_channels + d->f_channels) * 2 *
                             (size_t) d->n_layers;

                mdl_decoder_free(d);
                return out_of_memory(err, all);
            }
        }
    *out = d;
    return T2_OK;
}

void mdl_decoder_free(struct mdl_decoder *d)
{
    if (!d)
        return;
    gr_free(d->encode.g);
    gr_free(d->step.g);
    for (int side = 0; side < 2; side++)
        for (int layer = 0; layer < d->n_layers; layer++) {
            d->m->dev->free(d->m->dev, d->k[side][layer]);
            d->m->dev->free(d->m->dev, d->v[side][layer]);
            d->m->dev->free(d->m->dev, d->f[side][layer]);
        }
    d->m->dev->free(d->m->dev, d->encode_arena);
    d->m->dev->free(d->m->dev, d->step_arena);
    t2_free(d->inputs);
    t2_free(d->prefix);
    t2_free(d->reordered);
    t2_free(d->host_logits);
    t2_free(d);
}

static enum t2_status need(struct mdl_decoder *d, void **arena, size_t *have, size_t bytes,
                           struct t2_err *err)
{
    if (bytes <= *have)
        return T2_OK;
    d->m->dev->free(d->m->dev, *arena);
    *have = 0;
    *arena = d->m->dev->alloc(d->m->dev, bytes);
    if (!*arena)
        return out_of_memory(err, bytes);
    *have = bytes;
    return T2_OK;
}

/* Encodes the sources; the keys and values that the decoder will look at stay in encode_arena. */
static enum t2_status encode(struct mdl_decoder *d, const struct mdl_build *shared,
                             const int32_t *inputs, int32_t batch, int32_t length,
                             struct t2_err *err)
{
    struct mdl_build b = *shared;
    struct gr_tensor *keep[2 * MDL_MAX_LAYERS];
    struct gr_context context = {.may_stop = true};

    memset(&d->encode, 0, sizeof d->encode);
    b.g = d->encode.g = gr_new(d->m->dev, &d->m->params, false);
    d->m->kind->build_encode(&b, batch, length, &d->encode, &d->memory);
    for (int layer = 0; layer < d->n_layers; layer++) {
        keep[2 * layer] = d->memory.k[layer];
        keep[2 * layer + 1] = d->memory.v[layer];
    }
    T2_TRY(gr_finish(b.g, NULL, keep, 2 * d->n_layers, err));
    T2_TRY(need(d, &d->encode_arena, &d->encode_bytes, b.g->arena_bytes, err));
    gr_bind(b.g, d->encode_arena);
    d->m->dev->upload(d->m->dev, d->encode.inputs->ids, inputs,
                      (size_t) d->encode.inputs->n * sizeof *inputs);
    gr_run_forward(b.g, &context);
    return t2_check_interrupt(err);
}

enum t2_status mdl_decoder_begin(struct mdl_decoder *d, const int32_t *inputs, int32_t batch,
                                 int32_t inputs_length, int32_t beam, struct t2_err *err)
{
    struct mdl_build b = {.model = d->m->kind->name,
                          .hp = d->m->eval_hp,
                          .problem = &d->m->problem,
                          .tables = &d->m->tables};
    struct mdl_shape shape = {.batch = batch, .inputs_length = inputs_length, .targets_length = 1};
    bool has_inputs = d->m->problem.has_inputs;

    T2_ASSERT(batch * beam <= d->max_rows);
    T2_ASSERT(!has_inputs || (inputs_length > 0 && inputs_length <= d->max_inputs_length));
    if (d->m->kind->check_shape)
        T2_TRY(d->m->kind->check_shape(d->m->hp, &d->m->problem, &shape, err));
    gr_free(d->encode.g);
    gr_free(d->step.g);
    d->encode.g = d->step.g = NULL;
    d->rows = batch * beam;
    d->current = 0;
    d->steps_done = 0;
    if (d->by_prefix) {
        begin_prefixes(d, inputs, inputs_length, beam);
        return T2_OK;
    }
    if (has_inputs)
        T2_TRY(encode(d, &b, inputs, batch, inputs_length, err));
    memset(&d->step, 0, sizeof d->step);
    d->parts = (struct mdl_step){.rows = d->rows,
                                 .beam = beam,
                                 .inputs_length = inputs_length,
                                 .max_length = d->max_length,
                                 .memory = has_inputs ? &d->memory : NULL,
                                 .k_cache = d->k[0],
                                 .v_cache = d->v[0],
                                 .f_cache = d->f[0]};
    b.g = d->step.g = gr_new(d->m->dev, &d->m->params, false);
    d->m->kind->build_step(&b, &d->parts, &d->step);
    T2_TRY(gr_finish(b.g, NULL, &d->step.logits, 1, err));
    T2_TRY(need(d, &d->step_arena, &d->step_bytes, b.g->arena_bytes, err));
    gr_bind(b.g, d->step_arena);
    if (has_inputs)
        d->m->dev->upload(d->m->dev, d->parts.memory_inputs->ids, inputs,
                          (size_t) d->parts.memory_inputs->n * sizeof *inputs);
    return T2_OK;
}

enum t2_status mdl_decoder_step(struct mdl_decoder *d, int32_t step, const int32_t *ids,
                                const float **logits, struct t2_err *err)
{
    struct gr_context context = {.position = step, .may_stop = true};
    struct dev *dev = d->m->dev;
    size_t n_ids = (size_t) d->rows;

    T2_ASSERT(step == d->steps_done && step < d->max_length);
    if (d->by_prefix) {
        T2_TRY(step_prefixes(d, step, ids, err));
        *logits = d->host_logits;
        return T2_OK;
    }
    T2_ASSERT(d->step.g);
    if (step == 0)
        dev->zero(dev, d->step.targets->ids, n_ids * sizeof *ids);
    else
        dev->upload(dev, d->step.targets->ids, ids, n_ids * sizeof *ids);
    gr_run_forward(d->step.g, &context);
    T2_TRY(t2_check_interrupt(err));
    d->steps_done++;
    if (dev->host_memory) {
        *logits = d->step.logits->value;
        return T2_OK;
    }
    need_host_logits(d, d->step.logits->n);
    dev->download(dev, d->host_logits, d->step.logits->value,
                  (size_t) d->step.logits->n * sizeof(float));
    *logits = d->host_logits;
    return T2_OK;
}

int32_t mdl_decoder_vocab(const struct mdl_decoder *d)
{
    const struct gr_tensor *logits = d->step.logits;
    int64_t divisor = mdl_hp_int(d->m->hp, "vocab_divisor");

    if (d->by_prefix)
        return (int32_t) ((d->m->problem.targets_vocab + divisor - 1) / divisor * divisor);
    return (int32_t) logits->dims[logits->rank - 1];
}

enum t2_status mdl_decoder_reorder(struct mdl_decoder *d, const int32_t *from, struct t2_err *err)
{
    const struct dev_kernels *k = d->m->dev->kernels;
    bool moves = false;
    int other = 1 - d->current;

    (void) err;
    for (int32_t r = 0; r < d->rows; r++)
        moves |= from[r] != r;
    if (!moves)
        return T2_OK;
    if (d->by_prefix) {
        reorder_prefixes(d, from);
        return T2_OK;
    }
    for (int layer = 0; layer < d->n_layers; layer++) {
        k->cache_gather(d->m->dev, d->k[d->current][layer], from, d->rows, d->k_channels,
                        d->max_length, d->steps_done, d->k[other][layer]);
        k->cache_gather(d->m->dev, d->v[d->current][layer], from, d->rows, d->v_channels,
                        d->max_length, d->steps_done, d->v[other][layer]);
        if (d->f_channels) {
            k->cache_gather(d->m->dev, d->f[d->current][layer], from, d->rows, d->f_channels,
                            d->max_length, d->steps_done, d->f[other][layer]);
            d->parts.f_tensors[layer]->value = d->f[other][layer];
        }
        d->parts.k_tensors[layer]->value = d->k[other][layer];
        d->parts.v_tensors[layer]->value = d->v[other][layer];
    }
    d->current = other;
    return T2_OK;
}
