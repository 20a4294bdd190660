/*
 * tfrec/edit_records.c - dropping and changing records of a data set, shard by shard.
 *
 * Two passes: the first judges every record, which gives the shards that change and the new schema;
 * the second judges these shards again and writes them.  Judging twice costs time, but keeping the
 * verdicts would cost memory that grows with the set, and most edits touch few shards.
 *
 * In both passes threads judge whole batches (work), and one thread takes the results in order
 * (consume), so that the output is the same for any number of threads.
 */
#include "tfrec/edit_records.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/pool.h"
#include "tfrec/where.h"
#include "tfrecord/compress.h"
#include "tfrecord/record_stream.h"
#include "tfrecord/sink.h"

/* Memory of one thread, used again from record to record. */
struct worker {
    struct rec_schema *schema;
    struct tfr_example example, changed;
    struct rec_values values;
    struct rec_where_scratch where;
    struct t2_buf out;
};

struct job {
    struct rec_edit *e;
    const struct rec_edit_rule *rule;
    struct worker *workers;
    const size_t *numbers; /* second time: which file of the set an input is; NULL: itself */
    uint64_t *n_dropped, *n_changed; /* of each file */
    uint64_t *n_seen;
    /* second time: the shard that is written */
    struct tfr_sink *sink;
    size_t open_file; /* of the set, SIZE_MAX: none */
};

static size_t file_of(const struct job *j, const struct tfr_batch *b)
{
    return j->numbers ? j->numbers[b->file_number] : b->file_number;
}

static enum t2_status wrap_record(const struct tfr_batch *b, size_t i, struct t2_err *err)
{
    return t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                   b->first_in_file + i, b->records[i].offset);
}

static bool has_schema(const struct job *j)
{
    return j->e->m->n_features > 0;
}

/* w->example is record i's where it was parsed; w->out the new record. */
static enum t2_status judge(const struct job *j, struct worker *w, const struct tfr_batch *b,
                            size_t i, enum rec_verdict *verdict, struct t2_err *err)
{
    bool concerns = !j->rule->split || strcmp(j->rule->split, b->file->split) == 0;
    bool parse = has_schema(j) || j->rule->needs_example;

    *verdict = REC_KEEP;
    t2_buf_clear(&w->out);
    if (parse)
        T2_TRY(rec_parse_record(b, i, &w->example, err));
    if (concerns &&
        j->rule->judge(j->rule->context, &w->where, parse ? &w->example : NULL, b->records[i].data,
                       j->e->first[file_of(j, b)] + b->first_in_file + i, &w->out, verdict,
                       err) != T2_OK)
        return wrap_record(b, i, err);
    return T2_OK;
}

/* ---- the first time ---- */

struct survey {
    uint64_t n_dropped, n_changed;
};

/* The schema of the set as it will be. */
static enum t2_status see(const struct job *j, struct worker *w, const struct tfr_batch *b,
                          size_t i, enum rec_verdict verdict, struct t2_err *err)
{
    const struct tfr_example *ex = &w->example;
    enum t2_status st = T2_OK;

    if (!has_schema(j) || verdict == REC_DROP)
        return T2_OK;
    if (verdict == REC_CHANGE) {
        ex = &w->changed;
        st = tfr_example_parse(&w->changed, t2_buf_slice(&w->out), err);
        if (st == T2_OK)
            st = rec_edit_check_record(j->e, ex, &w->values, err);
    }
    if (st == T2_OK)
        st = rec_schema_see(w->schema, ex, &w->values, rec_at_of(b, i), err);
    return st == T2_OK ? st : wrap_record(b, i, err);
}

static enum t2_status survey_work(void *context, const struct tfr_batch *b, void *result,
                                  int worker, struct t2_err *err)
{
    struct job *j = context;
    struct worker *w = &j->workers[worker];
    struct survey *r = result;

    *r = (struct survey){0, 0};
    for (size_t i = 0; i < b->n; i++) {
        enum rec_verdict verdict;
        T2_TRY(judge(j, w, b, i, &verdict, err));
        T2_TRY(see(j, w, b, i, verdict, err));
        r->n_dropped += verdict == REC_DROP;
        r->n_changed += verdict == REC_CHANGE;
    }
    return T2_OK;
}

static enum t2_status survey_consume(void *context, const struct tfr_batch *b, void *result,
                                     struct t2_err *err)
{
    struct job *j = context;
    const struct survey *r = result;

    (void) err;
    j->n_dropped[b->file_number] += r->n_dropped;
    j->n_changed[b->file_number] += r->n_changed;
    j->n_seen[b->file_number] += b->n;
    return T2_OK;
}

static enum t2_status check_counts(const struct job *j, struct t2_err *err)
{
    for (size_t i = 0; i < j->e->files.n; i++) {
        const struct tfr_input_file *f = &j->e->files.files[i];
        if (j->n_seen[i] != f->n_records)
            return t2_fail(err, T2_EFORMAT,
                           "'%s' has %" PRIu64 " records, but its manifest says %" PRIu64
                           ": put the right file back before the set is edited",
                           f->path, j->n_seen[i], f->n_records);
    }
    return T2_OK;
}

static enum t2_status renew_features(struct job *j, const struct rec_schema *s, struct t2_err *err)
{
    struct tfr_manifest *m = j->e->m;
    struct tfr_manifest_feature *features = NULL;
    size_t n = 0;

    T2_TRY(rec_features_of(s, &j->e->files, m->features, m->n_features, &features, &n, err));
    for (size_t i = 0; i < m->n_features; i++)
        tfr_manifest_release_feature(&m->features[i]);
    t2_free(m->features);
    m->features = features;
    m->n_features = n;
    return T2_OK;
}

static enum t2_status survey_all(struct job *j, struct t2_pool *pool, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = &j->e->files,
                                      .what = "judging",
                                      .result_bytes = sizeof(struct survey),
                                      .work = survey_work,
                                      .consume = survey_consume,
                                      .context = j};
    struct rec_schema *all = rec_schema_new();
    enum t2_status st = tfr_stream_run(&stream, pool, err);

    for (int i = 0; st == T2_OK && i < t2_pool_threads(pool); i++)
        st = rec_schema_join(all, j->workers[i].schema, NULL, err);
    if (st == T2_OK)
        st = check_counts(j, err);
    rec_schema_sort(all);
    if (st == T2_OK && has_schema(j))
        st = renew_features(j, all, err);
    rec_schema_free(all);
    return st;
}

/* ---- the second time ---- */

/* The records of a batch that are kept: in the batch itself, or changed ones in `fresh`. */
struct rewritten {
    struct t2_slice *records;
    size_t capacity, n;
    size_t *in_new; /* SIZE_MAX: as it was; else where it starts in `fresh` */
    struct t2_buf fresh;
};

static void make_room(struct rewritten *r, size_t n)
{
    r->n = 0;
    t2_buf_clear(&r->fresh);
    if (n <= r->capacity)
        return;
    r->records = t2_realloc(r->records, n, sizeof *r->records);
    r->in_new = t2_realloc(r->in_new, n, sizeof *r->in_new);
    r->capacity = n;
}

static enum t2_status rewrite_work(void *context, const struct tfr_batch *b, void *result,
                                   int worker, struct t2_err *err)
{
    struct job *j = context;
    struct worker *w = &j->workers[worker];
    struct rewritten *r = result;

    make_room(r, b->n);
    for (size_t i = 0; i < b->n; i++) {
        enum rec_verdict verdict;
        T2_TRY(judge(j, w, b, i, &verdict, err));
        if (verdict == REC_DROP)
            continue;
        r->in_new[r->n] = verdict == REC_CHANGE ? r->fresh.len_bytes : SIZE_MAX;
        r->records[r->n] = b->records[i].data;
        if (verdict == REC_CHANGE) {
            r->records[r->n].len_bytes = w->out.len_bytes;
            t2_buf_append(&r->fresh, w->out.data, w->out.len_bytes);
        }
        r->n++;
    }
    return T2_OK;
}

static void rewrite_release(void *context, void *result)
{
    struct rewritten *r = result;

    (void) context;
    t2_free(r->records);
    t2_free(r->in_new);
    t2_buf_release(&r->fresh);
}

static enum t2_status close_shard(struct job *j, struct t2_err *err)
{
    struct tfr_sink_report report = {NULL, 0, 0};
    struct tfr_manifest_shard *s;
    enum t2_status st;

    if (j->open_file == SIZE_MAX)
        return T2_OK;
    s = rec_edit_shard(j->e, j->open_file);
    st = tfr_sink_commit(j->sink, &report, err);
    j->sink = NULL;
    if (st == T2_OK) {
        T2_ASSERT(report.n == 1 && report.n_records == s->n_records);
        s->bytes = report.files[0].bytes;
        memcpy(s->sha256, report.files[0].sha256, sizeof s->sha256);
        rec_journal_drop_indexes(&j->e->journal, s->file);
        rec_journal_add(&j->e->journal, s->file, s->file, true, false);
    }
    tfr_sink_report_release(&report);
    j->open_file = SIZE_MAX;
    return st;
}

static enum t2_status open_shard(struct job *j, size_t file, struct t2_err *err)
{
    struct tfr_sink_options o = {.cut = TFR_ONE_FILE};
    char *path = NULL;
    enum t2_status st = rec_edit_stage(j->e, rec_edit_shard(j->e, file)->file, &path, err);

    if (st == T2_OK)
        st = tfr_compression_of(j->e->files.files[file].path, &o.compression, err);
    o.output = path;
    if (st == T2_OK)
        st = tfr_sink_new(&o, &j->sink, err);
    if (st == T2_OK)
        j->open_file = file;
    t2_free(path);
    return st;
}

static enum t2_status rewrite_consume(void *context, const struct tfr_batch *b, void *result,
                                      struct t2_err *err)
{
    struct job *j = context;
    const struct rewritten *r = result;
    size_t file = file_of(j, b);

    if (j->open_file != file) {
        T2_TRY(close_shard(j, err));
        T2_TRY(open_shard(j, file, err));
    }
    for (size_t i = 0; i < r->n; i++) {
        const uint8_t *at =
            r->in_new[i] == SIZE_MAX ? r->records[i].data : r->fresh.data + r->in_new[i];
        tfr_sink_add(j->sink, at, r->records[i].len_bytes);
    }
    return tfr_sink_status(j->sink, err);
}

static enum t2_status rewrite(struct job *j, struct tfr_inputs *touched, struct t2_pool *pool,
                              struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = touched,
                                      .what = "writing",
                                      .result_bytes = sizeof(struct rewritten),
                                      .work = rewrite_work,
                                      .consume = rewrite_consume,
                                      .release = rewrite_release,
                                      .context = j};
    enum t2_status st;

    j->open_file = SIZE_MAX;
    st = tfr_stream_run(&stream, pool, err);
    if (st == T2_OK)
        st = close_shard(j, err);
    tfr_sink_abort(j->sink);
    j->sink = NULL;
    return st;
}

/* ---- both ---- */

/* Counts of the manifest, and which shards are touched. */
static void note_counts(struct job *j, struct rec_edit_counts *counts, struct tfr_inputs *touched,
                        size_t *numbers)
{
    struct tfr_manifest *m = j->e->m;
    size_t file = 0;

    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++, file++) {
            counts->n_dropped += j->n_dropped[file];
            counts->n_changed += j->n_changed[file];
            m->splits[s].n_records -= j->n_dropped[file];
            m->splits[s].shards[i].n_records -= j->n_dropped[file];
            if (j->n_dropped[file] + j->n_changed[file] == 0)
                continue;
            touched->files[touched->n] = j->e->files.files[file]; /* borrowed */
            touched->bytes += touched->files[touched->n].bytes;
            numbers[touched->n++] = file;
        }
    }
    counts->n_shards = touched->n;
}

static void begin(struct job *j, int n_workers)
{
    size_t n = j->e->files.n;

    j->workers = t2_alloc((size_t) n_workers, sizeof *j->workers);
    for (int i = 0; i < n_workers; i++)
        j->workers[i].schema = rec_schema_new();
    j->n_dropped = t2_alloc(n, sizeof *j->n_dropped);
    j->n_changed = t2_alloc(n, sizeof *j->n_changed);
    j->n_seen = t2_alloc(n, sizeof *j->n_seen);
}

static void end(struct job *j, int n_workers)
{
    for (int i = 0; i < n_workers; i++) {
        struct worker *w = &j->workers[i];
        rec_schema_free(w->schema);
        tfr_example_release(&w->example);
        tfr_example_release(&w->changed);
        rec_values_release(&w->values);
        rec_where_scratch_release(&w->where);
        t2_buf_release(&w->out);
    }
    t2_free(j->workers);
    t2_free(j->n_dropped);
    t2_free(j->n_changed);
    t2_free(j->n_seen);
}

enum t2_status rec_edit_records(struct rec_edit *e, const struct rec_edit_rule *rule,
                                struct t2_pool *pool, struct rec_edit_counts *counts,
                                struct t2_err *err)
{
    struct job j = {.e = e, .rule = rule};
    struct tfr_inputs touched = {t2_alloc(e->files.n, sizeof *touched.files), 0, 0};
    size_t *numbers = t2_alloc(e->files.n, sizeof *numbers);
    enum t2_status st;

    *counts = (struct rec_edit_counts){0, 0, 0};
    begin(&j, t2_pool_threads(pool));
    st = survey_all(&j, pool, err);
    if (st == T2_OK)
        note_counts(&j, counts, &touched, numbers);
    j.numbers = numbers;
    if (st == T2_OK && touched.n > 0 && !e->dry_run)
        st = rewrite(&j, &touched, pool, err);
    end(&j, t2_pool_threads(pool));
    t2_free(touched.files);
    t2_free(numbers);
    return st;
}
