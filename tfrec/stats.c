/*
 * tfrec/stats.c - the statistics of a set: collecting on many threads, joining.
 *
 * Each thread collects into a struct rec_stats of its own, without locks; after the last batch
 * they are joined one by one, and only then the fields are sorted. All parts (sums exact,
 * histograms, adaptive samples) can be joined in any order with the same result, so the output
 * does not depend on the number of threads.
 *
 * Memory is bounded for all features together: the limits of a table are the total below divided
 * by the number of features (rounded up to a power of two), within a least and a most per feature.
 */
#include "tfrec/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/pool.h"

/*
 * Entries of the tables: per feature at most and at least, and of all features together. DISTINCT:
 * slots of a sample; DENSE: keys counted in an array; LABELS: texts counted by themselves.
 */
enum {
    MOST_DISTINCT = 1 << 17,
    ALL_DISTINCT = 1 << 21,
    LEAST_DISTINCT = 256,
    MOST_DENSE = 1 << 16,
    ALL_DENSE = 1 << 20,
    MOST_LABELS = 1 << 10,
    ALL_LABELS = 1 << 17,
    LEAST_LABELS = 16
};

static size_t share(size_t all, size_t n, size_t least, size_t most)
{
    size_t each = all / n;

    return each < least ? least : each > most ? most : each;
}

struct rec_limits rec_stats_limits(size_t n_features)
{
    size_t n = 1; /* a power of two, so that limits change rarely while features appear */

    while (n < n_features)
        n *= 2;
    return (struct rec_limits){share(ALL_DISTINCT, n, LEAST_DISTINCT, MOST_DISTINCT),
                               share(ALL_DENSE, n, LEAST_DISTINCT, MOST_DENSE),
                               share(ALL_LABELS, n, LEAST_LABELS, MOST_LABELS)};
}

/* ---- features ---- */

static void release_feature(struct rec_feature_stats *f)
{
    rec_histogram_release(&f->lengths);
    rec_histogram_release(&f->sizes);
    rec_distinct_release(&f->distinct);
    t2_free(f->float_sum);
    t2_map_free(f->labels);
}

static void leave_labels_out(struct rec_feature_stats *f)
{
    t2_map_free(f->labels);
    f->labels = NULL;
    f->labels_left_out = true;
}

static void shrink_all(struct rec_stats *s, struct rec_limits limits)
{
    s->limits = limits;
    for (size_t i = 0; i < s->n_features; i++) {
        struct rec_feature_stats *f = &s->features[i];
        rec_distinct_shrink(&f->distinct, limits.distinct, limits.dense);
        if (f->labels && t2_map_count(f->labels) > limits.labels)
            leave_labels_out(f);
    }
}

/* As many as the schema has fields. */
static void follow_schema(struct rec_stats *s)
{
    size_t n = s->schema->n;

    if (n == s->n_features)
        return;
    if (n > s->capacity) {
        size_t capacity = s->capacity == 0 ? 16 : s->capacity;
        while (capacity < n)
            capacity *= 2;
        s->features = t2_realloc(s->features, capacity, sizeof *s->features);
        s->capacity = capacity;
    }
    struct rec_limits limits = rec_stats_limits(n);
    if (s->n_features == 0 || memcmp(&limits, &s->limits, sizeof limits) != 0)
        shrink_all(s, limits);
    for (; s->n_features < n; s->n_features++) {
        struct rec_feature_stats *f = &s->features[s->n_features];
        *f = (struct rec_feature_stats){.int_sum = 0};
        rec_distinct_init(&f->distinct, limits.distinct, limits.dense);
    }
}

static void add_label(struct rec_feature_stats *f, const void *text, size_t len_bytes,
                      uint64_t count, size_t limit)
{
    if (f->labels_left_out)
        return;
    if (!f->labels)
        f->labels = t2_map_new();
    if (len_bytes > REC_LABEL_BYTES) {
        leave_labels_out(f);
        return;
    }
    *t2_map_at(f->labels, text, len_bytes, NULL) += count;
    if (t2_map_count(f->labels) > limit)
        leave_labels_out(f);
}

/* ---- seeing ---- */

static void see_ints(struct rec_feature_stats *f, const int64_t *v, size_t n)
{
    rec_i128 sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        rec_distinct_add(&f->distinct, (uint64_t) v[i]);
    }
    f->int_sum += sum;
}

/* The key of a float: one for both zeros, one for all NaN. */
static uint64_t float_key(float v)
{
    uint32_t bits;
    float one = isnan(v) ? NAN : v + 0.0F;

    memcpy(&bits, &one, sizeof bits);
    return UINT64_C(1) << 32 | (isnan(v) ? 0x7fc00000u : bits);
}

static void see_floats(struct rec_feature_stats *f, const float *v, size_t n)
{
    if (!f->float_sum)
        f->float_sum = t2_alloc(1, sizeof *f->float_sum);
    rec_float_sum_add(f->float_sum, v, n);
    for (size_t i = 0; i < n; i++)
        rec_distinct_add(&f->distinct, float_key(v[i]));
}

static void see_bytes(struct rec_feature_stats *f, const struct t2_slice *v, size_t n,
                      size_t label_limit)
{
    for (size_t i = 0; i < n; i++) {
        rec_histogram_add(&f->sizes, v[i].len_bytes);
        rec_distinct_add(&f->distinct, t2_hash64(v[i].data, v[i].len_bytes, 0));
        add_label(f, v[i].data, v[i].len_bytes, 1, label_limit);
    }
}

struct worker {
    struct rec_stats *stats;
    struct tfr_example example;
    struct rec_values values;
};

static enum t2_status see_record(struct worker *w, const struct rec_vocab *vocab, struct rec_at at,
                                 struct t2_err *err)
{
    struct rec_stats *s = w->stats;

    for (size_t i = 0; i < w->example.n; i++) {
        const struct tfr_view *view = &w->example.views[i];
        size_t number;
        T2_TRY(rec_schema_place(s->schema, view->name, i, &number, err));
        follow_schema(s);
        T2_TRY(rec_values_load(&w->values, view, err));
        rec_field_see(&s->schema->fields[number], view, &w->values, at);

        struct rec_feature_stats *f = &s->features[number];
        if (view->kind == TFR_NONE)
            continue;
        rec_histogram_add(&f->lengths, view->n);
        if (view->kind == TFR_INT64) {
            see_ints(f, w->values.ints, view->n);
            if (vocab)
                rec_vocab_see(vocab, w->values.ints, view->n, &f->use);
        } else if (view->kind == TFR_FLOAT) {
            see_floats(f, w->values.floats, view->n);
        } else {
            see_bytes(f, w->values.bytes, view->n, s->limits.labels);
        }
    }
    s->schema->n_records++;
    return T2_OK;
}

/* ---- reading ---- */

struct job {
    const struct rec_stats_options *options;
    const struct rec_vocab *vocab;
    struct worker *workers;
    uint64_t stop_at; /* records from here on are left out: second reading of a damaged set */
    uint64_t n_consumed;
    uint64_t n_files;
    struct rec_duplicates *duplicates;
};

/* Of one batch. */
struct hashes {
    struct rec_hash128 *items;
    size_t n, capacity;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct worker *w = &job->workers[worker];
    struct hashes *h = result;

    h->n = 0;
    if (b->n > h->capacity) {
        h->capacity = b->n;
        h->items = t2_realloc(h->items, h->capacity, sizeof *h->items);
    }
    for (size_t i = 0; i < b->n && b->first + i < job->stop_at; i++) {
        T2_TRY(rec_parse_record(b, i, &w->example, err));
        if (see_record(w, job->vocab, rec_at_of(b, i), err) != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64, b->file->path, b->first_in_file + i);
        rec_schema_see_payload(w->stats->schema, b->records[i].data);
        rec_histogram_add(&w->stats->record_bytes, b->records[i].data.len_bytes);
        h->items[h->n++] = rec_hash128(b->records[i].data);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    const struct hashes *h = result;

    rec_duplicates_add(job->duplicates, h->items, h->n);
    job->n_consumed += b->n;
    job->n_files = b->file_number + 1;
    if (job->options->see)
        T2_TRY(job->options->see(job->options->context, b, err));
    return job->n_consumed < job->stop_at ? T2_OK : T2_EOF;
}

static void release_hashes(void *context, void *result)
{
    (void) context;
    t2_free(((struct hashes *) result)->items);
}

/* ---- joining ---- */

static struct rec_stats *new_stats(void)
{
    struct rec_stats *s = t2_alloc(1, sizeof *s);

    s->schema = rec_schema_new();
    s->limits = rec_stats_limits(1);
    return s;
}

static void join_feature(struct rec_feature_stats *a, const struct rec_feature_stats *b,
                         size_t label_limit)
{
    rec_histogram_join(&a->lengths, &b->lengths);
    rec_histogram_join(&a->sizes, &b->sizes);
    a->int_sum += b->int_sum;
    if (b->float_sum) {
        if (!a->float_sum)
            a->float_sum = t2_alloc(1, sizeof *a->float_sum);
        rec_float_sum_join(a->float_sum, b->float_sum);
    }
    rec_distinct_join(&a->distinct, &b->distinct);
    if (b->labels_left_out)
        leave_labels_out(a);
    for (size_t i = 0; b->labels && i < t2_map_count(b->labels); i++) {
        struct t2_slice text = t2_map_key(b->labels, i);
        add_label(a, text.data, text.len_bytes, t2_map_value(b->labels, i), label_limit);
    }
    rec_vocab_join(&a->use, &b->use);
}

static enum t2_status join(struct rec_stats *into, const struct rec_stats *from, struct t2_err *err)
{
    size_t *places = t2_alloc(from->schema->n, sizeof *places);
    enum t2_status st = rec_schema_join(into->schema, from->schema, places, err);

    if (st == T2_OK) {
        follow_schema(into);
        for (size_t i = 0; i < from->n_features; i++)
            join_feature(&into->features[places[i]], &from->features[i], into->limits.labels);
        rec_histogram_join(&into->record_bytes, &from->record_bytes);
    }
    t2_free(places);
    return st;
}

/* Fields in the order of their names, features beside them. */
static void sort(struct rec_stats *s)
{
    struct rec_feature_stats *sorted = t2_alloc(s->capacity, sizeof *sorted);
    struct t2_map *before = t2_map_new();

    for (size_t i = 0; i < s->n_features; i++)
        *t2_map_at(before, s->schema->fields[i].name, s->schema->fields[i].name_bytes, NULL) = i;
    rec_schema_sort(s->schema);
    for (size_t i = 0; i < s->n_features; i++) {
        const struct rec_field *f = &s->schema->fields[i];
        sorted[i] = s->features[*t2_map_find(before, f->name, f->name_bytes)];
        rec_distinct_finish(&sorted[i].distinct);
    }
    t2_map_free(before);
    t2_free(s->features);
    s->features = sorted;
}

void rec_stats_free(struct rec_stats *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_features; i++)
        release_feature(&s->features[i]);
    t2_free(s->features);
    rec_histogram_release(&s->record_bytes);
    rec_schema_free(s->schema);
    t2_free(s);
}

/* Reads once; *all gets what all threads saw. */
static enum t2_status read_all(const struct tfr_inputs *in, struct t2_pool *pool, struct job *job,
                               struct rec_stats **all, struct t2_err *err)
{
    int n_workers = t2_pool_threads(pool);
    const struct tfr_stream stream = {.inputs = in,
                                      .what = job->options->what ? job->options->what : "reading",
                                      .result_bytes = sizeof(struct hashes),
                                      .work = work,
                                      .consume = consume,
                                      .release = release_hashes,
                                      .context = job};
    enum t2_status st;

    *all = new_stats();
    job->n_consumed = 0;
    job->duplicates = rec_duplicates_new(job->options->duplicate_bytes);
    job->workers = t2_alloc((size_t) n_workers, sizeof *job->workers);
    for (int i = 0; i < n_workers; i++)
        job->workers[i].stats = new_stats();
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < n_workers; i++) {
        struct worker *w = &job->workers[i];
        if (st == T2_OK)
            st = join(*all, w->stats, err);
        rec_stats_free(w->stats);
        tfr_example_release(&w->example);
        rec_values_release(&w->values);
    }
    if (st == T2_OK)
        (*all)->n_duplicates =
            rec_duplicates_count(job->duplicates, &(*all)->duplicates_exact, &(*all)->most_equal);
    rec_duplicates_free(job->duplicates);
    t2_free(job->workers);
    return st;
}

/* Threads may have seen records behind the damage: what was consumed before it is read again. */
static enum t2_status read_again(const struct tfr_inputs *in, struct t2_pool *pool, struct job *job,
                                 struct rec_stats **all, struct t2_err *err)
{
    const struct rec_stats_options quiet = {.vocab = job->options->vocab,
                                            .duplicate_bytes = job->options->duplicate_bytes,
                                            .what = job->options->what};
    struct t2_err damage = *err;
    struct t2_err again = T2_ERR_INIT;
    struct tfr_inputs sound = *in;
    enum t2_status st;

    rec_stats_free(*all);
    job->options = &quiet;
    job->stop_at = job->n_consumed;
    sound.n = job->n_consumed == 0 ? 0 : job->n_files;
    st = read_all(&sound, pool, job, all, &again);
    if (st != T2_OK)
        *err = again;
    else
        (*all)->damage = damage;
    return st;
}

/* The standard input is gone once it was read. */
static bool can_be_read_again(const struct tfr_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        if (strcmp(in->files[i].path, "-") == 0)
            return false;
    }
    return true;
}

enum t2_status rec_stats_collect(const struct tfr_inputs *in, struct t2_pool *pool,
                                 const struct rec_stats_options *o, struct rec_stats **stats,
                                 struct t2_err *err)
{
    struct rec_vocab *vocab = o->vocab ? rec_vocab_new(o->vocab) : NULL;
    struct job job = {.options = o, .vocab = vocab, .stop_at = UINT64_MAX};
    struct rec_stats *all = NULL;
    struct t2_err failure = T2_ERR_INIT;
    enum t2_status st = read_all(in, pool, &job, &all, &failure);

    if (o->accept_damage && (st == T2_EFORMAT || st == T2_EIO) && can_be_read_again(in))
        st = read_again(in, pool, &job, &all, &failure);
    rec_vocab_free(vocab);
    if (st != T2_OK) {
        rec_stats_free(all);
        *err = failure;
        return st;
    }
    all->n_files_read = job.n_files;
    sort(all);
    *stats = all;
    return T2_OK;
}
