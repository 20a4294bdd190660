/*
 * datagen/sets/shard_survey.c - reading all records of a split.
 */
#include "datagen/sets/shard_survey.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/signals.h"
#include "tfrecord/reader.h"

enum { MOST_ERRORS_A_SHARD = 3, LOOK_EVERY = 1 << 14 };

struct slot {
    const struct tfr_manifest_shard *shard;
    struct dg_survey survey;
};

struct context {
    const struct tfr_manifest_split *split;
    const char *data_dir;
    bool hash;
    struct dg_survey *all;
    size_t next, done;
    struct t2_progress progress;
};

void dg_survey_release(struct dg_survey *s)
{
    for (size_t i = 0; i < s->n_features; i++) {
        t2_free(s->features[i].name);
        t2_free(s->features[i].lengths);
    }
    t2_strs_release(&s->errors);
    memset(s, 0, sizeof *s);
}

const struct dg_surveyed_feature *dg_survey_find(const struct dg_survey *s, const char *name)
{
    for (size_t i = 0; i < s->n_features; i++) {
        if (strcmp(s->features[i].name, name) == 0)
            return &s->features[i];
    }
    return NULL;
}

uint64_t dg_survey_percentile(const struct dg_surveyed_feature *f, double share)
{
    uint64_t rank = (uint64_t) (share * (double) f->n_records + 0.999999), n = 0;

    for (uint64_t i = 0; i < DG_SURVEY_LENGTHS; i++) {
        n += f->lengths[i];
        if (n >= rank && n > 0)
            return i;
    }
    return f->max_length;
}

/* The entry of a name, new when it is not there; NULL when there are too many. */
static struct dg_surveyed_feature *feature_of(struct dg_survey *s, struct t2_slice name)
{
    struct dg_surveyed_feature *f;
    size_t i = 0;
    int order = 1;

    while (i < s->n_features && (order = t2_slice_cmp(t2_slice_of(s->features[i].name), name)) < 0)
        i++;
    f = &s->features[i];
    if (i < s->n_features && order == 0)
        return f;
    if (s->n_features == DG_SURVEY_FEATURES)
        return NULL;
    memmove(f + 1, f, (s->n_features - i) * sizeof *f);
    s->n_features++;
    *f = (struct dg_surveyed_feature){.name = t2_bytes_dup(name.data, name.len_bytes)};
    f->lengths = t2_alloc(DG_SURVEY_LENGTHS, sizeof *f->lengths);
    return f;
}

static void add_length(struct dg_surveyed_feature *f, uint64_t n)
{
    if (f->n_records == 0 || n < f->min_length)
        f->min_length = n;
    if (n > f->max_length)
        f->max_length = n;
    f->n_records++;
    f->n_values += n;
    f->lengths[n < DG_SURVEY_LENGTHS ? n : DG_SURVEY_LENGTHS - 1]++;
}

static void add_values(struct dg_surveyed_feature *f, const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_first = f->n_values == 0 && i == 0;
        if (is_first || values[i] < f->min_value)
            f->min_value = values[i];
        if (is_first || values[i] > f->max_value)
            f->max_value = values[i];
    }
}

/* The reason why the record is not valid; NULL: it is. */
static const char *add_record(struct dg_survey *s, const struct tfr_example *ex, int64_t **values,
                              size_t *capacity)
{
    for (size_t i = 0; i < ex->n; i++) {
        const struct tfr_view *v = &ex->views[i];
        struct dg_surveyed_feature *f = feature_of(s, v->name);
        if (!f)
            return "too many features";
        if (f->n_records > 0 && f->kind != v->kind)
            return "a feature is of another kind than before";
        f->kind = v->kind;
        if (v->kind == TFR_INT64) {
            if (v->n > *capacity) {
                *capacity = 2 * v->n;
                *values = t2_realloc(*values, *capacity, sizeof **values);
            }
            tfr_view_ints(v, *values);
            add_values(f, *values, v->n);
        }
        add_length(f, v->n);
    }
    return NULL;
}

static enum t2_status read_records(struct dg_survey *s, const char *path, struct t2_err *err)
{
    struct tfr_example ex = {0};
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    int64_t *values = NULL;
    size_t capacity = 0, n_bad = 0;
    enum t2_status st;

    T2_TRY(tfr_reader_new(path, &r, err));
    while ((st = tfr_reader_next(r, &record, err)) == T2_OK) {
        struct t2_err bad = T2_ERR_INIT;
        const char *what = NULL;
        if (tfr_example_parse(&ex, record, &bad) != T2_OK)
            what = bad.message;
        else
            what = add_record(s, &ex, &values, &capacity);
        if (what && n_bad++ < MOST_ERRORS_A_SHARD)
            t2_strs_printf(&s->errors, "'%s': record %" PRIu64 ": %s", path, tfr_reader_count(r),
                           what);
        if (++s->n_records % LOOK_EVERY == 0 && (st = t2_check_interrupt(err)) != T2_OK)
            break;
    }
    if (st == T2_EOF)
        st = tfr_reader_check(r, err);
    tfr_reader_free(r);
    tfr_example_release(&ex);
    t2_free(values);
    return st;
}

static enum t2_status survey_shard(struct dg_survey *s, const struct tfr_manifest_shard *shard,
                                   const char *path, bool hash, struct t2_err *err)
{
    char sha256[65];
    uint64_t bytes;

    T2_TRY(t2_file_size(path, &bytes, err));
    if (bytes != shard->bytes)
        t2_strs_printf(&s->errors, "'%s' has %" PRIu64 " bytes, the manifest says %" PRIu64, path,
                       bytes, shard->bytes);
    T2_TRY(read_records(s, path, err));
    if (s->n_records != shard->n_records)
        t2_strs_printf(&s->errors, "'%s' has %" PRIu64 " records, the manifest says %" PRIu64, path,
                       s->n_records, shard->n_records);
    if (!hash)
        return T2_OK;
    T2_TRY(t2_sha256_file(path, sha256, &bytes, err));
    if (strcmp(sha256, shard->sha256) != 0)
        t2_strs_printf(&s->errors, "'%s' has SHA-256 %s, the manifest says %s", path, sha256,
                       shard->sha256);
    return T2_OK;
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct context *c = context;
    struct slot *s = item;

    T2_TRY(t2_check_interrupt(err));
    if (c->next == c->split->n_shards)
        return T2_EOF;
    dg_survey_release(&s->survey);
    s->shard = &c->split->shards[c->next++];
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct context *c = context;
    struct slot *s = item;
    char *path = t2_path_join(c->data_dir, s->shard->file);
    struct t2_err damage = T2_ERR_INIT;
    enum t2_status st = survey_shard(&s->survey, s->shard, path, c->hash, &damage);

    (void) worker;
    t2_free(path);
    if (st == T2_EINTERRUPTED) {
        *err = damage;
        return st;
    }
    if (st != T2_OK)
        t2_strs_printf(&s->survey.errors, "%s", damage.message);
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct context *c = context;
    struct slot *s = item;

    (void) err;
    dg_survey_join(c->all, &s->survey);
    t2_progress_update(&c->progress, ++c->done);
    return T2_OK;
}

static void release_slot(void *context, void *item)
{
    struct slot *s = item;

    (void) context;
    dg_survey_release(&s->survey);
}

enum t2_status dg_survey_split(const struct tfr_manifest_split *split, const char *data_dir,
                               bool hash, struct t2_pool *pool, struct dg_survey *s,
                               struct t2_err *err)
{
    struct context c = {.split = split, .data_dir = data_dir, .hash = hash, .all = s};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct slot),
                                   .n_slots = t2_pool_threads(pool) + 1,
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = &c};
    enum t2_status st;

    t2_progress_start(&c.progress, "reading", "shards", split->n_shards);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c.progress);
    return st;
}

static void join_feature(struct dg_surveyed_feature *into, const struct dg_surveyed_feature *from)
{
    if (from->n_records == 0)
        return;
    if (into->n_records == 0 || from->min_length < into->min_length)
        into->min_length = from->min_length;
    if (from->max_length > into->max_length)
        into->max_length = from->max_length;
    if (from->n_values && (into->n_values == 0 || from->min_value < into->min_value))
        into->min_value = from->min_value;
    if (from->n_values && (into->n_values == 0 || from->max_value > into->max_value))
        into->max_value = from->max_value;
    into->kind = from->kind;
    into->n_records += from->n_records;
    into->n_values += from->n_values;
    for (size_t i = 0; i < DG_SURVEY_LENGTHS; i++)
        into->lengths[i] += from->lengths[i];
}

void dg_survey_join(struct dg_survey *into, struct dg_survey *from)
{
    for (size_t i = 0; i < from->n_features; i++) {
        struct dg_surveyed_feature *f = feature_of(into, t2_slice_of(from->features[i].name));
        if (f)
            join_feature(f, &from->features[i]);
    }
    into->n_records += from->n_records;
    for (size_t i = 0; i < from->errors.n; i++)
        t2_strs_push(&into->errors, from->errors.items[i]);
    t2_strs_release(&from->errors);
}
