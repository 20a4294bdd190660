/*
 * tfrec/cmd_project.c - tfrec project: features kept, dropped, renamed.
 *
 * Features keep their serialised lists: a view is written under its new name without unpacking its
 * values (example_write.h), except lists that were stored in pieces. `seen` has a flag for each
 * name of --keep, --drop and --rename, in this order, so that a name that no record has can be
 * warned of at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "tfrec/commands.h"
#include "tfrec/rewrite.h"
#include "tfrecord/example_write.h"
#include "tfrecord/record_stream.h"
#include "tfrecord/sequence.h"

static const char *keep_text, *drop_text, *rename_text;

/* clang-format off */
static const struct t2_flag table[] = {
    {"keep", T2_FLAG_STRING, &keep_text, "A,B", "Only these features stay.", NULL},
    {"drop", T2_FLAG_STRING, &drop_text, "A,B", "These features go.", NULL},
    {"rename", T2_FLAG_STRING, &rename_text, "OLD:NEW,...", "New names of features that stay.", NULL},
    REC_REWRITE_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec project",
    .usage = "--keep=A,B|--drop=A,B [--rename=OLD:NEW] -o FILE INPUT...",
    .summary = "Writes tf.train.Example records with some of their features, or under other names. "
               "Records are serialised as TensorFlow does it, names ascending; unknown "
               "protobuf fields do not survive.",
    .examples = "  tfrec project --keep=inputs,targets -o small.tfrecord train.tfrecord\n"
                "  tfrec project --drop=debug --rename=x:inputs -o y@16 x@16\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* Of a thread. */
struct scratch {
    struct tfr_example example;
    struct tfr_sequence sequence;
    struct t2_buf features; /* of struct tfr_named_view */
    struct t2_buf values;
};

/* Of a batch: the new payloads, one after another. */
struct written {
    struct t2_buf bytes, lengths;
    size_t n;
    bool *seen;
    struct t2_err err;
};

struct job {
    struct t2_strs keep, drop, old, new;
    struct scratch *scratch;
    struct tfr_sink *sink;
    uint64_t n_records;
    bool *seen; /* keep, drop, old: was the feature in any record? */
    size_t n_named;
};

/* Number of name in the list, or its size. */
static size_t find(const struct t2_strs *l, struct t2_slice name)
{
    size_t i = 0;

    while (i < l->n && !t2_slice_eq(t2_slice_of(l->items[i]), name))
        i++;
    return i;
}

static struct t2_slice new_name(const struct job *job, struct t2_slice name, bool *seen)
{
    size_t i = find(&job->old, name);

    if (i == job->old.n)
        return name;
    seen[job->keep.n + job->drop.n + i] = true;
    return t2_slice_of(job->new.items[i]);
}

static bool stays(const struct job *job, struct t2_slice name, bool *seen)
{
    size_t kept = find(&job->keep, name);
    size_t dropped = find(&job->drop, name);

    if (kept < job->keep.n)
        seen[kept] = true;
    if (dropped < job->drop.n)
        seen[job->keep.n + dropped] = true;
    return (!keep_text || kept < job->keep.n) && dropped == job->drop.n;
}

static enum t2_status project(const struct job *job, struct scratch *s, struct t2_slice record,
                              struct written *w)
{
    bool is_sequence = false;
    size_t n = 0, at = 0;

    T2_TRY(tfr_example_parse(&s->example, record, &w->err));
    T2_TRY(tfr_sequence_parse(&s->sequence, record, &is_sequence, &w->err));
    if (is_sequence)
        return t2_fail(&w->err, T2_EUNSUPPORTED,
                       "a SequenceExample; project works on tf.train.Example only");
    t2_buf_clear(&s->features);
    for (size_t i = 0; i < s->example.n; i++) {
        const struct tfr_view *v = &s->example.views[i];
        if (!stays(job, v->name, w->seen))
            continue;
        const struct tfr_named_view f = {new_name(job, v->name, w->seen), v};
        t2_buf_append(&s->features, &f, sizeof f);
        n++;
    }
    struct tfr_named_view *features = (struct tfr_named_view *) (void *) s->features.data;
    if (!tfr_named_views_sort(features, n, &at))
        return t2_fail(&w->err, T2_EUSAGE,
                       "--rename would make two features '%.*s'; drop or rename the other one",
                       (int) (features[at].name.len_bytes < 200 ? features[at].name.len_bytes
                                                                : 200),
                       (const char *) features[at].name.data);
    if (record.len_bytes > 0) /* an Example without its only field stays one */
        tfr_example_write(&w->bytes, &s->values, features, n);
    return T2_OK;
}

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct written *w = result;

    (void) err;
    if (!w->seen)
        w->seen = t2_alloc(job->n_named, sizeof *w->seen);
    t2_buf_clear(&w->bytes);
    t2_buf_clear(&w->lengths);
    w->err.status = T2_OK;
    for (w->n = 0; w->n < b->n; w->n++) {
        size_t before = w->bytes.len_bytes;
        if (project(job, &job->scratch[worker], b->records[w->n].data, w) != T2_OK) {
            (void) t2_wrap(&w->err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + w->n, b->records[w->n].offset);
            break;
        }
        size_t length = w->bytes.len_bytes - before;
        t2_buf_append(&w->lengths, &length, sizeof length);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct written *w = result;
    const size_t *lengths = (const size_t *) (const void *) w->lengths.data;
    size_t offset = 0;

    (void) b;
    for (size_t i = 0; i < w->n; i++) {
        tfr_sink_add(job->sink, w->bytes.data + offset, lengths[i]);
        offset += lengths[i];
    }
    job->n_records += w->n;
    for (size_t i = 0; i < job->n_named; i++)
        job->seen[i] |= w->seen[i];
    if (w->err.status != T2_OK) {
        *err = w->err;
        return err->status;
    }
    return tfr_sink_status(job->sink, err);
}

static void release(void *context, void *result)
{
    struct written *w = result;

    (void) context;
    t2_buf_release(&w->bytes);
    t2_buf_release(&w->lengths);
    t2_free(w->seen);
}

/* ---- flags ---- */

static enum t2_status read_names(const char *flag, const char *text, struct t2_strs *names,
                                 struct t2_err *err)
{
    if (text)
        t2_strs_split(names, text, ',');
    for (size_t i = 0; i < names->n; i++) {
        if (*names->items[i] == '\0')
            return t2_fail(err, T2_EUSAGE, "--%s='%s': an empty name", flag, text);
    }
    return T2_OK;
}

static enum t2_status read_renames(struct job *job, struct t2_err *err)
{
    struct t2_strs pairs = {NULL, 0, 0};
    enum t2_status st = read_names("rename", rename_text, &pairs, err);

    for (size_t i = 0; st == T2_OK && i < pairs.n; i++) {
        char *colon = strchr(pairs.items[i], ':');
        if (!colon || colon == pairs.items[i] || colon[1] == '\0') {
            st = t2_fail(err, T2_EUSAGE, "--rename: '%s' is not OLD:NEW", pairs.items[i]);
            break;
        }
        if (t2_utf8_invalid_at((const uint8_t *) colon + 1, strlen(colon + 1)) <
            strlen(colon + 1)) {
            st = t2_fail(err, T2_EUSAGE, "--rename: the new name is not UTF-8");
            break;
        }
        *colon = '\0';
        if (t2_strs_contains(&job->old, pairs.items[i]))
            st = t2_fail(err, T2_EUSAGE, "--rename: '%s' is renamed twice", pairs.items[i]);
        else if (t2_strs_contains(&job->new, colon + 1))
            st = t2_fail(err, T2_EUSAGE, "--rename: two features would be named '%s'", colon + 1);
        t2_strs_push(&job->old, pairs.items[i]);
        t2_strs_push(&job->new, colon + 1);
    }
    t2_strs_release(&pairs);
    return st;
}

static enum t2_status read_flags(struct job *job, struct t2_err *err)
{
    if (!keep_text && !drop_text && !rename_text)
        return t2_fail(err, T2_EUSAGE,
                       "which features? --keep=A,B, --drop=A,B or --rename=OLD:NEW (see --help)");
    if (keep_text && drop_text)
        return t2_fail(err, T2_EUSAGE, "--keep and --drop: one of them says all");
    T2_TRY(read_names("keep", keep_text, &job->keep, err));
    T2_TRY(read_names("drop", drop_text, &job->drop, err));
    T2_TRY(read_renames(job, err));
    job->n_named = job->keep.n + job->drop.n + job->old.n;
    job->seen = t2_alloc(job->n_named, sizeof *job->seen);
    return T2_OK;
}

/* A name that no record has is most likely a mistake in typing. */
static void warn_unseen(const struct job *job)
{
    for (size_t i = 0; i < job->n_named && job->n_records > 0; i++) {
        const char *name = i < job->keep.n ? job->keep.items[i]
                           : i < job->keep.n + job->drop.n
                               ? job->drop.items[i - job->keep.n]
                               : job->old.items[i - job->keep.n - job->drop.n];
        if (!job->seen[i])
            t2_warn("no record has a feature '%s' to %s", name,
                    i < job->keep.n                 ? "keep"
                    : i < job->keep.n + job->drop.n ? "drop"
                                                    : "rename");
    }
}

/* ---- the command ---- */

static enum t2_status rewrite(struct job *job, const struct tfr_inputs *in, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "projecting",
                                      .result_bytes = sizeof(struct written),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = job};
    struct t2_pool *pool;
    enum t2_status st;

    T2_TRY(rec_rewrite_open(TFR_UNKNOWN_COUNT, &job->sink, err));
    pool = rec_pool_new();
    job->scratch = t2_alloc((size_t) t2_pool_threads(pool), sizeof *job->scratch);
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < t2_pool_threads(pool); i++) {
        struct scratch *s = &job->scratch[i];
        tfr_example_release(&s->example);
        tfr_sequence_release(&s->sequence);
        t2_buf_release(&s->features);
        t2_buf_release(&s->values);
    }
    t2_free(job->scratch);
    t2_pool_free(pool);
    T2_TRY(rec_rewrite_close(job->sink, st, err));
    warn_unseen(job);
    t2_info("%" PRIu64 " records written to '%s'", job->n_records, rec_rewrite_given.output);
    return T2_OK;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct job job = {.sink = NULL};
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = read_flags(&job, err);
    if (st == T2_OK)
        st = rewrite(&job, &in, err);
    t2_strs_release(&job.keep);
    t2_strs_release(&job.drop);
    t2_strs_release(&job.old);
    t2_strs_release(&job.new);
    t2_free(job.seen);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_project = {"project", "Keeps, drops, renames features.", run};
