/*
 * train/input/input.c - puts index, order and prefetching together.
 */
#include "train/input/input.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/index.h"
#include "train/input/order.h"
#include "train/input/prefetch.h"
#include "train/input/sample_reader.h"

enum { DEFAULT_PREFETCH = 8 };

struct in_input {
    /* fixed after in_new */
    char *strings[2]; /* the features of the recipe */
    struct in_recipe recipe;
    struct in_scheme scheme;
    struct in_index index; /* in training its places are sorted by bucket */
    int n_buckets;
    uint64_t *counts; /* samples of a bucket */
    uint64_t *starts; /* training: first place of a bucket */
    bool training;
    int n_ahead;
    struct in_order order; /* training */
    struct in_pass pass;   /* evaluation */

    /* of the thread, while it runs */
    struct in_sample_reader *reader;
    struct in_cursor cursor;         /* training */
    uint64_t next_batch;             /* evaluation */
    uint64_t samples;                /* evaluation: given so far */
    const struct in_place **members; /* of the batch that is being made */

    struct in_prefetch *prefetch; /* NULL until the first in_next */
    double wait_s;
};

/* ---- one batch (on the thread) ----------------------------------------------------------------- */

/* Room for n rows of `length` ids, all zero. */
static int32_t *zeroed(int32_t *ids, size_t *capacity, int32_t n, int32_t length)
{
    size_t need = (size_t) n * (size_t) length;

    if (need > *capacity || ids == NULL) {
        *capacity = need + need / 4 + 64;
        ids = t2_realloc(ids, *capacity, sizeof *ids);
    }
    memset(ids, 0, need * sizeof *ids);
    return ids;
}

static void shape_of(const struct in_input *in, int32_t n, struct mdl_batch *b)
{
    *b = (struct mdl_batch){.batch = n};
    for (int32_t i = 0; i < n; i++) {
        if (in->members[i]->inputs_length > b->inputs_length)
            b->inputs_length = in->members[i]->inputs_length;
        if (in->members[i]->targets_length > b->targets_length)
            b->targets_length = in->members[i]->targets_length;
    }
    if (b->targets_length == 0)
        b->targets_length = 1;
    if (b->inputs_length == 0 && in->recipe.inputs_feature != NULL)
        b->inputs_length = 1;
}

static void copy_row(int32_t *to, int32_t row, int32_t width, const int32_t *ids, int32_t n)
{
    if (n > 0)
        memcpy(to + (size_t) row * (size_t) width, ids, (size_t) n * sizeof *ids);
}

/* Reads the n members into the item. */
static enum t2_status read_members(struct in_input *in, int32_t n, struct in_item *item,
                                   struct t2_err *err)
{
    struct mdl_batch *b = &item->batch;

    shape_of(in, n, b);
    item->targets = zeroed(item->targets, &item->targets_capacity, n, b->targets_length);
    b->targets = item->targets;
    if (in->recipe.inputs_feature != NULL) {
        item->inputs = zeroed(item->inputs, &item->inputs_capacity, n, b->inputs_length);
        b->inputs = item->inputs;
    }
    for (int32_t i = 0; i < n; i++) {
        const struct in_sample *s;

        T2_TRY(in_sample_read(in->reader, in->members[i], &s, err));
        copy_row(item->inputs, i, b->inputs_length, s->inputs, s->inputs_length);
        copy_row(item->targets, i, b->targets_length, s->targets, s->targets_length);
    }
    return T2_OK;
}

static enum t2_status produce_training(void *context, struct in_item *item, struct t2_err *err)
{
    struct in_input *in = context;
    struct in_batch_name name = in_order_next(&in->order, &in->cursor);
    int32_t n = in->scheme.batch_sizes[name.bucket];
    const struct in_place *places = in->index.places + in->starts[name.bucket];

    for (int32_t i = 0; i < n; i++)
        in->members[i] =
            &places[in_order_sample(&in->order, name.bucket, name.first + (uint64_t) i)];
    item->samples = in->cursor.samples;
    return read_members(in, n, item, err);
}

static enum t2_status produce_pass(void *context, struct in_item *item, struct t2_err *err)
{
    struct in_input *in = context;
    uint64_t begin, end;

    if (in->next_batch == in->pass.n_batches)
        return T2_EOF;
    begin = in->pass.begins[in->next_batch];
    end = in->pass.begins[++in->next_batch];
    for (uint64_t i = begin; i < end; i++)
        in->members[i - begin] = &in->index.places[in->pass.samples[i]];
    in->samples += end - begin;
    item->samples = in->samples;
    return read_members(in, (int32_t) (end - begin), item, err);
}

enum t2_status in_next(struct in_input *in, struct mdl_batch *batch, uint64_t *samples,
                       struct t2_err *err)
{
    const struct in_item *item = NULL;

    if (in->prefetch == NULL)
        T2_TRY(in_prefetch_new(in->n_ahead, in->training ? produce_training : produce_pass, in,
                               &in->prefetch, err));
    T2_TRY(in_prefetch_next(in->prefetch, &item, &in->wait_s, err));
    *batch = item->batch;
    *samples = item->samples;
    return T2_OK;
}

enum t2_status in_rewind(struct in_input *in, uint64_t first_sample, struct t2_err *err)
{
    in_prefetch_free(in->prefetch);
    in->prefetch = NULL;
    in->next_batch = 0;
    in->samples = 0;
    if (in->training)
        return in_order_seek(&in->order, first_sample, &in->cursor, err);
    return T2_OK;
}

/* ---- before the first batch -------------------------------------------------------------------- */

static int bucket_of(const struct in_input *in, const struct in_place *p)
{
    return in_scheme_bucket(&in->scheme, in_place_length(p));
}

static void count_buckets(struct in_input *in)
{
    in->n_buckets = in->scheme.n_boundaries + 1;
    in->counts = t2_alloc((size_t) in->n_buckets, sizeof *in->counts);
    for (uint64_t i = 0; i < in->index.n; i++)
        in->counts[bucket_of(in, &in->index.places[i])]++;
}

/* Sorts the places by bucket, and stays in file order within one. */
static enum t2_status sort_by_bucket(struct in_input *in, struct t2_err *err)
{
    struct in_place *sorted = t2_try_alloc((size_t) in->index.n, sizeof *sorted);
    uint64_t *at;

    if (sorted == NULL)
        return t2_fail(err, T2_ENOMEM,
                       "no memory to sort %" PRIu64 " samples by length (16 bytes each)",
                       in->index.n);
    in->starts = t2_alloc((size_t) in->n_buckets, sizeof *in->starts);
    at = t2_alloc((size_t) in->n_buckets, sizeof *at);
    for (int b = 1; b < in->n_buckets; b++)
        in->starts[b] = in->starts[b - 1] + in->counts[b - 1];
    memcpy(at, in->starts, (size_t) in->n_buckets * sizeof *at);
    for (uint64_t i = 0; i < in->index.n; i++)
        sorted[at[bucket_of(in, &in->index.places[i])]++] = in->index.places[i];
    t2_free(at);
    t2_free(in->index.places);
    in->index.places = sorted;
    return T2_OK;
}

static enum t2_status prepare_training(struct in_input *in, const struct in_options *options,
                                       struct t2_err *err)
{
    if (in->index.n == 0)
        return t2_fail(err, T2_EFORMAT,
                       "no sample to train on in '%s/%s-%s-*': of %" PRIu64 " records %" PRIu64
                       " are longer than %" PRId32 " (hparam max_length), %" PRIu64
                       " shorter than %" PRId32 " (hparam min_length)",
                       options->data_dir, options->dataset, options->split, in->index.n_records,
                       in->index.n_too_long, in->scheme.max_length, in->index.n_too_short,
                       in->scheme.min_length);
    T2_TRY(sort_by_bucket(in, err));
    in_order_init(&in->order, options->seed, in->n_buckets, in->scheme.batch_sizes, in->counts);
    return in_order_seek(&in->order, options->first_sample, &in->cursor, err);
}

static enum t2_status prepare_pass(struct in_input *in, struct t2_err *err)
{
    uint16_t *buckets;

    if (in->index.n >= UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED, "an evaluation of %" PRIu64 " samples is too large",
                       in->index.n);
    buckets = t2_alloc((size_t) in->index.n, sizeof *buckets);
    for (uint64_t i = 0; i < in->index.n; i++)
        buckets[i] = (uint16_t) bucket_of(in, &in->index.places[i]);
    in_pass_init(&in->pass, (uint32_t) in->index.n, buckets, in->n_buckets, in->scheme.batch_sizes);
    t2_free(buckets);
    return T2_OK;
}

/* Samples in the largest batch of a bucket. */
static int32_t largest_batch(const struct in_input *in, int b)
{
    uint64_t size = (uint64_t) in->scheme.batch_sizes[b];

    if (!in->training && in->counts[b] < size)
        size = in->counts[b];
    return (int32_t) size;
}

static void set_recipe(struct in_input *in, const struct in_options *options)
{
    T2_ASSERT(options->targets_feature != NULL);
    in->strings[0] = t2_strdup(options->targets_feature);
    in->recipe.targets_feature = in->strings[0];
    if (options->inputs_feature != NULL) {
        in->strings[1] = t2_strdup(options->inputs_feature);
        in->recipe.inputs_feature = in->strings[1];
    }
    in->recipe.inputs_vocab = options->inputs_vocab;
    in->recipe.targets_vocab = options->targets_vocab;
}

static enum t2_status open_input(struct in_input *in, const struct in_options *options,
                                 const struct mdl_hparams *hp, struct t2_err *err)
{
    int32_t largest = 1;

    set_recipe(in, options);
    T2_TRY(in_recipe_set(&in->recipe, hp, err));
    T2_TRY(in_scheme_of(hp, in->training, &in->scheme, err));
    T2_TRY(in_index_read(options->data_dir, options->dataset, options->split, &in->recipe,
                         &in->scheme, options->max_records, options->num_threads, &in->index, err));
    count_buckets(in);
    T2_TRY(in->training ? prepare_training(in, options, err) : prepare_pass(in, err));
    for (int b = 0; b < in->n_buckets; b++)
        if (in->counts[b] > 0 && largest_batch(in, b) > largest)
            largest = largest_batch(in, b);
    in->members = t2_alloc((size_t) largest, sizeof(struct in_place *));
    in->reader = in_sample_reader_new(&in->index, &in->recipe);
    return T2_OK;
}

enum t2_status in_new(const struct in_options *options, const struct mdl_hparams *hp,
                      struct in_input **input, struct t2_err *err)
{
    struct in_input *in = t2_alloc(1, sizeof *in);
    enum t2_status st;

    *input = NULL;
    in->training = options->training;
    in->n_ahead = options->prefetch_batches > 0 ? options->prefetch_batches : DEFAULT_PREFETCH;
    st = open_input(in, options, hp, err);
    if (st != T2_OK)
        in_free(in);
    else
        *input = in;
    return st;
}

void in_free(struct in_input *in)
{
    if (in == NULL)
        return;
    in_prefetch_free(in->prefetch);
    in_sample_reader_free(in->reader);
    in_order_release(&in->order);
    in_pass_release(&in->pass);
    in_index_release(&in->index);
    in_scheme_release(&in->scheme);
    t2_free(in->counts);
    t2_free(in->starts);
    t2_free(in->members);
    t2_free(in->strings[0]);
    t2_free(in->strings[1]);
    t2_free(in);
}

/* ---- what is known of the data ----------------------------------------------------------------- */

enum t2_status in_shapes(const struct in_input *in, const struct mdl_hparams *hp,
                         struct mdl_shape **shapes, size_t *n, struct t2_err *err)
{
    struct mdl_shape *by_bucket;
    struct in_scheme scheme;

    *n = 0;
    T2_TRY(in_scheme_of(hp, in->training, &scheme, err));
    by_bucket = t2_alloc((size_t) scheme.n_boundaries + 1, sizeof *by_bucket);
    for (uint64_t i = 0; i < in->index.n; i++) {
        const struct in_place *p = &in->index.places[i];
        int bucket = in_scheme_bucket(&scheme, in_place_length(p));
        struct mdl_shape *s = &by_bucket[bucket];

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
        if (by_bucket[b].targets_length == 0)
            by_bucket[b].targets_length = 1;
        if (by_bucket[b].inputs_length == 0 && in->recipe.inputs_feature != NULL)
            by_bucket[b].inputs_length = 1;
        by_bucket[(*n)++] = by_bucket[b];
    }
    in_scheme_release(&scheme);
    *shapes = by_bucket;
    return T2_OK;
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
        .memory_bytes = in->index.n * sizeof *in->index.places,
        .wait_s = in->wait_s,
    };

    if (in->training) {
        s.batches_per_epoch = in_order_batches_per_epoch(&in->order);
    } else {
        s.batches_per_epoch = (double) in->pass.n_batches;
        s.memory_bytes += in->index.n * sizeof *in->pass.samples;
    }
    return s;
}
