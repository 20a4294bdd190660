/*
 * tfrec/edit_append.c - records added to a data set, as new shards behind those that are there.
 */
#include "tfrec/edit_append.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/edit_vocab.h"
#include "tfrecord/compress.h"
#include "tfrecord/record_stream.h"
#include "tfrecord/sink.h"

/* The suffix "-00003-of-00010" has five digits in each number. */
enum { SUFFIX_BYTES = 15 /* -NNNNN-of-MMMMM */, MAX_SHARDS = 99999 };

static const uint64_t default_shard_bytes = UINT64_C(256) << 20;

struct worker {
    struct rec_schema *schema;
    struct tfr_example example;
    struct rec_values values;
};

struct job {
    struct rec_edit *e;
    const struct rec_append_options *o;
    struct worker *workers;
    struct tfr_manifest_split *split;
    size_t first_file;     /* of the split, in e->files */
    struct tfr_sink *sink; /* NULL in a dry run */
    uint64_t n_records;
};

/* ---- reading and writing ---- */

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *j = context;
    struct worker *w = &j->workers[worker];

    (void) result;
    for (size_t i = 0; j->e->m->n_features > 0 && i < b->n; i++) {
        T2_TRY(rec_parse_record(b, i, &w->example, err));
        if (rec_edit_check_record(j->e, &w->example, &w->values, err) != T2_OK ||
            rec_schema_see(w->schema, &w->example, &w->values, rec_at_of(b, i), err) != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + i, b->records[i].offset);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *j = context;

    (void) result;
    j->n_records += b->n;
    for (size_t i = 0; j->sink && i < b->n; i++)
        tfr_sink_add(j->sink, b->records[i].data.data, b->records[i].data.len_bytes);
    return j->sink ? tfr_sink_status(j->sink, err) : T2_OK;
}

/* ---- the split ---- */

static enum t2_status choose_split(struct job *j, struct t2_err *err)
{
    struct tfr_manifest *m = j->e->m;
    const char *name = j->o->split;
    struct t2_buf list = {NULL, 0, 0};
    enum t2_status st;

    if (!name && m->n_splits == 1)
        name = m->splits[0].name;
    j->split = tfr_manifest_find_split(m, name ? name : "train");
    if (j->split) {
        for (const struct tfr_manifest_split *s = m->splits; s < j->split; s++)
            j->first_file += s->n_shards;
        return T2_OK;
    }
    for (size_t i = 0; i < m->n_splits; i++)
        t2_buf_printf(&list, "%s'%s'", i ? ", " : "", m->splits[i].name);
    st = t2_fail(err, T2_ENOTFOUND, "'%s' has no split '%s'; --split can be one of %s", j->e->path,
                 name ? name : "train", m->n_splits ? t2_buf_cstr(&list) : "none");
    t2_buf_release(&list);
    return st;
}

/* The size of a new shard: --shard_size, else the mean of the split's shards, rounded up. */
static uint64_t shard_bytes(const struct job *j)
{
    uint64_t sum = 0;
    size_t n = 0;

    if (j->o->shard_bytes > 0)
        return j->o->shard_bytes;
    for (size_t i = 0; i < j->split->n_shards; i++) {
        sum += j->split->shards[i].bytes;
        n += j->split->shards[i].bytes > 0;
    }
    return n > 0 ? (sum + n - 1) / n : default_shard_bytes;
}

static enum t2_status open_sink(struct job *j, struct t2_err *err)
{
    struct tfr_sink_options o = {.cut = TFR_BY_BYTES, .limit = shard_bytes(j)};
    char *stem = NULL;
    enum t2_status st = T2_OK;

    if (j->e->dry_run)
        return T2_OK;
    if (j->split->n_shards > 0)
        st = tfr_compression_of(j->e->files.files[j->first_file].path, &o.compression, err);
    if (st == T2_OK)
        st = rec_edit_stage(j->e, "new", &stem, err);
    o.output = stem;
    if (st == T2_OK)
        st = tfr_sink_new(&o, &j->sink, err);
    t2_free(stem);
    return st;
}

/* ---- names ---- */

/* The stem of "<stem>-00003-of-00010" when all shards of the split are so called, in order; else
 * NULL. */
static char *common_stem(const struct tfr_manifest_split *s)
{
    char *stem;

    if (s->n_shards == 0 || s->n_shards > MAX_SHARDS || strlen(s->shards[0].file) <= SUFFIX_BYTES)
        return NULL;
    stem = t2_strndup(s->shards[0].file, strlen(s->shards[0].file) - SUFFIX_BYTES);
    for (size_t i = 0; i < s->n_shards; i++) {
        char *name = t2_asprintf("%s-%05zu-of-%05zu", stem, i, s->n_shards);
        bool same = strcmp(name, s->shards[i].file) == 0;
        t2_free(name);
        if (same)
            continue;
        t2_free(stem);
        return NULL;
    }
    return stem;
}

static bool is_taken(const struct rec_edit *e, const char *file)
{
    char *path = t2_path_join(e->dir, file);
    bool taken = t2_exists(path);

    t2_free(path);
    return taken;
}

static void rename_shard(struct rec_edit *e, struct tfr_manifest_shard *s, char *to)
{
    rec_journal_add(&e->journal, s->file, to, false, false);
    rec_journal_move_indexes(&e->journal, s->file, to);
    t2_free(s->file);
    s->file = to;
}

static enum t2_status in_the_way(const struct rec_edit *e, const char *file, struct t2_err *err)
{
    return t2_fail(err, T2_EIO,
                   "'%s/%s' is in the way: a shard would get this name, and the data set does not "
                   "know the file; move it away",
                   e->dir, file);
}

static enum t2_status rename_old(struct job *j, const char *stem, size_t total,
                                 struct rec_append_counts *counts, struct t2_err *err)
{
    for (size_t i = 0; i < j->split->n_shards; i++) {
        char *to = t2_asprintf("%s-%05zu-of-%05zu", stem, i, total);
        if (is_taken(j->e, to)) {
            (void) in_the_way(j->e, to, err);
            t2_free(to);
            return err->status;
        }
        rename_shard(j->e, &j->split->shards[i], to);
        counts->n_renamed++;
    }
    return T2_OK;
}

/* The name of new shard i: "<stem>-NNNNN-of-MMMMM" where the old ones are called so (they are
 * renamed to the new total), else "<set>-<split>-added-NNNNN.tfrecord" with the first number from
 * *number on that is free. */
static char *new_name(const struct job *j, const char *stem, size_t i, size_t total, int *number)
{
    char *name;

    if (stem)
        return t2_asprintf("%s-%05zu-of-%05zu", stem, i, total);
    do {
        name = t2_asprintf("%s-%s-added-%05d.tfrecord", j->e->name, j->split->name, (*number)++);
        if (!is_taken(j->e, name))
            return name;
        t2_free(name);
    } while (true);
}

static enum t2_status name_shards(struct job *j, const struct tfr_sink_report *report,
                                  struct rec_append_counts *counts, struct t2_err *err)
{
    char *stem = common_stem(j->split);
    size_t n_old = j->split->n_shards, total = n_old + report->n;
    int number = 0;
    enum t2_status st = T2_OK;

    if (total > MAX_SHARDS)
        st = t2_fail(err, T2_EUSAGE, "%zu shards are too many; give a larger --shard_size", total);
    else if (stem)
        st = rename_old(j, stem, total, counts, err);
    j->split->shards = t2_realloc(j->split->shards, total, sizeof *j->split->shards);
    for (size_t i = 0; st == T2_OK && i < report->n; i++) {
        const struct tfr_sink_file *f = &report->files[i];
        struct tfr_manifest_shard *s = &j->split->shards[j->split->n_shards];
        *s = (struct tfr_manifest_shard){.file = new_name(j, stem, n_old + i, total, &number),
                                         .n_records = f->n_records,
                                         .bytes = f->bytes};
        memcpy(s->sha256, f->sha256, sizeof s->sha256);
        j->split->n_shards++;
        j->split->n_records += f->n_records;
        rec_journal_add(&j->e->journal, t2_path_base(f->path), s->file, true, false);
        if (stem && is_taken(j->e, s->file))
            st = in_the_way(j->e, s->file, err);
    }
    counts->n_new = report->n;
    t2_free(stem);
    return st;
}

/* ---- the schema of both ---- */

static void join_feature(struct tfr_manifest_feature *f, const struct tfr_manifest_feature *more,
                         bool was_empty)
{
    if (more->n_values > 0 && (f->n_values == 0 || more->min_value < f->min_value))
        f->min_value = more->min_value;
    if (more->n_values > 0 && (f->n_values == 0 || more->max_value > f->max_value))
        f->max_value = more->max_value;
    if (was_empty || more->min_length < f->min_length)
        f->min_length = more->min_length;
    if (more->max_length > f->max_length)
        f->max_length = more->max_length;
    f->n_values += more->n_values;
    if (strcmp(f->kind, more->kind) != 0) { /* "none" until now */
        t2_free(f->kind);
        f->kind = t2_strdup(more->kind);
    }
}

static enum t2_status join_features(struct job *j, const struct rec_schema *s, struct t2_err *err)
{
    struct tfr_manifest *m = j->e->m;
    struct tfr_manifest_feature *more = NULL;
    size_t n = 0;

    T2_TRY(rec_features_of(s, j->o->records, m->features, m->n_features, &more, &n, err));
    T2_ASSERT(n == m->n_features); /* rec_edit_check_record refuses others */
    for (size_t i = 0; i < n; i++) {
        join_feature(&m->features[i], &more[i], j->e->n_records == 0);
        tfr_manifest_release_feature(&more[i]);
    }
    t2_free(more);
    return T2_OK;
}

/* ---- all together ---- */

static enum t2_status read_all(struct job *j, struct t2_pool *pool, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = j->o->records,
                                      .what = "appending",
                                      .work = work,
                                      .consume = consume,
                                      .context = j};
    struct rec_schema *all = rec_schema_new();
    enum t2_status st = tfr_stream_run(&stream, pool, err);

    for (int i = 0; st == T2_OK && i < t2_pool_threads(pool); i++)
        st = rec_schema_join(all, j->workers[i].schema, NULL, err);
    rec_schema_sort(all);
    if (st == T2_OK && j->n_records > 0)
        st = join_features(j, all, err);
    rec_schema_free(all);
    return st;
}

static enum t2_status write_all(struct job *j, struct t2_pool *pool,
                                struct rec_append_counts *counts, struct t2_err *err)
{
    struct tfr_sink_report report = {NULL, 0, 0};
    enum t2_status st = open_sink(j, err);

    if (st == T2_OK)
        st = read_all(j, pool, err);
    counts->n_records = j->n_records;
    if (st != T2_OK || j->n_records == 0 || !j->sink) {
        tfr_sink_abort(j->sink);
        return st;
    }
    st = tfr_sink_commit(j->sink, &report, err);
    if (st == T2_OK)
        st = name_shards(j, &report, counts, err);
    tfr_sink_report_release(&report);
    return st;
}

enum t2_status rec_edit_append(struct rec_edit *e, const struct rec_append_options *o,
                               struct t2_pool *pool, struct rec_append_counts *counts,
                               struct t2_err *err)
{
    struct job j = {.e = e, .o = o};
    int n_workers = t2_pool_threads(pool);
    size_t n_not_known;
    enum t2_status st;

    *counts = (struct rec_append_counts){NULL, 0, 0, 0};
    T2_TRY(choose_split(&j, err));
    counts->split = j.split->name;
    T2_TRY(rec_edit_check_vocab(e, o->records, &n_not_known, err));
    if (n_not_known > 0)
        t2_warn(
            "%zu of %zu files do not say which vocabulary their ids are of; that the ids are in "
            "the range of the vocabulary of '%s' is all that is checked",
            n_not_known, o->records->n, e->path);
    j.workers = t2_alloc((size_t) n_workers, sizeof *j.workers);
    for (int i = 0; i < n_workers; i++)
        j.workers[i].schema = rec_schema_new();
    st = write_all(&j, pool, counts, err);
    for (int i = 0; i < n_workers; i++) {
        rec_schema_free(j.workers[i].schema);
        tfr_example_release(&j.workers[i].example);
        rec_values_release(&j.workers[i].values);
    }
    t2_free(j.workers);
    return st;
}
