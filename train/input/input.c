/*
 * train/input/input.c - puts an order, a maker of batches and prefetching together.
 */
#include "train/input/input_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/shards.h"

/* Rows of packed data sets are not longer: packed_length of the original's problems is 256 or
 * 1024. */
enum { DEFAULT_PREFETCH = 8, IMAGE_PREFETCH = 3, MAX_PACKED_ROW = 1024 };
enum { NO_CHUNK_LONGER = 1 << 20 };

/* ---- batches ---- */

static struct in_span rows_of(const struct in_input *in, int32_t n_rows)
{
    return in_ranks_rows(in->rank, in->n_here, n_rows);
}

static enum t2_status make(struct in_input *in, struct in_item *item, struct t2_err *err)
{
    const struct in_members *m = &in->members;

    T2_TRY(in_batch_order_next(&in->order, &in->members));
    return in_batch_maker_make(&in->maker, m, rows_of(in, m->n_rows), item, err);
}

/* On the thread. */
static enum t2_status produce(void *context, struct in_item *item, struct t2_err *err)
{
    struct in_input *in = context;

    if (in->chunks.length == 0)
        return make(in, item, err);
    if (in->chunks.n == 0) {
        in->chunks.whole.memory = &in_host_memory;
        T2_TRY(make(in, &in->chunks.whole, err));
        T2_TRY(in_chunks_begin(&in->chunks, err));
    }
    return in_chunks_next(&in->chunks, item, err);
}

static enum t2_status seek(struct in_input *in, uint64_t position, struct t2_err *err)
{
    in_chunks_seek(&in->chunks, position);
    return in_batch_order_seek(&in->order, in_position_samples(position), err);
}

enum t2_status in_next(struct in_input *in, struct mdl_batch *batch, uint64_t *samples,
                       struct t2_err *err)
{
    const struct in_item *item = NULL;

    if (!in->prefetch)
        T2_TRY(in_prefetch_new(in->n_ahead, in->memory, produce, in, &in->prefetch, err));
    T2_TRY(in_prefetch_next(in->prefetch, &item, &in->wait_s, err));
    *batch = item->batch;
    *samples = item->samples;
    return T2_OK;
}

struct mdl_batch *in_peek(struct in_input *in)
{
    struct in_item *item = in->prefetch ? in_prefetch_peek(in->prefetch) : NULL;

    return item ? &item->batch : NULL;
}

enum t2_status in_rewind(struct in_input *in, uint64_t first_sample, struct t2_err *err)
{
    in_prefetch_free(in->prefetch);
    in->prefetch = NULL;
    return seek(in, first_sample, err);
}

/* The shard's records before `offset`; the index does not know, as it leaves some out. */
static enum t2_status count_before(const struct in_input *in, const char *path, uint64_t offset,
                                   uint64_t *n, struct t2_err *err)
{
    struct in_shard_reader *reader = NULL;
    struct in_shard_record record = {0};
    enum t2_status st;

    T2_TRY(in_shard_reader_new(path, in->recipe.max_corrupt, NULL, &reader, err));
    do
        st = in_shard_reader_next(reader, &record, err);
    while (st == T2_OK && record.offset < offset);
    *n = record.number;
    in_shard_reader_free(reader);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status in_name_rows(struct in_input *in, uint64_t first_sample, struct t2_strs *names,
                            struct t2_err *err)
{
    const struct in_members *m = &in->members;

    T2_TRY(in_rewind(in, first_sample, err));
    T2_TRY(in_batch_order_next(&in->order, &in->members));
    for (int32_t i = 0; i < m->n_rows; i++) {
        uint64_t at = m->places[m->begins[i]]->at, record;
        uint64_t offset = at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1);
        const char *path = in->index.paths.items[at >> IN_OFFSET_BITS];

        T2_TRY(count_before(in, path, offset, &record, err));
        t2_strs_printf(names, "'%s': record %" PRIu64 " at offset %" PRIu64, path, record, offset);
    }
    return T2_OK;
}

/* ---- before the first batch: what records are ---- */

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
    in->recipe.max_corrupt = options->max_corrupt;
    in->recipe.n_numbers = options->n_numbers;
    in->recipe.target = options->target;
    in->recipe.targets_mask = options->targets_mask;
    in->recipe.sentences = options->sentences;
    in->recipe.types_vocab = options->types_vocab;
    in->recipe.sentence_label = options->sentence_label;
    if (options->images) {
        in->image_recipe = *options->images;
        in->recipe.images = &in->image_recipe;
        in->recipe.first_label = options->first_label;
        in->recipe.describes = options->describes;
        in->pixels = options->pixels;
    }
}

/* Are the shards of a packed data set?  Says their first record. */
static enum t2_status find_packed(struct in_input *in, const struct in_options *o,
                                  struct t2_err *err)
{
    struct in_shard_reader *reader = NULL;
    struct t2_strs paths = {0};
    struct in_shard_record record;
    enum t2_status st;

    T2_GOTO(st, out, tfr_find_shards(o->data_dir, o->dataset, o->split, &paths, err));
    for (size_t i = 0; i < paths.n; i++) {
        struct t2_err none = T2_ERR_INIT; /* what is wrong with it, the index says */

        if (in_shard_reader_new(paths.items[i], o->max_corrupt, NULL, &reader, &none) != T2_OK)
            break;
        st = in_shard_reader_next(reader, &record, &none);
        if (st == T2_OK)
            in->recipe.packed = in_record_is_packed(in->recipe.targets_feature, record.data);
        in_shard_reader_free(reader);
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
    if (in->recipe.targets_mask && (in->recipe.packed || in->recipe.packing != IN_PACK_NONE ||
                                    in->recipe.split > 0 || in->recipe.prepend))
        return t2_fail(err, T2_EUSAGE,
                       "records have a targets_mask, which says of each target of a sample "
                       "whether it counts: packed data sets and hparams pack_dataset, "
                       "split_to_length and prepend_mode are for records without");
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
    in->packing =
        (struct in_packing_rule){.form = in->recipe.packing,
                                 .length = in->recipe.packed_length,
                                 .n_rows =
                                     s->batch_sizes[in_scheme_bucket(s, in->recipe.packed_length)]};
}

/* Texts in chunks are single targets. */
static enum t2_status settle_chunks(struct in_input *in, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    int64_t length = mdl_hp_has(hp, "split_targets_chunk_length")
                         ? mdl_hp_int(hp, "split_targets_chunk_length")
                         : 0;

    if (length == 0)
        return T2_OK;
    if (in->recipe.packed || in->recipe.packing != IN_PACK_NONE || in->recipe.speech ||
        in->recipe.inputs_feature || in->recipe.targets_mask || in->rank.count > 1 ||
        in->replicas > 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam split_targets_chunk_length is for language models, whose data are "
                       "not packed and have no targets_mask, in one process with one data shard");
    if (length < 0 || length > NO_CHUNK_LONGER)
        return t2_fail(err, T2_EUSAGE,
                       "hparam split_targets_chunk_length=%" PRId64 " must lie between 0 and %d",
                       length, NO_CHUNK_LONGER);
    in->chunks.length = (int32_t) length;
    return T2_OK;
}

/* What records are, and how many make a batch. */
static enum t2_status settle_recipe(struct in_input *in, const struct in_options *options,
                                    const struct mdl_hparams *hp, struct t2_err *err)
{
    set_recipe(in, options);
    if (in->recipe.describes) {
        T2_TRY(in_recipe_set(&in->recipe, hp, err));
        if (in->recipe.split > 0 || in->recipe.packing != IN_PACK_NONE)
            return t2_fail(err, T2_EUSAGE, "hparams split_to_length and pack_dataset are for text");
        T2_TRY(check_order(in, hp, err));
        return in_scheme_described(hp, in->training, in->replicas, &in->scheme, err);
    }
    if (in->recipe.images) {
        T2_TRY(check_order(in, hp, err));
        return in_scheme_images(mdl_hp_int(hp, "batch_size"), in->image_replicas, &in->scheme, err);
    }
    if (in->recipe.n_numbers > 0) {
        T2_TRY(check_order(in, hp, err));
        return in_scheme_images(mdl_hp_int(hp, "batch_size"), in->image_replicas, &in->scheme, err);
    }
    T2_TRY(in_recipe_set(&in->recipe, hp, err));
    if (in->recipe.sentences) {
        if (in->recipe.split > 0 || in->recipe.packing != IN_PACK_NONE || in->recipe.prepend)
            return t2_fail(err, T2_EUSAGE,
                           "hparams split_to_length, pack_dataset and prepend_mode are not for "
                           "records of sentences");
        if (in->recipe.sentences == MDL_SENTENCES_ANSWERED && in->recipe.max_inputs < 1)
            return t2_fail(err, T2_EUSAGE,
                           "records of answers need hparam max_input_seq_length (seq_length of "
                           "train_data): the ids of a record, padding included");
        T2_TRY(check_order(in, hp, err));
        return in_scheme_images(mdl_hp_int(hp, "batch_size"), in->image_replicas, &in->scheme, err);
    }
    if (in->recipe.target != MDL_TARGET_IDS &&
        (in->recipe.split > 0 || in->recipe.packing != IN_PACK_NONE || in->recipe.prepend))
        return t2_fail(err, T2_EUSAGE,
                       "hparams split_to_length, pack_dataset and prepend_mode are for targets of "
                       "ids");
    if (options->speech) {
        if (in->recipe.split > 0 || in->recipe.packing != IN_PACK_NONE)
            return t2_fail(err, T2_EUSAGE, "hparams split_to_length and pack_dataset are for text");
        T2_TRY(in_speech_recipe_of(hp, &in->speech_recipe, err));
        in->recipe.speech = &in->speech_recipe;
        in->recipe.max_inputs = 0;
    }
    T2_TRY(find_packed(in, options, err));
    T2_TRY(check_order(in, hp, err));
    T2_TRY(in_scheme_of(hp, in->training, in->replicas, &in->scheme, err));
    adapt_scheme(in);
    return settle_chunks(in, hp, err);
}

/* ---- before the first batch: order and maker ---- */

static enum t2_status check_not_empty(const struct in_input *in, const struct in_options *options,
                                      struct t2_err *err)
{
    if (in->index.n > 0)
        return T2_OK;
    if (in->recipe.images && !in->recipe.describes)
        return t2_fail(err, T2_EFORMAT, "no image to train on: the shards '%s/%s%s%s-*' are empty",
                       options->data_dir, options->dataset, options->split ? "-" : "",
                       options->split ? options->split : "");
    return t2_fail(err, T2_EFORMAT,
                   "no sample to train on in '%s/%s-%s-*': of %" PRIu64 " records %" PRIu64
                   " are longer than %" PRId32 " (hparam max_length), %" PRIu64
                   " shorter than %" PRId32 " (hparam min_length)",
                   options->data_dir, options->dataset, options->split, in->index.n_records,
                   in->index.n_too_long, in->scheme.max_length, in->index.n_too_short,
                   in->scheme.min_length);
}

/* Samples in each bucket; owned by the caller. */
static uint64_t *count_buckets(const struct in_input *in)
{
    uint64_t *counts = t2_alloc((size_t) in->scheme.n_boundaries + 1, sizeof *counts);

    for (uint64_t i = 0; i < in->index.n; i++)
        counts[in_scheme_bucket(&in->scheme, in_place_length(&in->index.places[i]))]++;
    return counts;
}

static enum t2_status choose_training_order(struct in_input *in, const struct mdl_hparams *hp,
                                            uint64_t seed, struct t2_err *err)
{
    bool reference = strcmp(mdl_hp_string(hp, "sample_order"), "reference") == 0;
    uint64_t *counts = count_buckets(in);
    const struct in_order_data data = {.index = &in->index,
                                       .scheme = &in->scheme,
                                       .counts = counts,
                                       .batch_shuffle_size = mdl_hp_int(hp, "batch_shuffle_size"),
                                       .seed = seed};
    enum t2_status st = T2_OK;

    if (in->task_recipes)
        st = in_mixed_order(&data, &in->mix, &in->order, err);
    else if (reference && in->packs)
        in_reference_packed_order(&data, in->packing, &in->order);
    else if (reference)
        in_reference_order(&data, &in->order);
    else if (in->packs)
        in_packed_order(&in->index, in->packing, true, seed, &in->order);
    else
        st = in_shuffled_order(&data, &in->order, err);
    t2_free(counts);
    return st;
}

static enum t2_status choose_order(struct in_input *in, const struct in_options *options,
                                   const struct mdl_hparams *hp, struct t2_err *err)
{
    if (in->training) {
        T2_TRY(check_not_empty(in, options, err));
        T2_TRY(choose_training_order(in, hp, options->seed, err));
        return seek(in, options->first_sample, err);
    }
    if (!in->packs) /* the original drops what does not fill its last static batch */
        return in_pass_order(&in->index, &in->scheme, in->scheme.pad_to > 0, &in->order, err);
    in_packed_order(&in->index, in->packing, false, options->seed, &in->order);
    return T2_OK;
}

static void choose_maker(struct in_input *in, const struct in_options *options)
{
    const struct in_image_rule images = {.training = in->training,
                                         .as_bytes = options->image_bytes,
                                         .seed = options->seed,
                                         .num_threads = options->num_threads};

    if (in->pixels) {
        in_pixel_maker(&in->index, &in->recipe, &images, &in->maker);
        return;
    }
    in->image_bytes = in->recipe.images && in_image_rule_bytes(in->recipe.images, &images);
    if (in->recipe.images)
        in_image_maker(&in->index, &in->recipe, &images, &in->maker);
    else if (in->recipe.sentences)
        in_sentence_maker(&in->index, &in->recipe, &in->maker);
    else if (in_recipe_has_values(&in->recipe))
        in_value_maker(&in->index, &in->recipe, &in->maker);
    else if (in->recipe.speech)
        in_speech_maker(&in->index, &in->recipe, in->training, options->seed, options->num_threads,
                        &in->maker);
    else if (in->packs)
        in_packed_maker(&in->index, &in->recipe, &in->maker);
    else
        in_text_maker(&in->index, &in->recipe, in->fixed_length, &in->maker);
}

/* ---- several problems ---- */

static enum t2_status check_tasks(const struct in_input *in, const struct in_options *o,
                                  const struct mdl_hparams *hp, struct t2_err *err)
{
    if (in->recipe.packed || in->recipe.packing != IN_PACK_NONE || in->recipe.split > 0 ||
        in->recipe.prepend || in->recipe.images || in->recipe.speech || in->chunks.length > 0 ||
        strcmp(mdl_hp_string(hp, "sample_order"), "shuffled") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "several problems are of single samples of text: packed data sets and "
                       "hparams pack_dataset, split_to_length, split_targets_chunk_length, "
                       "prepend_mode and sample_order=reference are for one problem");
    T2_ASSERT(o->n_tasks >= 2 && o->n_tasks <= IN_MOST_TASKS && o->max_records == 0);
    return T2_OK;
}

/* -1, as the sets have it, is no limit. */
static enum t2_status task_limit(const struct mdl_hparams *hp, const char *name, int32_t *value,
                                 struct t2_err *err)
{
    enum { MOST_IDS = 1 << 24 };
    int64_t v = mdl_hp_int(hp, name);

    if (v < -1 || v > MOST_IDS)
        return t2_fail(err, T2_EUSAGE, "hparam %s=%" PRId64 " must lie between -1 and %d", name, v,
                       MOST_IDS);
    *value = v > 0 ? (int32_t) v : 0;
    return T2_OK;
}

static enum t2_status set_task_recipes(struct in_input *in, const struct in_options *o,
                                       const struct mdl_hparams *hp, struct t2_err *err)
{
    int32_t max_inputs = 0, max_targets = 0, fixed = 0;

    T2_TRY(task_limit(hp, "multiproblem_max_input_length", &max_inputs, err));
    T2_TRY(task_limit(hp, "multiproblem_max_target_length", &max_targets, err));
    T2_TRY(task_limit(hp, "multiproblem_fixed_train_length", &fixed, err));
    in->task_recipes = t2_alloc((size_t) o->n_tasks, sizeof *in->task_recipes);
    for (int i = 0; i < o->n_tasks; i++) {
        const struct in_task *t = &o->tasks[i];
        struct in_recipe *r = &in->task_recipes[i];

        *r = in->recipe;
        r->inputs_feature = t->inputs_feature;
        r->targets_feature = t->targets_feature;
        r->inputs_vocab = t->inputs_vocab;
        r->targets_vocab = t->targets_vocab;
        r->task_id = t->id;
        r->task_joins = !o->inputs_feature;
        r->task_label_offset = t->label_offset;
        if (r->task_joins && t->inputs_feature && t->label_offset == 0) {
            r->task_max_inputs = max_inputs;
            r->task_max_targets = max_targets;
        }
        r->task_fixed_length = in->training && r->task_joins ? fixed : 0;
    }
    return T2_OK;
}

/* hparam multiproblem_target_eval_only: evaluations are of the second problem alone. */
static enum t2_status read_tasks(struct in_input *in, const struct in_options *o,
                                 const struct mdl_hparams *hp, struct t2_err *err)
{
    struct in_source sources[IN_MOST_TASKS];
    bool second = !in->training && mdl_hp_bool(hp, "multiproblem_target_eval_only");
    int first = second ? 1 : 0, n = second ? 1 : o->n_tasks;

    T2_TRY(check_tasks(in, o, hp, err));
    T2_TRY(set_task_recipes(in, o, hp, err));
    if (in->training)
        T2_TRY(in_task_mix_of(hp, o->n_tasks, &in->mix, err));
    for (int i = 0; i < n; i++)
        sources[i] = (struct in_source){o->tasks[first + i].dataset, o->tasks[first + i].split,
                                        &in->task_recipes[first + i]};
    T2_TRY(
        in_index_read_tasks(o->data_dir, sources, n, &in->scheme, o->num_threads, &in->index, err));
    return in->training ? T2_OK : in_interleave_tasks(&in->index, err);
}

static enum t2_status open_input(struct in_input *in, const struct in_options *options,
                                 const struct mdl_hparams *hp, struct t2_err *err)
{
    T2_TRY(settle_recipe(in, options, hp, err));
    if (options->n_tasks > 0)
        T2_TRY(read_tasks(in, options, hp, err));
    else
        T2_TRY(in_index_read(options->data_dir, options->dataset, options->split, &in->recipe,
                             &in->scheme, options->max_records, options->num_threads, &in->index,
                             err));
    in->packs = in->recipe.packing != IN_PACK_NONE && in->index.n > 0;
    T2_TRY(choose_order(in, options, hp, err));
    choose_maker(in, options);
    return T2_OK;
}

enum t2_status in_new(const struct in_options *options, const struct mdl_hparams *hp,
                      struct in_input **input, struct t2_err *err)
{
    struct in_input *in = t2_alloc(1, sizeof *in);
    enum t2_status st;

    *input = NULL;
    in->training = options->training;
    in->rank = (struct in_rank){options->rank, options->n_ranks > 0 ? options->n_ranks : 1};
    in->n_here = options->n_here == IN_NONE_HERE ? 0 : options->n_here > 0 ? options->n_here : 1;
    in->replicas = options->replicas > 0 ? options->replicas : 1;
    in->image_replicas = options->global_batch_size ? 1 : in->replicas;
    T2_ASSERT(in->rank.index >= 0 && in->rank.index + in->n_here <= in->rank.count);
    in->memory = options->memory ? options->memory : &in_host_memory;
    in->n_ahead = options->prefetch_batches > 0        ? options->prefetch_batches
                  : options->images || options->speech ? IMAGE_PREFETCH
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
    in_batch_maker_free(&in->maker);
    in_batch_order_free(&in->order);
    in_members_release(&in->members);
    in_chunks_release(&in->chunks);
    in_index_release(&in->index);
    in_scheme_release(&in->scheme);
    t2_free(in->strings[0]);
    t2_free(in->strings[1]);
    t2_free(in->task_recipes);
    t2_free(in);
}
