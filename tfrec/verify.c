/*
 * tfrec/verify.c - sound stretches on all threads by tfr_stream, damaged files by
 * tfr_damage_reader.
 *
 * A file is read fast until it proves damaged.  The fast reader stops there, all records before the
 * damage have been consumed in order, and tfr_damage_reader starts behind the last of them; the
 * files after that one are a new stream.  So the cost of the slow reader is paid for damaged files
 * only.
 *
 * Findings about payloads wait in `pending` until the end of the file: whether its records are
 * Examples is decided by the majority of them.
 */
#include "tfrec/verify.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/str.h"
#include "tfrecord/damage.h"
#include "tfrecord/record_stream.h"

enum { FRAME_BYTES = 16, PIECE_RECORDS = 4096 };

/* The kinds of features are compared within a data set, over all its splits; another set may have
 * another feature of the same name. */
struct kind_set {
    char *name;
    struct rec_known_kinds *known;
};

struct run {
    const struct tfr_inputs *in;
    const struct rec_verify_options *o;
    struct rec_verified *v;
    struct kind_set *sets;
    size_t n_sets, set;  /* set: of the current file */
    size_t first;        /* input that is number 0 of the stream */
    uint64_t end_offset; /* of the records consumed of the current file */
    size_t current;
    struct rec_findings
        pending; /* of the current file: whether its payloads count is not known yet */
};

/* Of "dir/x-train-00000-of-00010": where "-00000-of-00010" begins; the end of other names. */
static size_t shard_numbers_at(const char *path)
{
    static const char of[] = "-of-";
    size_t n = strlen(path), at = n;

    while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    if (at == n || at < sizeof of || strncmp(path + at - 4, of, 4) != 0)
        return n;
    for (at -= 4; at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9';)
        at--;
    return at > 0 && path[at - 1] == '-' ? at - 1 : n;
}

/* The manifest that named the file; the name of a shard without split and numbers; "" of all
 * others. */
static char *set_name(const struct tfr_input_file *f)
{
    size_t n = shard_numbers_at(f->path), n_split = strlen(f->split), n_dir;

    if (f->manifest)
        return t2_strdup(f->manifest);
    if (f->path[n] == '\0')
        return t2_strdup("");
    n_dir = (size_t) (t2_path_base(f->path) - f->path);
    for (size_t at = n; n_split > 0 && at >= n_dir + n_split; at--) {
        size_t from = at - n_split;
        if (strncmp(f->path + from, f->split, n_split) != 0)
            continue;
        from -= from > n_dir; /* with the mark between */
        return t2_asprintf("%.*s%.*s", (int) from, f->path, (int) (n - at), f->path + at);
    }
    return t2_strndup(f->path, n);
}

static void choose_set(struct run *r, size_t file)
{
    char *name = set_name(&r->in->files[file]);

    for (r->set = 0; r->set < r->n_sets; r->set++) {
        if (strcmp(r->sets[r->set].name, name) == 0) {
            t2_free(name);
            return;
        }
    }
    r->sets = t2_realloc(r->sets, ++r->n_sets, sizeof *r->sets);
    r->sets[r->set] = (struct kind_set){name, rec_known_new(r->o->schema)};
}

static void release_sets(struct run *r)
{
    for (size_t i = 0; i < r->n_sets; i++) {
        r->v->too_many_features |= rec_known_too_many(r->sets[i].known);
        rec_known_free(r->sets[i].known);
        t2_free(r->sets[i].name);
    }
    t2_free(r->sets);
}

/* At the end of a file the share of Examples is known: decides whether its payloads count. */
static void finish_file(struct run *r)
{
    struct rec_verified_file *f = &r->v->files[r->current];

    f->are_examples = r->o->payload != REC_PAYLOAD_ANY;
    if (r->o->payload == REC_PAYLOAD_AUTO)
        f->are_examples = f->n_examples > f->n_read / 2;
    if (!f->are_examples) {
        rec_findings_drop_payload(&r->pending);
        f->n_bad = 0;
        r->v->n_other_files += f->n_read > 0;
    }
    rec_findings_move(&r->v->found, &r->pending);
}

static void set_current(struct run *r, size_t file)
{
    if (file == r->current)
        return;
    finish_file(r);
    r->current = file;
    choose_set(r, file);
}

/* Takes in what was found in some records, in their order. */
static void take(struct run *r, struct rec_checked *c, size_t file)
{
    struct rec_verified_file *f = &r->v->files[file];
    uint64_t before;

    set_current(r, file);
    f->n_read += c->n_records;
    f->n_bad += c->n_bad;
    f->n_examples += c->n_examples;
    r->v->n_records += c->n_records;
    rec_findings_move(&r->pending, &c->found);
    before = r->pending.counts[REC_PAYLOAD_ERROR];
    rec_kinds_settle(r->sets[r->set].known, &c->kinds, file, &r->pending);
    f->n_bad += r->pending.counts[REC_PAYLOAD_ERROR] - before;
    c->n_records = c->n_examples = c->n_refused = c->n_bad = 0;
}

/* ---- sound files ---- */

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct run *r = context;
    struct rec_checked *c = result;
    (void) worker;

    for (size_t i = 0; i < b->n; i++)
        T2_TRY(rec_check_record(r->o, c, r->first + b->file_number, b->first_in_file + i,
                                b->records[i].offset, b->records[i].data, err));
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct run *r = context;
    (void) err;

    if (b->first_in_file == 0)
        r->end_offset = 0;
    if (b->n > 0)
        r->end_offset =
            b->records[b->n - 1].offset + FRAME_BYTES + b->records[b->n - 1].data.len_bytes;
    take(r, result, r->first + b->file_number);
    return T2_OK;
}

static void release(void *context, void *result)
{
    (void) context;
    rec_checked_release(result);
}

/* ---- damaged files ---- */

static void fail_file(struct run *r, size_t file, const struct t2_err *problem)
{
    set_current(r, file);
    r->v->files[file].n_damages++;
    (void) rec_find(&r->pending, REC_DAMAGE, file, REC_NO_RECORD, 0, "file", "%s",
                    problem->message);
}

/* Failures of the system, not of the file: they end the whole run. */
static bool ends_all(enum t2_status st)
{
    return st == T2_EINTERRUPTED || st == T2_ENOMEM;
}

static void take_damage(struct run *r, size_t file, const struct tfr_found *f)
{
    const struct tfr_damage *d = &f->damage;
    bool of_file = d->field == TFR_FIELD_FILE;
    struct rec_finding *found =
        rec_find(&r->pending, REC_DAMAGE, file, of_file ? REC_NO_RECORD : f->number, f->offset,
                 tfr_field_name(d->field), "%s", d->words);

    r->v->files[file].n_damages++;
    r->v->files[file].n_lost += d->lost_records;
    r->v->files[file].n_mended += f->is_record;
    if (!found)
        return;
    found->lost_bytes = d->lost_bytes;
    found->lost_records = d->lost_records;
    found->raw_offset = d->raw_offset;
}

static enum t2_status read_damaged(struct run *r, struct tfr_damage_reader *d, size_t file,
                                   struct t2_err *err)
{
    struct rec_checked c = {.n_records = 0};
    struct tfr_found f;
    struct t2_progress progress;
    enum t2_status st;

    t2_progress_start(&progress, "looking for damage", "bytes", r->in->files[file].bytes);
    while ((st = tfr_damage_next(d, &f, err)) == T2_OK) {
        if (f.is_record)
            st = rec_check_record(r->o, &c, file, f.number, f.offset, f.data, err);
        if (st != T2_OK)
            break;
        if (f.is_damaged || c.n_records == PIECE_RECORDS) {
            take(r, &c, file);
            t2_progress_update(&progress, tfr_damage_raw_bytes(d));
        }
        if (f.is_damaged)
            take_damage(r, file, &f);
    }
    take(r, &c, file);
    t2_progress_end(&progress);
    rec_checked_release(&c);
    return st == T2_EOF ? T2_OK : st;
}

/* Goes on behind the records that were read, to the end. */
static enum t2_status read_on(struct run *r, size_t file, uint64_t number, uint64_t offset,
                              struct t2_err *err)
{
    struct tfr_damage_reader *d = NULL;
    struct t2_err problem = T2_ERR_INIT;
    enum t2_status st = tfr_damage_open(r->in->files[file].path, &d, &problem);

    if (st == T2_OK && number > 0)
        st = tfr_damage_start_at(d, number, offset, &problem);
    if (st == T2_OK)
        st = read_damaged(r, d, file, &problem);
    tfr_damage_close(d);
    if (st == T2_OK)
        return T2_OK;
    if (ends_all(st)) {
        *err = problem;
        return st;
    }
    fail_file(r, file, &problem);
    return T2_OK;
}

/* ---- all files ---- */

/* Can be read a second time? */
static bool is_regular(const struct tfr_input_file *f)
{
    struct stat info;

    return strcmp(f->path, "-") != 0 && t2_stat(f->path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Reads the file that could not be read to its end again, for the exact damage.  When nothing is
 * wrong with it now, as after it was cut behind a record, the first failure is reported: bytes that
 * were there before have not been checked. */
static enum t2_status look_closer(struct run *r, size_t file, const struct t2_err *problem,
                                  struct t2_err *err)
{
    struct rec_verified_file *f = &r->v->files[file];
    uint64_t n_damages = f->n_damages;

    T2_TRY(read_on(r, file, f->n_read, f->n_read > 0 ? r->end_offset : 0, err));
    if (f->n_damages == n_damages)
        fail_file(r, file, problem);
    return T2_OK;
}

/* Files first ... of which all can be read again: until one is damaged.  *done is the next to look
 * at. */
static enum t2_status read_fast(struct run *r, size_t first, size_t end, struct t2_pool *pool,
                                size_t *done, struct t2_err *err)
{
    struct tfr_inputs some = {r->in->files + first, end - first, 0};
    struct t2_err problem = T2_ERR_INIT;
    size_t stopped_in = 0;
    const struct tfr_stream stream = {.inputs = &some,
                                      .what = "verifying",
                                      .result_bytes = sizeof(struct rec_checked),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = r,
                                      .stopped_in = &stopped_in};
    enum t2_status st;

    for (size_t i = first; i < end; i++)
        some.bytes += r->in->files[i].bytes;
    r->first = first;
    r->end_offset = 0;
    st = tfr_stream_run(&stream, pool, &problem);
    *done = st == T2_OK ? end : first + stopped_in + 1;
    if (st == T2_OK)
        return T2_OK;
    if (ends_all(st)) {
        *err = problem;
        return st;
    }
    return look_closer(r, first + stopped_in, &problem, err);
}

static enum t2_status read_all(struct run *r, struct t2_pool *pool, struct t2_err *err)
{
    size_t at = 0;

    while (at < r->in->n) {
        size_t end = at;
        while (end < r->in->n && is_regular(&r->in->files[end]))
            end++;
        if (end > at) {
            T2_TRY(read_fast(r, at, end, pool, &at, err));
        } else {
            T2_TRY(read_on(r, at, 0, 0, err));
            at++;
        }
    }
    return T2_OK;
}

enum t2_status rec_verify_run(const struct tfr_inputs *in, const struct rec_verify_options *o,
                              struct t2_pool *pool, struct rec_verified *v, struct t2_err *err)
{
    struct run r = {.in = in, .o = o, .v = v};
    enum t2_status st;

    *v = (struct rec_verified){.n_records = 0};
    v->files = t2_alloc(in->n, sizeof *v->files);
    v->found.limit = r.pending.limit = o->limit;
    if (in->n > 0)
        choose_set(&r, 0);
    st = read_all(&r, pool, err);
    release_sets(&r);
    if (in->n > 0)
        finish_file(&r);
    rec_findings_release(&r.pending);
    return st;
}

void rec_verified_release(struct rec_verified *v)
{
    rec_findings_release(&v->found);
    t2_free(v->files);
    *v = (struct rec_verified){.n_records = 0};
}
