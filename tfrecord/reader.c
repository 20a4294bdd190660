/*
 * tfrecord/reader.c - record framing on the way in, and the messages when it is broken.
 *
 * Stricter than TensorFlow in one point: a file that ends inside the twelve bytes of a record
 * header is an error here and a quiet end there.
 *
 * A record (record_writer.cc, all numbers little-endian):
 *
 *   offset  bytes
 *   0       8      n, the length of the data
 *   8       4      masked CRC-32C of the 8 bytes above
 *   12      n      the data
 *   12 + n  4      masked CRC-32C of the data
 *
 * The length is believed only after its CRC has matched, and compared with what is left of the
 * file before anything is read or allocated for it.
 */
#include "tfrecord/reader.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"
#include "tfrecord/source.h"

enum { PREFETCH_BYTES = 4096, LINE_BYTES = 64 };

struct tfr_reader {
    struct tfr_source source;
    uint64_t n_records;
};

enum t2_status tfr_reader_new(const char *path, struct tfr_reader **r, struct t2_err *err)
{
    struct tfr_source source;

    *r = NULL;
    T2_TRY(tfr_source_open(path, &source, err));
    *r = t2_alloc(1, sizeof **r);
    (*r)->source = source;
    return T2_OK;
}

void tfr_reader_free(struct tfr_reader *r)
{
    if (!r)
        return;
    tfr_source_close(&r->source);
    t2_free(r);
}

uint64_t tfr_reader_count(const struct tfr_reader *r)
{
    return r->n_records;
}

uint64_t tfr_reader_offset(const struct tfr_reader *r)
{
    return tfr_source_offset(&r->source);
}

/* ---- messages ---- */

#define AT "'%s': record %" PRIu64 " at offset %" PRIu64 ": "
#define AT_ARGS(r) (r)->source.path, (r)->n_records, tfr_source_offset(&(r)->source)

/* The first record's header is unsound, so this is probably no record file: says what it looks
 * like instead. */
static enum t2_status fail_first(const struct tfr_reader *r, const uint8_t *p, uint64_t n,
                                 struct t2_err *err)
{
    const struct tfr_source *s = &r->source;
    const char *what = tfr_looks_like(p, (size_t) n);
    uint64_t length = n >= TFR_LENGTH_BYTES ? tfr_get_le64(p) : 0;
    const char *sep = !what ? "" : "; it looks like ";

    if (!what)
        what = "";
    if (n < TFR_LENGTH_BYTES)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is not a TFRecord file: it has %" PRIu64
                       " bytes, the smallest record has 16%s%s",
                       s->path, n, sep, what);
    if (s->size == UINT64_MAX)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is not a TFRecord file: the first 8 bytes give a record length of "
                       "%" PRIu64 " bytes, and the length CRC does not match%s%s",
                       s->path, length, sep, what);
    return t2_fail(err, T2_EFORMAT,
                   "'%s' is not a TFRecord file: the first 8 bytes give a record length of %" PRIu64
                   " bytes, the file has %" PRIu64 "%s%s",
                   s->path, length, s->size, sep, what);
}

/* Fewer than twelve bytes are left. */
static enum t2_status fail_short_header(const struct tfr_reader *r, const uint8_t *p, uint64_t n,
                                        struct t2_err *err)
{
    if (r->n_records == 0 && tfr_looks_like(p, (size_t) n))
        return fail_first(r, p, n, err);
    return t2_fail(err, T2_EFORMAT,
                   AT "file cut short: %" PRIu64 " of the 12 bytes of a record header are there",
                   AT_ARGS(r), n);
}

static enum t2_status fail_header(const struct tfr_reader *r, const uint8_t *p, uint64_t n,
                                  struct t2_err *err)
{
    const struct tfr_source *s = &r->source;

    if (r->n_records == 0 && (tfr_get_le64(p) > s->size || tfr_looks_like(p, (size_t) n)))
        return fail_first(r, p, n, err);
    return t2_fail(err, T2_EFORMAT,
                   AT "length CRC mismatch: stored %08" PRIx32 ", computed %08" PRIx32, AT_ARGS(r),
                   tfr_get_le32(p + TFR_LENGTH_BYTES),
                   t2_crc_mask(t2_crc32c(0, p, TFR_LENGTH_BYTES)));
}

static enum t2_status fail_short_data(const struct tfr_reader *r, uint64_t offset, uint64_t length,
                                      uint64_t left, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   AT "file cut short: %" PRIu64 " bytes of data and 4 of their CRC should follow "
                      "the header, %" PRIu64 " are there",
                   r->source.path, r->n_records, offset, length, left);
}

enum t2_status tfr_record_fail(const char *path, uint64_t number, uint64_t offset,
                               struct t2_slice rec, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   AT "data CRC mismatch: stored %08" PRIx32 ", computed %08" PRIx32
                      " over %zu bytes",
                   path, number, offset, tfr_get_le32(rec.data + rec.len_bytes),
                   t2_crc_mask(t2_crc32c(0, rec.data, rec.len_bytes)), rec.len_bytes);
}

/* ---- reading ---- */

/* Called when the source fails by itself (compression, I/O): adds where. */
static enum t2_status located(const struct tfr_reader *r, enum t2_status st, struct t2_err *err)
{
    if (st == T2_OK || r->source.fd >= 0)
        return st;
    return t2_wrap(err, AT "cannot go on", AT_ARGS(r));
}

/* The header at the current position: its length.  T2_EOF at the end. */
static inline enum t2_status read_header(struct tfr_reader *r, uint64_t *length, struct t2_err *err)
{
    struct tfr_source *s = &r->source;

    if (tfr_source_available(s) < TFR_HEADER_BYTES) {
        T2_TRY(located(r, tfr_source_fill(s, TFR_HEADER_BYTES, err), err));
        if (tfr_source_available(s) == 0) {
            T2_TRY(tfr_source_check(s, err));
            return T2_EOF;
        }
        if (tfr_source_available(s) < TFR_HEADER_BYTES)
            return fail_short_header(r, s->base + s->pos, tfr_source_available(s), err);
    }
    /* The next header is found only when this one has come from memory: ask for what follows now,
     * and across the page ends where the processor's own prefetching stops. */
    uintptr_t ahead = (uintptr_t) (s->base + s->pos) + PREFETCH_BYTES;
    __builtin_prefetch((const void *) ahead);
    __builtin_prefetch((const void *) (ahead + LINE_BYTES));
    __builtin_prefetch((const void *) (ahead + 2 * LINE_BYTES));
    if (!tfr_header_ok(s->base + s->pos)) {
        T2_TRY(tfr_source_check(s, err));
        return fail_header(r, s->base + s->pos, tfr_source_available(s), err);
    }
    *length = tfr_get_le64(s->base + s->pos);
    return T2_OK;
}

/* Makes the whole record ready. */
static enum t2_status need_record(struct tfr_reader *r, uint64_t length, struct t2_err *err)
{
    struct tfr_source *s = &r->source;
    uint64_t left = s->size - s->pos - TFR_HEADER_BYTES;

    if (s->size != UINT64_MAX && (left < TFR_FOOTER_BYTES || left - TFR_FOOTER_BYTES < length))
        return fail_short_data(r, tfr_source_offset(s), length, left, err);
    if (length > UINT64_MAX - TFR_FRAME_BYTES)
        length = UINT64_MAX - TFR_FRAME_BYTES;
    T2_TRY(located(r, tfr_source_fill(s, length + TFR_FRAME_BYTES, err), err));
    if (tfr_source_available(s) < length + TFR_FRAME_BYTES)
        return fail_short_data(r, tfr_source_offset(s), length,
                               tfr_source_available(s) - TFR_HEADER_BYTES, err);
    return T2_OK;
}

/* The next record, its bytes ready; it is not taken yet. */
static inline enum t2_status peek_record(struct tfr_reader *r, struct t2_slice *rec,
                                         struct t2_err *err)
{
    struct tfr_source *s = &r->source;
    uint64_t length = 0;

    T2_TRY(read_header(r, &length, err));
    uint64_t available = tfr_source_available(s) - TFR_HEADER_BYTES;
    if (available < TFR_FOOTER_BYTES || available - TFR_FOOTER_BYTES < length)
        T2_TRY(need_record(r, length, err));
    rec->data = s->base + s->pos + TFR_HEADER_BYTES;
    rec->len_bytes = (size_t) length;
    return T2_OK;
}

static inline void take_record(struct tfr_reader *r, size_t len_bytes)
{
    r->source.pos += len_bytes + TFR_FRAME_BYTES;
    r->n_records++;
}

bool tfr_record_ok(struct t2_slice rec)
{
    return t2_crc_mask(t2_crc32c(0, rec.data, rec.len_bytes)) ==
           tfr_get_le32(rec.data + rec.len_bytes);
}

enum t2_status tfr_reader_next(struct tfr_reader *r, struct t2_slice *rec, struct t2_err *err)
{
    T2_TRY(peek_record(r, rec, err));
    if (!tfr_record_ok(*rec)) {
        T2_TRY(tfr_source_check(&r->source, err));
        return tfr_record_fail(r->source.path, r->n_records, tfr_reader_offset(r), *rec, err);
    }
    take_record(r, rec->len_bytes);
    return T2_OK;
}

enum t2_status tfr_reader_next_unchecked(struct tfr_reader *r, struct t2_slice *rec,
                                         struct t2_err *err)
{
    T2_TRY(peek_record(r, rec, err));
    take_record(r, rec->len_bytes);
    return T2_OK;
}

bool tfr_reader_is_mapped(const struct tfr_reader *r)
{
    return r->source.fd >= 0;
}

enum t2_status tfr_reader_check(const struct tfr_reader *r, struct t2_err *err)
{
    return tfr_source_check(&r->source, err);
}

enum t2_status tfr_reader_skip(struct tfr_reader *r, struct t2_err *err)
{
    struct tfr_source *s = &r->source;
    uint64_t length = 0;
    uint64_t missing = 0;

    T2_TRY(read_header(r, &length, err));
    uint64_t offset = tfr_source_offset(s);
    uint64_t rest = length > UINT64_MAX - TFR_FOOTER_BYTES ? length : length + TFR_FOOTER_BYTES;
    s->pos += TFR_HEADER_BYTES;
    if (rest <= tfr_source_available(s))
        s->pos += rest;
    else
        T2_TRY(located(r, tfr_source_skip(s, rest, &missing, err), err));
    if (missing > 0)
        return fail_short_data(r, offset, length, rest - missing, err);
    r->n_records++;
    return T2_OK;
}

enum t2_status tfr_count(const char *path, uint64_t *n_records, struct t2_err *err)
{
    struct tfr_reader *r = NULL;
    enum t2_status st;

    *n_records = 0;
    T2_TRY(tfr_reader_new(path, &r, err));
    while ((st = tfr_reader_skip(r, err)) == T2_OK)
        ++*n_records;
    if (st == T2_EOF)
        st = T2_OK;
    tfr_reader_free(r);
    return st;
}
