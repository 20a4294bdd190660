/*
 * tfrecord/sink.c - one file or shards: where a record goes, and how all files appear together.
 *
 * A shard is finished (on disk, closed) before the next begins, so that one file is open at a time;
 * the commit only renames.
 *
 *   cut              names                    when a shard ends
 *   TFR_ONE_FILE     output                   never
 *   TFR_N_SHARDS     output-KKKKK-of-NNNNN    record i goes to shard i n_shards / n_records
 *   TFR_BY_BYTES     output-KKKKK-of-NNNNN    before the record that would pass the limit
 *   TFR_BY_RECORDS   output-KKKKK-of-NNNNN    after `limit` records
 *
 * A shard's name needs the total, which is known at the end only, so that all shards are temporary
 * files until the commit. TFR_N_SHARDS of an unknown number of records needs the number before the
 * first cut: all records go to a spool first and are read again from it (cut_spool). That costs
 * one more write and read of the data; counting the input first is cheaper, and callers that can
 * do so give n_records.
 */
#include "tfrecord/sink.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/remote_hooks.h"
#include "base/remote_path.h"
#include "base/str.h"
#include "tfrecord/framing.h"
#include "tfrecord/inputs.h"
#include "tfrecord/reader.h"
#include "tfrecord/record_encoder.h"
#include "tfrecord/shards.h"

enum { MAX_SHARDS = 999999 };

struct shard {
    struct t2_out *out;
    uint64_t n_records;
    char sha256[65];
    bool was_there; /* its name, before the commit */
};

struct tfr_sink {
    struct tfr_sink_options o;
    char *output, *dir; /* dir and stem: of shards */
    const char *stem;
    struct tfr_encoder *encoder;
    struct shard *shards;
    size_t n, capacity;
    bool is_open; /* the last of shards takes records */
    uint64_t n_records;
    uint64_t framed_bytes; /* of the open shard, uncompressed */
    uint64_t next_cut;     /* TFR_N_SHARDS: the record that the next shard begins with */
    struct t2_out *spool;  /* all records, until it is known how many they are */
    struct tfr_encoder *spool_encoder;
    struct t2_err failure;
};

void tfr_sink_report_release(struct tfr_sink_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        t2_free(r->files[i].path);
    t2_free(r->files);
    *r = (struct tfr_sink_report){NULL, 0, 0};
}

enum t2_status tfr_sink_parse_output(const char *text, char **output, struct tfr_sink_options *o,
                                     struct t2_err *err)
{
    const char *at = strrchr(text, '@');
    int64_t n = 0;

    *output = NULL;
    if (text[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "the name of the output is empty");
    if (!at || strchr(at, '/') || !t2_parse_i64(at + 1, &n)) {
        *output = t2_strdup(text);
        o->cut = TFR_ONE_FILE;
        return T2_OK;
    }
    if (n < 1 || n > MAX_SHARDS || at == text || at[-1] == '/')
        return t2_fail(err, T2_EUSAGE, "output '%s': base@N with N from 1 to %d is meant", text,
                       MAX_SHARDS);
    *output = t2_strndup(text, (size_t) (at - text));
    o->cut = TFR_N_SHARDS;
    o->n_shards = (int) n;
    return T2_OK;
}

/* ---- opening and finishing shards ---- */

static bool has_failed(struct tfr_sink *s)
{
    return s->failure.status != T2_OK;
}

static void begin_shard(struct tfr_sink *s)
{
    struct shard new = {.out = NULL};
    char *path;
    enum t2_status st;

    if (s->n >= MAX_SHARDS) {
        (void) t2_fail(&s->failure, T2_EUSAGE, "'%s': more than %d shards", s->output, MAX_SHARDS);
        return;
    }
    path =
        s->o.cut == TFR_ONE_FILE ? t2_strdup(s->output) : t2_asprintf("%s-%05zu", s->output, s->n);
    st = t2_out_new(path, &new.out, &s->failure);
    t2_free(path);
    if (st != T2_OK)
        return;
    if (!s->o.unhashed)
        t2_out_hash_on(new.out);
    if (s->n == s->capacity) {
        s->capacity = s->capacity == 0 ? 16 : 2 * s->capacity;
        s->shards = t2_realloc(s->shards, s->capacity, sizeof *s->shards);
    }
    s->shards[s->n++] = new;
    s->is_open = true;
    s->framed_bytes = 0;
    tfr_encoder_begin(s->encoder, new.out);
}

static void finish_shard(struct tfr_sink *s)
{
    struct shard *last;

    if (!s->is_open)
        return;
    last = &s->shards[s->n - 1];
    s->is_open = false;
    tfr_encoder_end(s->encoder);
    if (!s->o.unhashed)
        t2_out_sha256(last->out, last->sha256);
    if (!has_failed(s))
        s->failure.status = t2_out_finish(last->out, &s->failure);
}

static void next_shard(struct tfr_sink *s)
{
    finish_shard(s);
    if (!has_failed(s))
        begin_shard(s);
}

/*
 * The first record of shard k: the smallest i with floor(i n / N) = k, that is ceil(k N / n), for n
 * shards and N records.  k N would overflow for large N, so it is taken apart by N = q n + r:
 * k q + ceil(k r / n), where r < n.
 */
static uint64_t first_of(const struct tfr_sink *s, uint64_t k)
{
    uint64_t n = (uint64_t) s->o.n_shards;

    return k * (s->o.n_records / n) + (k * (s->o.n_records % n) + n - 1) / n;
}

/* Opens the shard that the next record, of framed bytes, belongs to. */
static void go_to_shard(struct tfr_sink *s, uint64_t framed)
{
    switch (s->o.cut) {
    case TFR_ONE_FILE:
        break;
    case TFR_N_SHARDS:
        if (s->n_records == s->o.n_records)
            (void) t2_fail(&s->failure, T2_EFORMAT,
                           "'%s': more records came than the %" PRIu64 " that were counted before",
                           s->output, s->o.n_records);
        while (!has_failed(s) && s->n_records >= s->next_cut) {
            next_shard(s);
            s->next_cut = first_of(s, s->n);
        }
        break;
    case TFR_BY_BYTES:
        if (s->framed_bytes > 0 &&
            (s->framed_bytes > s->o.limit || framed > s->o.limit - s->framed_bytes))
            next_shard(s);
        break;
    case TFR_BY_RECORDS:
        if (s->shards[s->n - 1].n_records == s->o.limit)
            next_shard(s);
        break;
    }
}

static void count_records(struct tfr_sink *s, uint64_t n_records, uint64_t framed_bytes)
{
    s->shards[s->n - 1].n_records += n_records;
    s->framed_bytes += framed_bytes;
    s->n_records += n_records;
}

static void add_to_shard(struct tfr_sink *s, const void *payload, size_t len_bytes)
{
    go_to_shard(s, len_bytes + TFR_FRAME_BYTES);
    if (has_failed(s))
        return;
    tfr_encoder_add(s->encoder, payload, len_bytes);
    count_records(s, 1, len_bytes + TFR_FRAME_BYTES);
}

/* ---- creating ---- */

static enum t2_status check_options(const struct tfr_sink_options *o, struct t2_err *err)
{
    if (!o->output || o->output[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "the name of the output is empty");
    if (o->level < 0 || o->level > 9)
        return t2_fail(err, T2_EUSAGE, "compression level %d: 1 to 9 are possible", o->level);
    if (o->cut == TFR_ONE_FILE)
        return T2_OK;
    if (strcmp(o->output, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "shards cannot be written to the standard output");
    if (o->cut == TFR_N_SHARDS && (o->n_shards < 1 || o->n_shards > MAX_SHARDS))
        return t2_fail(err, T2_EUSAGE, "%d shards: 1 to %d are possible", o->n_shards, MAX_SHARDS);
    if (o->cut != TFR_N_SHARDS && o->limit == 0)
        return t2_fail(err, T2_EUSAGE, "the size of a shard must be at least 1");
    return T2_OK;
}

static enum t2_status refuse_other_shards(const struct tfr_sink *s, int n_shards,
                                          struct t2_err *err)
{
    char *other = NULL;
    enum t2_status st;

    T2_TRY(tfr_find_other_shards(s->dir, s->stem, n_shards, &other, err));
    if (!other)
        return T2_OK;
    st = t2_fail(err, T2_EUSAGE,
                 "'%s': there is '%s' of a set of another number of shards, %d would be mixed with "
                 "it; choose another name, or remove the old set first",
                 s->dir, other, n_shards);
    t2_free(other);
    return st;
}

static enum t2_status open_spool(struct tfr_sink *s, struct t2_err *err)
{
    char *path = t2_asprintf("%s-all", s->output);
    enum t2_status st = t2_out_new(path, &s->spool, err);

    t2_free(path);
    if (st != T2_OK)
        return st;
    s->spool_encoder = tfr_encoder_new(TFR_PLAIN, 0, 0);
    tfr_encoder_begin(s->spool_encoder, s->spool);
    return T2_OK;
}

static enum t2_status open_first(struct tfr_sink *s, struct t2_err *err)
{
    if (s->o.cut == TFR_N_SHARDS) {
        T2_TRY(refuse_other_shards(s, s->o.n_shards, err));
        if (s->o.n_records == TFR_UNKNOWN_COUNT)
            return open_spool(s, err);
    }
    begin_shard(s);
    s->next_cut = first_of(s, 1);
    return tfr_sink_status(s, err);
}

enum t2_status tfr_sink_new(const struct tfr_sink_options *o, struct tfr_sink **sink,
                            struct t2_err *err)
{
    struct tfr_sink *s;
    enum t2_status st;

    *sink = NULL;
    T2_TRY(check_options(o, err));
    s = t2_alloc(1, sizeof *s);
    s->o = *o;
    s->output = t2_strdup(o->output);
    s->o.output = s->output;
    s->dir = t2_path_dir(s->output);
    s->stem = t2_path_base(s->output);
    if (o->cut != TFR_N_SHARDS)
        s->o.n_shards = 1; /* first_of divides by it */
    s->encoder = tfr_encoder_new(o->compression, o->level, o->n_threads);
    st = open_first(s, err);
    if (st != T2_OK) {
        tfr_sink_abort(s);
        return st;
    }
    *sink = s;
    return T2_OK;
}

void tfr_sink_add(struct tfr_sink *s, const void *payload, size_t len_bytes)
{
    if (has_failed(s))
        return;
    if (!s->spool) {
        add_to_shard(s, payload, len_bytes);
        return;
    }
    tfr_encoder_add(s->spool_encoder, payload, len_bytes);
    s->n_records++;
}

/*
 * Adds records that are framed already. One file takes them as they are; shards are cut at record
 * borders, which the 8-byte length at the start of each frame gives.
 */
void tfr_sink_add_frames(struct tfr_sink *s, struct t2_slice frames, uint64_t n_records)
{
    const uint8_t *p = frames.data;

    if (s->spool) {
        tfr_encoder_write(s->spool_encoder, frames.data, frames.len_bytes);
        s->n_records += n_records;
        return;
    }
    if (s->o.cut == TFR_ONE_FILE && !has_failed(s)) {
        tfr_encoder_write(s->encoder, frames.data, frames.len_bytes);
        count_records(s, n_records, frames.len_bytes);
        return;
    }
    for (; n_records > 0 && !has_failed(s); n_records--) {
        size_t framed = (size_t) tfr_get_le64(p) + TFR_FRAME_BYTES;
        go_to_shard(s, framed);
        if (has_failed(s))
            return;
        tfr_encoder_write(s->encoder, p, framed);
        count_records(s, 1, framed);
        p += framed;
    }
}

enum t2_status tfr_sink_status(const struct tfr_sink *s, struct t2_err *err)
{
    if (s->failure.status != T2_OK) {
        *err = s->failure;
        return err->status;
    }
    if (s->spool)
        return t2_out_status(s->spool, err);
    return s->is_open ? t2_out_status(s->shards[s->n - 1].out, err) : T2_OK;
}

/* ---- the end ---- */

void tfr_sink_abort(struct tfr_sink *s)
{
    if (!s)
        return;
    tfr_encoder_free(s->encoder);
    tfr_encoder_free(s->spool_encoder);
    t2_out_abort(s->spool);
    for (size_t i = 0; i < s->n; i++)
        t2_out_abort(s->shards[i].out);
    t2_free(s->shards);
    t2_free(s->dir);
    t2_free(s->output);
    t2_free(s);
}

/* At the end the number of records is known: cuts the spooled records into shards. */
static enum t2_status cut_spool(struct tfr_sink *s, struct t2_err *err)
{
    struct t2_out *spool = s->spool;
    struct tfr_reader *r = NULL;
    struct t2_slice rec;
    enum t2_status st;

    s->spool = NULL;
    tfr_encoder_end(s->spool_encoder);
    s->o.n_records = s->n_records;
    s->n_records = 0;
    st = t2_out_finish(spool, err);
    if (st == T2_OK)
        st = tfr_reader_new(t2_out_temporary(spool), &r, err);
    if (st == T2_OK) {
        begin_shard(s);
        s->next_cut = first_of(s, 1);
        while (!has_failed(s) && (st = tfr_reader_next(r, &rec, err)) == T2_OK)
            add_to_shard(s, rec.data, rec.len_bytes);
        if (st == T2_EOF)
            st = T2_OK;
    }
    tfr_reader_free(r);
    if (st == T2_OK)
        return t2_out_discard(spool, err);
    t2_out_abort(spool);
    return st;
}

/* After this all bytes are written, and no file has its name yet. */
static enum t2_status finish(struct tfr_sink *s, struct t2_err *err)
{
    if (s->spool)
        T2_TRY(cut_spool(s, err));
    if (s->o.cut == TFR_N_SHARDS) {
        if (!has_failed(s) && s->n_records < s->o.n_records)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': %" PRIu64 " records came, %" PRIu64 " were counted before",
                           s->output, s->n_records, s->o.n_records);
        while (!has_failed(s) && s->n < (size_t) s->o.n_shards)
            next_shard(s);
    }
    finish_shard(s);
    if (has_failed(s))
        return tfr_sink_status(s, err);
    if (s->o.cut == TFR_BY_BYTES || s->o.cut == TFR_BY_RECORDS)
        return refuse_other_shards(s, (int) s->n, err);
    return T2_OK;
}

static void report_files(const struct tfr_sink *s, char *const *paths,
                         struct tfr_sink_report *report)
{
    report->files = t2_alloc(s->n, sizeof *report->files);
    report->n = s->n;
    report->n_records = s->n_records;
    for (size_t i = 0; i < s->n; i++) {
        struct tfr_sink_file *f = &report->files[i];
        f->path = t2_strdup(paths[i]);
        f->n_records = s->shards[i].n_records;
        f->bytes = t2_out_bytes(s->shards[i].out);
        memcpy(f->sha256, s->shards[i].sha256, sizeof f->sha256);
    }
}

static enum t2_status rename_all(struct tfr_sink *s, char *const *paths, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT;
    enum t2_status st = T2_OK;
    size_t i;

    for (i = 0; i < s->n; i++)
        s->shards[i].was_there = t2_is_remote(paths[i]) || t2_exists(paths[i]);
    t2_remote_unordered(true);
    for (i = 0; st == T2_OK && i < s->n; i++) {
        struct t2_out *out = s->shards[i].out;
        s->shards[i].out = NULL;
        st = t2_out_commit_as(out, paths[i], err);
    }
    t2_remote_unordered(false);
    while (st != T2_OK && i-- > 0) { /* a set with holes would be taken for damaged */
        if (!s->shards[i].was_there && s->o.cut != TFR_ONE_FILE &&
            t2_remove(paths[i], &ignored) != T2_OK)
            t2_warn("%s", ignored.message);
    }
    return st;
}

enum t2_status tfr_sink_commit(struct tfr_sink *s, struct tfr_sink_report *report,
                               struct t2_err *err)
{
    struct t2_strs paths = {NULL, 0, 0};
    enum t2_status st;

    if (report)
        *report = (struct tfr_sink_report){NULL, 0, 0};
    st = finish(s, err);
    for (size_t i = 0; st == T2_OK && i < s->n; i++)
        t2_strs_take(&paths, s->o.cut == TFR_ONE_FILE
                                 ? t2_strdup(s->output)
                                 : t2_asprintf("%s-%05zu-of-%05zu", s->output, i, s->n));
    if (st == T2_OK && report)
        report_files(s, paths.items, report);
    if (st == T2_OK)
        st = rename_all(s, paths.items, err);
    t2_strs_release(&paths);
    tfr_sink_abort(s);
    return st;
}
