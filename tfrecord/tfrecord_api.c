/*
 * tfrecord/tfrecord_api.c - libtfrecord: errors, reading, writing.  Examples are in
 * tfrecord_api_example.c.
 *
 * The border of the shared library: every function returns a TFRECORD_* status, and the message of
 * the last failure is kept per thread (tfrecord_error). NULL and other misuse is a status as well.
 * A reader has two independent states: `sequential` for tfrecord_reader_next, files[] and starts[]
 * for access by number; starts[i] is the number of the first record of file i, starts[n] the
 * total.
 */
#include "tfrecord/tfrecord_api.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/version.h"
#include "tfrecord/inputs.h"
#include "tfrecord/reader.h"
#include "tfrecord/record_index.h"
#include "tfrecord/sink.h"
#include "tfrecord/tfrecord_api_impl.h"

/* Files held open for random access; the one used longest ago makes room.  An index in memory goes
 * with its file, so there are many. */
enum { MAX_OPEN = 256 };

static _Thread_local struct t2_err last;

/* ---- errors ---- */

int tfrecord_api_version(void)
{
    return TFRECORD_API_VERSION;
}

const char *tfrecord_version(void)
{
    return t2_version();
}

const char *tfrecord_error(void)
{
    return last.message;
}

int tfrecord_api_status(enum t2_status st, const struct t2_err *err)
{
    static const int public[] = {
        [T2_OK] = TFRECORD_OK,           [T2_EOF] = TFRECORD_END,
        [T2_EUSAGE] = TFRECORD_EUSAGE,   [T2_EIO] = TFRECORD_EIO,
        [T2_EFORMAT] = TFRECORD_EFORMAT, [T2_ENOTFOUND] = TFRECORD_ENOTFOUND,
        [T2_ENOMEM] = TFRECORD_ENOMEM,   [T2_EUNSUPPORTED] = TFRECORD_EUNSUPPORTED,
    };

    if (st == T2_OK || st == T2_EOF)
        return public[st];
    last = *err;
    if ((size_t) st >= sizeof public / sizeof *public || public[st] == 0)
        return TFRECORD_EIO;
    return public[st];
}

int tfrecord_api_misuse(const char *what)
{
    struct t2_err err = T2_ERR_INIT;

    return tfrecord_api_status(t2_fail(&err, T2_EUSAGE, "%s", what), &err);
}

uint32_t tfrecord_crc32c(uint32_t crc, const void *data, size_t n_bytes)
{
    return t2_crc32c(crc, data, n_bytes);
}

uint32_t tfrecord_masked_crc32c(const void *data, size_t n_bytes)
{
    return t2_crc_mask(t2_crc32c(0, data, n_bytes));
}

/* ---- files ---- */

struct tfrecord_reader {
    struct tfr_inputs inputs;
    struct tfr_reader *sequential; /* of file `current`; NULL: not open */
    size_t current;

    struct tfr_file **files; /* for random access; NULL: not open */
    uint64_t *last_use;
    uint64_t clock;
    size_t n_open;
    uint64_t *starts;    /* n + 1: number of the first record of each file; NULL: not counted */
    const char *at_path; /* of the record that was got last, and its number in the file */
    uint64_t at_record;
};

int tfrecord_reader_open(const char *const *inputs, size_t n_inputs,
                         struct tfrecord_reader **reader)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {0};
    struct tfrecord_reader *r;
    enum t2_status st;

    if (!reader || !inputs || n_inputs == 0)
        return tfrecord_api_misuse("no INPUT is given");
    *reader = NULL;
    for (size_t i = 0; i < n_inputs; i++) {
        if (!inputs[i]) {
            t2_strs_release(&names);
            return tfrecord_api_misuse("an INPUT is NULL");
        }
        t2_strs_push(&names, inputs[i]);
    }
    r = t2_alloc(1, sizeof *r);
    st = tfr_inputs_find(&names, &r->inputs, &err);
    t2_strs_release(&names);
    if (st != T2_OK) {
        tfrecord_reader_close(r);
        return tfrecord_api_status(st, &err);
    }
    r->files = t2_alloc(r->inputs.n + 1, sizeof(struct tfr_file *));
    r->last_use = t2_alloc(r->inputs.n + 1, sizeof *r->last_use);
    *reader = r;
    return TFRECORD_OK;
}

void tfrecord_reader_close(struct tfrecord_reader *r)
{
    if (!r)
        return;
    tfr_reader_free(r->sequential);
    for (size_t i = 0; r->files && i < r->inputs.n; i++)
        tfr_file_free(r->files[i]);
    t2_free(r->files);
    t2_free(r->last_use);
    t2_free(r->starts);
    tfr_inputs_release(&r->inputs);
    t2_free(r);
}

size_t tfrecord_reader_n_files(const struct tfrecord_reader *r)
{
    return !r ? 0 : r->inputs.n;
}

const char *tfrecord_reader_file(const struct tfrecord_reader *r, size_t i)
{
    return !r || i >= r->inputs.n ? NULL : r->inputs.files[i].path;
}

/* ---- in order ---- */

enum t2_status tfrecord_api_next(struct tfrecord_reader *r, struct t2_slice *rec,
                                 struct t2_err *err)
{
    for (; r->current < r->inputs.n; r->current++) {
        enum t2_status st;
        if (!r->sequential)
            T2_TRY(tfr_reader_new(r->inputs.files[r->current].path, &r->sequential, err));
        r->at_path = r->inputs.files[r->current].path;
        r->at_record = tfr_reader_count(r->sequential);
        if ((st = tfr_reader_next(r->sequential, rec, err)) != T2_EOF)
            return st;
        tfr_reader_free(r->sequential);
        r->sequential = NULL;
    }
    return T2_EOF;
}

void tfrecord_api_locate(const struct tfrecord_reader *r, struct t2_err *err)
{
    (void) t2_wrap(err, "'%s': record %" PRIu64, r->at_path, r->at_record);
}

int tfrecord_reader_next(struct tfrecord_reader *r, const void **data, size_t *n_bytes)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice rec = {0};
    enum t2_status st;

    if (!r || !data || !n_bytes)
        return tfrecord_api_misuse("tfrecord_reader_next: NULL");
    st = tfrecord_api_next(r, &rec, &err);
    *data = rec.data;
    *n_bytes = rec.len_bytes;
    return tfrecord_api_status(st, &err);
}

void tfrecord_reader_rewind(struct tfrecord_reader *r)
{
    if (!r)
        return;
    tfr_reader_free(r->sequential);
    r->sequential = NULL;
    r->current = 0;
}

/* ---- by number ---- */

static void close_oldest(struct tfrecord_reader *r)
{
    size_t oldest = r->inputs.n;

    for (size_t i = 0; i < r->inputs.n; i++) {
        if (r->files[i] && (oldest == r->inputs.n || r->last_use[i] < r->last_use[oldest]))
            oldest = i;
    }
    tfr_file_free(r->files[oldest]);
    r->files[oldest] = NULL;
    r->n_open--;
}

static enum t2_status need_file(struct tfrecord_reader *r, size_t i, struct t2_err *err)
{
    r->last_use[i] = ++r->clock;
    if (r->files[i])
        return T2_OK;
    if (r->n_open >= MAX_OPEN)
        close_oldest(r);
    T2_TRY(tfr_file_open(r->inputs.files[i].path, &r->files[i], err));
    r->n_open++;
    return T2_OK;
}

static enum t2_status need_counts(struct tfrecord_reader *r, struct t2_err *err)
{
    uint64_t *starts;
    enum t2_status st = T2_OK;

    if (r->starts)
        return T2_OK;
    starts = t2_alloc(r->inputs.n + 1, sizeof *starts);
    for (size_t i = 0; i < r->inputs.n && st == T2_OK; i++) {
        if ((st = need_file(r, i, err)) == T2_OK)
            starts[i + 1] = starts[i] + tfr_file_count(r->files[i]);
    }
    if (st == T2_OK)
        r->starts = starts;
    else
        t2_free(starts);
    return st;
}

/* The file that has record i, which exists. */
static size_t file_of(const struct tfrecord_reader *r, uint64_t i)
{
    size_t low = 0, high = r->inputs.n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum t2_status tfrecord_api_get(struct tfrecord_reader *r, uint64_t i, struct t2_slice *rec,
                                struct t2_err *err)
{
    uint64_t n_in_file;
    size_t f;

    T2_TRY(need_counts(r, err));
    if (i >= r->starts[r->inputs.n])
        return t2_fail(err, T2_ENOTFOUND, "there is no record %" PRIu64 ": there are %" PRIu64, i,
                       r->starts[r->inputs.n]);
    f = file_of(r, i);
    T2_TRY(need_file(r, f, err));
    n_in_file = tfr_file_count(r->files[f]);
    if (n_in_file != r->starts[f + 1] - r->starts[f])
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has changed: it had %" PRIu64 " records and has %" PRIu64 " now",
                       r->inputs.files[f].path, r->starts[f + 1] - r->starts[f], n_in_file);
    r->at_path = r->inputs.files[f].path;
    r->at_record = i - r->starts[f];
    return tfr_file_get(r->files[f], r->at_record, rec, err);
}

int tfrecord_reader_count(struct tfrecord_reader *r, uint64_t *n_records)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    if (!r || !n_records)
        return tfrecord_api_misuse("tfrecord_reader_count: NULL");
    st = need_counts(r, &err);
    *n_records = st == T2_OK ? r->starts[r->inputs.n] : 0;
    return tfrecord_api_status(st, &err);
}

int tfrecord_reader_get(struct tfrecord_reader *r, uint64_t i, const void **data, size_t *n_bytes)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice rec = {0};
    enum t2_status st;

    if (!r || !data || !n_bytes)
        return tfrecord_api_misuse("tfrecord_reader_get: NULL");
    st = tfrecord_api_get(r, i, &rec, &err);
    *data = rec.data;
    *n_bytes = rec.len_bytes;
    return tfrecord_api_status(st, &err);
}

/* ---- writing ---- */

struct tfrecord_writer {
    struct tfr_sink *sink;
    char *output;
};

int tfrecord_writer_open(const char *output, const char *compression,
                         struct tfrecord_writer **writer)
{
    struct tfr_sink_options o = {.n_records = TFR_UNKNOWN_COUNT};
    struct t2_err err = T2_ERR_INIT;
    struct tfrecord_writer *w;
    enum t2_status st;

    if (!writer || !output || output[0] == '\0')
        return tfrecord_api_misuse("no output is given");
    *writer = NULL;
    if (!tfr_compression_parse(!compression ? "" : compression, &o.compression)) {
        st = t2_fail(&err, T2_EUSAGE, "'%s' is no compression: none, gzip, zlib or bgzip",
                     compression);
        return tfrecord_api_status(st, &err);
    }
    w = t2_alloc(1, sizeof *w);
    st = tfr_sink_parse_output(output, &w->output, &o, &err);
    if (st == T2_OK) {
        o.output = w->output;
        st = tfr_sink_new(&o, &w->sink, &err);
    }
    if (st != T2_OK) {
        t2_free(w->output);
        t2_free(w);
        return tfrecord_api_status(st, &err);
    }
    *writer = w;
    return TFRECORD_OK;
}

int tfrecord_writer_add(struct tfrecord_writer *w, const void *record, size_t n_bytes)
{
    struct t2_err err = T2_ERR_INIT;

    if (!w || (!record && n_bytes > 0))
        return tfrecord_api_misuse("tfrecord_writer_add: NULL");
    tfr_sink_add(w->sink, record, n_bytes);
    return tfrecord_api_status(tfr_sink_status(w->sink, &err), &err);
}

int tfrecord_writer_commit(struct tfrecord_writer *w, uint64_t *n_records)
{
    struct tfr_sink_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    if (!w)
        return tfrecord_api_misuse("tfrecord_writer_commit: NULL");
    st = tfr_sink_commit(w->sink, &report, &err);
    if (n_records)
        *n_records = st == T2_OK ? report.n_records : 0;
    tfr_sink_report_release(&report);
    t2_free(w->output);
    t2_free(w);
    return tfrecord_api_status(st, &err);
}

void tfrecord_writer_abort(struct tfrecord_writer *w)
{
    if (!w)
        return;
    tfr_sink_abort(w->sink);
    t2_free(w->output);
    t2_free(w);
}
