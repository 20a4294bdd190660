/*
 * train/input/input.c - puts index, order and prefetching together.
 */
#include "train/input/input_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/reader.h"
#include "tfrecord/shards.h"

/* Rows of packed data sets are not longer: packed_length of the original's problems is 256 or
 * 1024. */
enum { DEFAULT_PREFETCH = 8, IMAGE_PREFETCH = 3, MAX_PACKED_ROW = 1024 };

/* ---- one batch (on the thread) ---- */

/* Room for n rows of `length` numbers, all zero. */
static int32_t *zeroed(struct in_rows *rows, int32_t n, int32_t length)
{
    size_t need = (size_t) n * (size_t) length;

    if (need > rows->capacity || !rows->values) {
        rows->capacity = need + need / 4 + 64;
        rows->values = t2_realloc(rows->values, rows->capacity, sizeof *rows->values);
    }
    memset(rows->values, 0, need * sizeof *rows->values);
    return rows->values;
}

/* The lengths of the batch: those of its longest members, or those that are given for all. */
static void shape_of(const struct in_input *in, int32_t n, struct mdl_batch *b)
{
    *b = (struct mdl_batch){.batch = n};
    for (int32_t i = 0; i < n && !in->packer; i++) {
        if (in->members[i]->inputs_length > b->inputs_length)
            b->inputs_length = in->members[i]->inputs_length;
        if (in->members[i]->targets_length > b->targets_length)
            b->targets_length = in->members[i]->targets_length;
    }
    if (in->fixed_length > 0)
        b->inputs_length = b->targets_length = in->fixed_length;
    if (b->targets_length == 0)
        b->targets_length = 1;
    if (b->inputs_length == 0 || !in->recipe.inputs_feature)
        b->inputs_length = in->recipe.inputs_feature != NULL;
}

static bool is_packed(const struct in_input *in)
{
    return in->packer || in->recipe.packed;
}

static void prepare_item(const struct in_input *in, int32_t n, struct in_item *item)
{
    struct mdl_batch *b = &item->batch;

    shape_of(in, n, b);
    b->targets = zeroed(&item->targets, n, b->targets_length);
    if (in->recipe.inputs_feature)
        b->inputs = zeroed(&item->inputs, n, b->inputs_length);
    if (!is_packed(in))
        return;
    b->targets_segmentation = zeroed(&item->targets_segmentation, n, b->targets_length);
    b->targets_position = zeroed(&item->targets_position, n, b->targets_length);
    if (!in->recipe.inputs_feature)
        return;
    b->inputs_segmentation = zeroed(&item->inputs_segmentation, n, b->inputs_length);
    b->inputs_position = zeroed(&item->inputs_position, n, b->inputs_length);
}

static void copy_row(struct in_rows *to, size_t at, const int32_t *from, int32_t n)
{
    if (n > 0)
        memcpy(to->values + at, from, (size_t) n * sizeof *from);
}

/* A sample that has its row for itself. */
static void put_sample(const struct in_input *in, const struct in_sample *s, size_t begin,
                       size_t row, struct in_item *item)
{
    size_t inputs = row * (size_t) item->batch.inputs_length;
    size_t targets = row * (size_t) item->batch.targets_length;

    if (in->recipe.inputs_feature)
        copy_row(&item->inputs, inputs, s->inputs + begin, s->inputs_length);
    copy_row(&item->targets, targets, s->targets + begin, s->targets_length);
    if (!in->recipe.packed)
        return;
    if (in->recipe.inputs_feature) {
        copy_row(&item->inputs_segmentation, inputs, s->inputs_segmentation, s->inputs_length);
        copy_row(&item->inputs_position, inputs, s->inputs_position, s->inputs_length);
    }
    copy_row(&item->targets_segmentation, targets, s->targets_segmentation, s->targets_length);
    copy_row(&item->targets_position, targets, s->targets_position, s->targets_length);
}

/* One side of a sample behind what its row has; padding inside a sample belongs to no segment. */
static void append_side(const int32_t *ids, int32_t n, int32_t segment, size_t at,
                        struct in_rows *to, struct in_rows *segmentation, struct in_rows *position)
{
    for (int32_t i = 0; i < n; i++) {
        to->values[at + (size_t) i] = ids[i];
        segmentation->values[at + (size_t) i] = ids[i] != 0 ? segment : 0;
        position->values[at + (size_t) i] = ids[i] != 0 ? i : 0;
    }
}

static enum t2_status read_packed_row(struct in_input *in, int32_t row, struct in_item *item,
                                      struct t2_err *err)
{
    size_t inputs = (size_t) row * (size_t) item->batch.inputs_length;
    size_t targets = (size_t) row * (size_t) item->batch.targets_length;
    int32_t segment = 1;

    for (size_t i = in->begins[row]; i < in->begins[row + 1]; i++, segment++) {
        const struct in_sample *s;
        size_t begin;

        T2_TRY(in_sample_read(in->reader, in->members[i], &s, &begin, err));
        append_side(s->inputs, s->inputs_length, segment, inputs, &item->inputs,
                    &item->inputs_segmentation, &item->inputs_position);
        append_side(s->targets, s->targets_length, segment, targets, &item->targets,
                    &item->targets_segmentation, &item->targets_position);
        inputs += (size_t) s->inputs_length;
        targets += (size_t) s->targets_length;
    }
    return T2_OK;
}

static void mix_images(const struct in_input *in, struct in_item *item)
{
    const struct in_image_recipe *r = in->recipe.images;
    struct mdl_batch *b = &item->batch;
    struct in_mix_batch mixed = {.n = b->batch,
                                 .size = r->size,
                                 .channels = r->channels,
                                 .images = item->images.values,
                                 .labels = b->targets};

    b->other_labels = mixed.other = zeroed(&item->other_labels, b->batch, 1);
    if (item->label_weights.capacity < (size_t) b->batch) {
        item->label_weights.capacity = (size_t) b->batch;
        item->label_weights.values =
            t2_realloc(item->label_weights.values, item->label_weights.capacity, sizeof(float));
    }
    b->label_weights = mixed.weights = item->label_weights.values;
    in_mix_images(&r->mix, in->seed, in->epochs[0], (uint64_t) (in->members[0] - in->index.places),
                  &mixed);
}

/* The images of n members. */
static enum t2_status read_images(struct in_input *in, int32_t n, struct in_item *item,
                                  struct t2_err *err)
{
    const struct in_image_recipe *r = in->recipe.images;
    size_t need = (size_t) n * (size_t) r->size * (size_t) r->size * (size_t) r->channels;
    struct mdl_batch *b = &item->batch;

    *b = (struct mdl_batch){.batch = n,
                            .targets_length = 1,
                            .height = r->size,
                            .width = r->size,
                            .channels = r->channels};
    if (need > item->images.capacity) {
        t2_free(item->images.values);
        item->images.values = t2_try_alloc(need, sizeof(float));
        item->images.capacity = item->images.values ? need : 0;
        if (!item->images.values)
            return t2_fail(err, T2_ENOMEM,
                           "no memory for a batch of %" PRId32 " images of %" PRId32 " x %" PRId32
                           " x %" PRId32,
                           n, r->size, r->size, r->channels);
    }
    b->targets = zeroed(&item->targets, n, 1);
    b->images = item->images.values;
    T2_TRY(in_images_read(in->images, in->members, in->epochs, n, item->images.values,
                          item->targets.values, err));
    if (in->training && in_mix_wanted(&r->mix))
        mix_images(in, item);
    return T2_OK;
}

/* Reads n rows into the item. */
static enum t2_status read_members(struct in_input *in, int32_t n, struct in_item *item,
                                   struct t2_err *err)
{
    if (in->images)
        return read_images(in, n, item, err);
    prepare_item(in, n, item);
    for (int32_t i = 0; i < n; i++) {
        const struct in_sample *s;
        size_t begin;

        if (in->packer) {
            T2_TRY(read_packed_row(in, i, item, err));
            continue;
        }
        T2_TRY(in_sample_read(in->reader, in->members[i], &s, &begin, err));
        put_sample(in, s, begin, (size_t) i, item);
    }
    return T2_OK;
}

static enum t2_status produce_rows(void *context, struct in_item *item, struct t2_err *err)
{
    struct in_input *in = context;
    int32_t n = 0;

    in->n_members = 0;
    for (; n < in->n_rows; n++) {
        const struct in_place *const *row;
        uint32_t n_places;

        if (in->reference_rows)
            row = in_reference_rows_next(in->reference_rows, &n_places);
        else if (in_packer_next(in->packer, &row, &n_places) != T2_OK)
            break;
        if (in->n_members + n_places > in->members_capacity) {
            in->members_capacity = 2 * (in->n_members + n_places);
            in->members = t2_realloc(in->members, in->members_capacity, sizeof *in->members);
        }
        memcpy(in->members + in->n_members, row, n_places * sizeof(struct in_place *));
        in->begins[n] = in->n_members;
        in->n_members += n_places;
    }
    if (n == 0)
        return T2_EOF;
    in->begins[n] = in->n_members;
    item->samples = in->reference_rows ? in_reference_rows_samples(in->reference_rows)
                                       : in_packer_samples(in->packer);
    return read_members(in, n, item, err);
}

static enum t2_status produce_reference(void *context, struct in_item *item, struct t2_err *err)
{
    struct in_input *in = context;
    int32_t n;
    const uint64_t *samples = in_reference_next(in->reference, &n);

    for (int32_t i = 0; i < n; i++)
        in->members[i] = &in->index.places[samples[i]];
    for (int32_t i = 0; i < n && in->epochs; i++)
        in->epochs[i] = in_reference_epochs(in->reference)[i];
    item->samples = in_reference_samples(in->reference);
    return read_members(in, n, item, err);
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
    for (int32_t i = 0; i < n && in->epochs; i++)
        in->epochs[i] = (name.first + (uint64_t) i) / in->counts[name.bucket];
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
    if (in->scheme.pad_to > 0 && end - begin < (uint64_t) in->scheme.batch_sizes[0])
        return T2_EOF; /* the original drops what does not fill its last batch */
    for (uint64_t i = begin; i < end; i++)
        in->members[i - begin] = &in->index.places[in->pass.samples[i]];
    in->samples += end - begin;
    item->samples = in->samples;
    return read_members(in, (int32_t) (end - begin), item, err);
}

static in_produce_fn producer_of(const struct in_input *in)
{
    if (in->packer)
        return produce_rows;
    if (in->reference)
        return produce_reference;
    return in->training ? produce_training : produce_pass;
}

/* The next training batch is the one behind so many samples. */
static enum t2_status seek(struct in_input *in, uint64_t samples, struct t2_err *err)
{
    if (in->reference_rows)
        return in_reference_rows_seek(in->reference_rows, samples, err);
    if (in->packer)
        return in_packer_seek(in->packer, samples, err);
    if (in->reference)
        return in_reference_seek(in->reference, samples, err);
    return in_order_seek(&in->order, samples, &in->cursor, err);
}

enum t2_status in_next(struct in_input *in, struct mdl_batch *batch, uint64_t *samples,
                       struct t2_err *err)
{
    const struct in_item *item = NULL;

    if (!in->prefetch)
        T2_TRY(in_prefetch_new(in->n_ahead, producer_of(in), in, &in->prefetch, err));
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
        return seek(in, first_sample, err);
    return in->packer ? in_packer_seek(in->packer, 0, err) : T2_OK;
}

/* ---- before the first batch ---- */

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

    if (!sorted)
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
                                       const struct mdl_hparams *hp, struct t2_err *err)
{
    bool reference;

    if (in->index.n == 0 && in->recipe.images)
        return t2_fail(err, T2_EFORMAT, "no image to train on: the shards '%s/%s%s%s-*' are empty",
                       options->data_dir, options->dataset, options->split ? "-" : "",
                       options->split ? options->split : "");
    if (in->index.n == 0)
        return t2_fail(err, T2_EFORMAT,
                       "no sample to train on in '%s/%s-%s-*': of %" PRIu64 " records %" PRIu64
                       " are longer than %" PRId32 " (hparam max_length), %" PRIu64
                       " shorter than %" PRId32 " (hparam min_length)",
                       options->data_dir, options->dataset, options->split, in->index.n_records,
                       in->index.n_too_long, in->scheme.max_length, in->index.n_too_short,
                       in->scheme.min_length);
    in_order_init(&in->order, options->seed, in->n_buckets, in->scheme.batch_sizes, in->counts);
    reference = strcmp(mdl_hp_string(hp, "sample_order"), "reference") == 0;
    if (reference && in->packer)
        in->reference_rows =
            in_reference_rows_new(&in->index, in->recipe.packing, in->recipe.packed_length,
                                  in->n_rows, mdl_hp_int(hp, "batch_shuffle_size"), options->seed);
    else if (reference)
        in->reference = in_reference_new(&in->index, &in->scheme,
                                         mdl_hp_int(hp, "batch_shuffle_size"), options->seed);
    else if (!in->packer)
        T2_TRY(sort_by_bucket(in, err));
    return seek(in, options->first_sample, err);
}

static enum t2_status prepare_pass(struct in_input *in, struct t2_err *err)
{
    uint16_t *buckets;

    if (in->packer)
        return T2_OK;
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
    T2_ASSERT(options->targets_feature);
    in->strings[0] = t2_strdup(options->targets_feature);
    in->recipe.targets_feature = in->strings[0];
    if (options->inputs_feature) {
        in->strings[1] = t2_strdup(options->inputs_feature);
        in->recipe.inputs_feature = in->strings[1];
    }
    in->recipe.inputs_vocab = options->inputs_vocab;
    in->recipe.targets_vocab = options->targets_vocab;
    in->recipe.context_separator = options->context_separator;
    if (options->images) {
        in->image_recipe = *options->images;
        in->recipe.images = &in->image_recipe;
        in->recipe.first_label = options->first_label;
    }
}

/* Are the shards of a packed data set?  Says their first record. */
static enum t2_status find_packed(struct in_input *in, const struct in_options *o,
                                  struct t2_err *err)
{
    struct tfr_reader *reader = NULL;
    struct t2_strs paths = {0};
    struct t2_slice record;
    enum t2_status st;

    T2_GOTO(st, out, tfr_find_shards(o->data_dir, o->dataset, o->split, &paths, err));
    for (size_t i = 0; i < paths.n; i++) {
        struct t2_err none = T2_ERR_INIT; /* what is wrong with it, the index says */

        if (tfr_reader_new(paths.items[i], &reader, &none) != T2_OK)
            break;
        st = tfr_reader_next(reader, &record, &none);
        if (st == T2_OK)
            in->recipe.packed = in_record_is_packed(in->recipe.targets_feature, record);
        tfr_reader_free(reader);
        if (st != T2_EOF)
            break;
    }
    st = T2_OK;
out:
    t2_strs_release(&paths);
    return st;
}

static enum t2_status check_order(const struct in_input *in, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    const char *order = mdl_hp_string(hp, "sample_order");

    if (strcmp(order, "shuffled") != 0 && strcmp(order, "reference") != 0)
        return t2_fail(err, T2_EUSAGE, "unknown order '%s'; there are shuffled, reference", order);
    if (in->recipe.packed &&
        (in->recipe.packing != IN_PACK_NONE || in->recipe.split > 0 || in->recipe.prepend ||
         in->recipe.max_inputs > 0 || in->recipe.max_targets > 0))
        return t2_fail(err, T2_EUSAGE,
                       "the data set is packed already: hparams pack_dataset, split_to_length, "
                       "prepend_mode, max_input_seq_length and max_target_seq_length are for "
                       "single samples");
    return T2_OK;
}

/* The scheme is of rows; this is what it means for samples. */
static void adapt_scheme(struct in_input *in)
{
    struct in_scheme *s = &in->scheme;

    in->fixed_length = s->pad_to;
    if (in->recipe.packed && s->max_length < MAX_PACKED_ROW)
        s->max_length = MAX_PACKED_ROW;
    if (in->recipe.packing == IN_PACK_NONE)
        return;
    in->fixed_length = in->recipe.packed_length;
    s->min_length = 0;
    s->max_length = in->recipe.packed_length;
    in->n_rows = s->batch_sizes[in_scheme_bucket(s, in->recipe.packed_length)];
}

/* What records are, and how many make a batch. */
static enum t2_status settle_recipe(struct in_input *in, const struct in_options *options,
                                    const struct mdl_hparams *hp, struct t2_err *err)
{
    set_recipe(in, options);
    if (in->recipe.images) {
        T2_TRY(check_order(in, hp, err));
        return in_scheme_images(mdl_hp_int(hp, "batch_size"), &in->scheme, err);
    }
    T2_TRY(in_recipe_set(&in->recipe, hp, err));
    T2_TRY(find_packed(in, options, err));
    T2_TRY(check_order(in, hp, err));
    T2_TRY(in_scheme_of(hp, in->training, &in->scheme, err));
    adapt_scheme(in);
    return T2_OK;
}

static enum t2_status open_input(struct in_input *in, const struct in_options *options,
                                 const struct mdl_hparams *hp, struct t2_err *err)
{
    int32_t largest = 1;

    T2_TRY(settle_recipe(in, options, hp, err));
    T2_TRY(in_index_read(options->data_dir, options->dataset, options->split, &in->recipe,
                         &in->scheme, options->max_records, options->num_threads, &in->index, err));
    count_buckets(in);
    if (in->recipe.packing != IN_PACK_NONE && in->index.n > 0) {
        in->packer = in_packer_new(&in->index, in->recipe.packing, in->recipe.packed_length,
                                   in->training, options->seed);
        in->begins = t2_alloc((size_t) in->n_rows + 1, sizeof *in->begins);
        in->rows_per_epoch = in_packer_rows_per_sample(in->packer) * (double) in->index.n;
    }
    T2_TRY(in->training ? prepare_training(in, options, hp, err) : prepare_pass(in, err));
    for (int b = 0; b < in->n_buckets && !in->packer; b++)
        if (in->counts[b] > 0 && largest_batch(in, b) > largest)
            largest = largest_batch(in, b);
    in->members_capacity = (size_t) largest;
    in->members = t2_alloc(in->members_capacity, sizeof(struct in_place *));
    if (!in->recipe.images) {
        in->reader = in_sample_reader_new(&in->index, &in->recipe);
        return T2_OK;
    }
    in->epochs = t2_alloc(in->members_capacity, sizeof *in->epochs);
    in->images =
        in_images_new(&in->index, &in->recipe, in->training, options->seed, options->num_threads);
    return T2_OK;
}

enum t2_status in_new(const struct in_options *options, const struct mdl_hparams *hp,
                      struct in_input **input, struct t2_err *err)
{
    struct in_input *in = t2_alloc(1, sizeof *in);
    enum t2_status st;

    *input = NULL;
    in->training = options->training;
    in->seed = options->seed;
    in->n_ahead = options->prefetch_batches > 0 ? options->prefetch_batches
                  : options->images             ? IMAGE_PREFETCH
                                                : DEFAULT_PREFETCH;
    st = open_input(in, options, hp, err);
    if (st != T2_OK)
        in_free(in);
    else
        *input = in;
    return st;
}

void in_free(struct in_input *in)
{
    if (!in)
        return;
    in_prefetch_free(in->prefetch);
    in_sample_reader_free(in->reader);
    in_images_free(in->images);
    t2_free(in->epochs);
    in_packer_free(in->packer);
    in_reference_free(in->reference);
    in_reference_rows_free(in->reference_rows);
    t2_free(in->begins);
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
