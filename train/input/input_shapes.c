/*
 * train/input/input_shapes.c - what is known of the data before training: shapes of batches,
 * counts.
 */
#include <string.h>

#include "base/alloc.h"
#include "train/input/input_parts.h"

/* Where fixed rows leave no room for one in batch_size tokens, one is what is planned. */
static enum t2_status scheme_to_plan(const struct in_input *in, const struct mdl_hparams *hp,
                                     struct in_scheme *scheme, struct t2_err *err)
{
    if (in->scheme.pad_to > 0 && mdl_hp_int(hp, "batch_size") < in->scheme.pad_to)
        return in_scheme_official(in->scheme.pad_to, in->scheme.pad_to, 1, true, scheme, err);
    return in->recipe.describes ? in_scheme_described(hp, in->training, in->replicas, scheme, err)
                                : in_scheme_of(hp, in->training, in->replicas, scheme, err);
}

static struct mdl_shape image_shape(const struct in_input *in, int64_t batch_size)
{
    const struct in_image_recipe *r = in->recipe.images;

    batch_size *= in->image_replicas;
    if (!in->training && in->index.n < (uint64_t) batch_size)
        batch_size = (int64_t) in->index.n;
    if (in->pixels)
        return (struct mdl_shape){
            .batch = in_rank_most_rows(in->rank, (int32_t) batch_size),
            .inputs_length = r->source_size > 0 ? r->source_size * r->source_size * r->channels : 1,
            .targets_length = r->size * r->size * r->channels};
    return (struct mdl_shape){.batch = in_rank_most_rows(in->rank, (int32_t) batch_size),
                              .targets_length = 1,
                              .height = r->size,
                              .width = r->size,
                              .channels = r->channels,
                              .mixed = in->training && in_mix_wanted(&r->mix),
                              .image_bytes = in->image_bytes};
}

static int32_t values_of(const struct in_input *in)
{
    return in->recipe.target == MDL_TARGET_IDS ? 0 : in->recipe.targets_vocab;
}

static struct mdl_shape table_shape(const struct in_input *in, int64_t batch_size)
{
    batch_size *= in->image_replicas;
    if (!in->training && in->index.n < (uint64_t) batch_size)
        batch_size = (int64_t) in->index.n;
    return (struct mdl_shape){.batch = in_rank_most_rows(in->rank, (int32_t) batch_size),
                              .targets_length = 1,
                              .height = 1,
                              .width = 1,
                              .channels = in->recipe.n_numbers,
                              .n_values = values_of(in)};
}

static struct mdl_shape sentence_shape(const struct in_input *in, int64_t batch_size)
{
    struct mdl_shape s = {.inputs_length = 1,
                          .targets_length = 1,
                          .sentences = in->recipe.sentences};

    batch_size *= in->image_replicas;
    if (!in->training && in->index.n < (uint64_t) batch_size)
        batch_size = (int64_t) in->index.n;
    s.batch = in_rank_most_rows(in->rank, (int32_t) batch_size);
    for (uint64_t i = 0; i < in->index.n; i++) {
        const struct in_place *p = &in->index.places[i];

        s.inputs_length = p->inputs_length > s.inputs_length ? p->inputs_length : s.inputs_length;
        s.targets_length =
            p->targets_length > s.targets_length ? p->targets_length : s.targets_length;
    }
    if (in->recipe.sentences == MDL_SENTENCES_MASKED && in->recipe.max_targets > 0)
        s.targets_length = in->recipe.max_targets;
    if (in->recipe.sentences == MDL_SENTENCES_ANSWERED)
        s.inputs_length = in->recipe.max_inputs;
    return s;
}

/* Of a batch whose longest utterance has so many frames times bands. */
static void speech_shape(struct mdl_shape *s)
{
    s->inputs_length = mdl_speech_positions(s->inputs_length / AUD_MEL_BANDS);
    s->height = mdl_speech_rows(s->inputs_length);
    s->width = AUD_MEL_BANDS;
    s->channels = AUD_MEL_CHANNELS;
}

static void described_shape(const struct in_input *in, struct mdl_shape *s)
{
    const struct in_image_recipe *r = in->recipe.images;

    s->inputs_length = r->size * r->size;
    s->height = s->width = r->size;
    s->channels = r->channels;
    s->image_bytes = in->image_bytes;
}

/* One bucket for all. */
static double *all_batches(const struct in_input *in)
{
    double *batches = t2_alloc(1, sizeof *batches);

    *batches = in_batch_order_per_epoch(&in->order);
    return batches;
}

enum t2_status in_shapes(const struct in_input *in, const struct mdl_hparams *hp,
                         struct mdl_shape **shapes, size_t *n, struct t2_err *err)
{
    double *batches;

    T2_TRY(in_buckets(in, hp, shapes, &batches, n, err));
    t2_free(batches);
    return T2_OK;
}

enum t2_status in_buckets(const struct in_input *in, const struct mdl_hparams *hp,
                          struct mdl_shape **shapes, double **batches, size_t *n,
                          struct t2_err *err)
{
    struct mdl_shape *by_bucket;
    struct in_scheme scheme;
    double *counts;

    *n = 0;
    if ((in->recipe.images && !in->recipe.describes) || in->recipe.n_numbers > 0 ||
        in->recipe.sentences) {
        int64_t batch_size = mdl_hp_int(hp, "batch_size");

        *batches = all_batches(in);
        *shapes = t2_alloc(1, sizeof **shapes);
        (*shapes)[(*n)++] = in->recipe.sentences ? sentence_shape(in, batch_size)
                            : in->recipe.images  ? image_shape(in, batch_size)
                                                 : table_shape(in, batch_size);
        return T2_OK;
    }
    T2_TRY(scheme_to_plan(in, hp, &scheme, err));
    if (in->packs) {
        int bucket = in_scheme_bucket(&scheme, in->fixed_length);

        *batches = all_batches(in);
        *shapes = by_bucket = t2_alloc(1, sizeof *by_bucket);
        by_bucket[(*n)++] =
            (struct mdl_shape){.batch = in_rank_most_rows(in->rank, scheme.batch_sizes[bucket]),
                               .inputs_length = in->fixed_length,
                               .targets_length = in->fixed_length,
                               .packed = true};
        in_scheme_release(&scheme);
        return T2_OK;
    }
    by_bucket = t2_alloc((size_t) scheme.n_boundaries + 1, sizeof *by_bucket);
    counts = t2_alloc((size_t) scheme.n_boundaries + 1, sizeof *counts);
    for (uint64_t i = 0; i < in->index.n; i++) {
        const struct in_place *p = &in->index.places[i];
        int bucket = in_scheme_bucket(&scheme, in_place_length(p));
        struct mdl_shape *s = &by_bucket[bucket];

        counts[bucket] += 1.0 / scheme.batch_sizes[bucket];
        /* A training batch is always full, as its bucket begins anew. */
        if (in->training || s->batch < scheme.batch_sizes[bucket])
            s->batch = in->training ? scheme.batch_sizes[bucket] : s->batch + 1;
        if (p->inputs_length > s->inputs_length)
            s->inputs_length = p->inputs_length;
        if (p->targets_length > s->targets_length)
            s->targets_length = p->targets_length;
    }
    for (int b = 0; b <= scheme.n_boundaries; b++) {
        if (by_bucket[b].batch == 0)
            continue;
        if (in->fixed_length > 0) {
            by_bucket[b].targets_length = in->fixed_length;
            by_bucket[b].inputs_length = in->recipe.inputs_feature ? in->fixed_length : 0;
        }
        if (in->chunks.length > 0) {
            counts[b] *= in_chunks_of(&in->chunks, by_bucket[b].targets_length);
            by_bucket[b].targets_length = in->chunks.length;
        }
        by_bucket[b].batch = in_rank_most_rows(in->rank, by_bucket[b].batch);
        by_bucket[b].packed = in->recipe.packed;
        by_bucket[b].n_values = values_of(in);
        if (by_bucket[b].targets_length == 0)
            by_bucket[b].targets_length = 1;
        if (by_bucket[b].inputs_length == 0 && in->recipe.inputs_feature)
            by_bucket[b].inputs_length = 1;
        if (in->recipe.speech)
            speech_shape(&by_bucket[b]);
        if (in->recipe.describes)
            described_shape(in, &by_bucket[b]);
        counts[*n] = counts[b];
        by_bucket[(*n)++] = by_bucket[b];
    }
    *batches = counts;
    in_scheme_release(&scheme);
    *shapes = by_bucket;
    return T2_OK;
}

/* Features of all items, each as large as the largest batch. */
static uint64_t speech_bytes(const struct in_input *in, const struct in_scheme *scheme)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < in->index.n; i++) {
        const struct in_place *p = &in->index.places[i];
        struct mdl_shape s = {.inputs_length = p->inputs_length};
        int64_t rows = scheme->batch_sizes[in_scheme_bucket(scheme, in_place_length(p))];
        uint64_t bytes;

        speech_shape(&s);
        if (!in->training && (uint64_t) rows > in->index.n)
            rows = (int64_t) in->index.n;
        bytes = (uint64_t) rows * (uint64_t) s.height * IN_SPEECH_COLUMNS * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return ((uint64_t) in->n_ahead + 1) * most * 5 / 4; /* rooms grow by a quarter */
}

/* Images of all items, each as many as the largest batch has. */
static uint64_t described_bytes(const struct in_input *in, const struct in_scheme *scheme)
{
    const struct in_image_recipe *r = in->recipe.images;
    uint64_t most = 0, bytes = (uint64_t) r->size * (uint64_t) r->size * (uint64_t) r->channels *
                               (in->image_bytes ? 1 : sizeof(float));

    for (uint64_t i = 0; i < in->index.n; i++) {
        int bucket = in_scheme_bucket(scheme, in_place_length(&in->index.places[i]));
        uint64_t rows = (uint64_t) scheme->batch_sizes[bucket];

        if (!in->training && rows > in->index.n)
            rows = in->index.n;
        most = rows > most ? rows : most;
    }
    return ((uint64_t) in->n_ahead + 1) * most * bytes;
}

/* Images of all items, and of partners that other ranks have. */
static uint64_t later_bytes(const struct in_input *in, int64_t batch_size)
{
    struct mdl_shape b;
    uint64_t n_batches;

    if (in->recipe.speech)
        return speech_bytes(in, &in->scheme);
    if (in->recipe.describes)
        return described_bytes(in, &in->scheme);
    if (in->recipe.n_numbers > 0) {
        b = table_shape(in, batch_size);
        return ((uint64_t) in->n_ahead + 1) * (uint64_t) in->n_here * (uint64_t) b.batch *
               ((uint64_t) b.channels + (uint64_t) b.n_values) * sizeof(float);
    }
    if (!in->recipe.images)
        return 0;
    b = image_shape(in, batch_size);
    if (in->pixels) /* ids of all items, and the floats that one is made from */
        return ((uint64_t) in->n_ahead + 2) * (uint64_t) in->n_here * (uint64_t) b.batch *
               ((uint64_t) b.inputs_length + (uint64_t) b.targets_length) * sizeof(float);
    n_batches = (uint64_t) in->n_ahead + 1 + (b.mixed && in->rank.count > 1);
    return n_batches * (uint64_t) in->n_here * (uint64_t) b.batch * (uint64_t) b.height *
               (uint64_t) b.width * (uint64_t) b.channels * (in->image_bytes ? 1 : sizeof(float)) +
           n_batches * (uint64_t) b.batch; /* which are mirrored */
}

uint64_t in_later_bytes(const struct in_input *in, const struct mdl_hparams *hp)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct in_scheme scheme;
    uint64_t bytes;

    if ((!in->recipe.speech && !in->recipe.describes) ||
        scheme_to_plan(in, hp, &scheme, &ignored) != T2_OK)
        return later_bytes(in, mdl_hp_int(hp, "batch_size"));
    bytes = in->recipe.speech ? speech_bytes(in, &scheme) : described_bytes(in, &scheme);
    in_scheme_release(&scheme);
    return bytes;
}

int in_n_tasks(const struct in_input *in)
{
    return in->index.n_tasks;
}

struct in_stats in_task_stats(const struct in_input *in, int task)
{
    const struct in_task_counts *c = &in->index.tasks[task];

    return (struct in_stats){.n_shards = c->n_shards,
                             .n_bytes = c->n_bytes,
                             .n_records = c->n_records,
                             .n_kept = c->n_kept};
}

const struct in_corrupt *in_corrupt_of(const struct in_input *in)
{
    return &in->index.corrupt;
}

struct in_stats in_stats_of(const struct in_input *in)
{
    struct in_stats s = {
        .n_shards = in->index.paths.n,
        .n_bytes = in->index.bytes,
        .n_records = in->index.n_records,
        .n_kept = in->index.n,
        .n_too_long = in->index.n_too_long,
        .n_too_short = in->index.n_too_short,
        .min_length = in->scheme.min_length,
        .max_length = in->scheme.max_length,
        .n_inputs_tokens = in->index.n_inputs_tokens,
        .n_target_tokens = in->index.n_targets_tokens,
        .n_longer_tokens = in->index.n_longer_tokens,
        .memory_bytes = in->index.n * sizeof *in->index.places,
        .has_targets = in->index.has_targets,
        .wait_s = in->wait_s,
    };

    if (in->recipe.images || in->recipe.speech || in->recipe.n_numbers > 0)
        s.later_bytes = later_bytes(in, in->scheme.batch_sizes[0] / in->image_replicas);
    s.memory_bytes += s.later_bytes;
    if (in->index.pieces)
        s.memory_bytes += in->index.n * sizeof *in->index.pieces;
    s.memory_bytes += in_batch_order_bytes(&in->order);
    s.batches_per_epoch = in_batch_order_per_epoch(&in->order);
    return s;
}
