/*
 * tfrec/convert/bag.c - Google's bagz, uncompressed (.bag): records one behind the other, then
 * where each of them ends, as 64-bit little-endian numbers; the last of these is also where the
 * list begins.
 *
 * A record is copied as it is, whatever it holds.  In .bagz each record is a frame of zstd.  Such a
 * frame may hold its content as it is, and so we write it; compressed frames are refused on the way
 * in, because a library for them alone is not worth having: bagz itself unpacks them in one line of
 * Python.
 *
 *   .bag file, all integers little-endian:
 *
 *   offset             bytes   content
 *   0                  L       records, one after the other
 *   L                  8       end of record 0, an offset in the file
 *   L + 8              8       end of record 1
 *   ...
 *   L + 8 (n - 1)      8       end of record n - 1 = L
 *
 * So the last 8 bytes of the file are L; an empty file has no records.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/spool.h"
#include "tfrec/convert/formats.h"

enum { LIMIT_BYTES = 8, MAGIC_BYTES = 4, BLOCK_HEADER_BYTES = 3, MAX_BLOCK_BYTES = 128 << 10 };
static const uint8_t zstd_magic[MAGIC_BYTES] = {0x28, 0xb5, 0x2f, 0xfd};

static uint64_t load(const uint8_t *p, int n_bytes)
{
    uint64_t v = 0;

    for (int i = n_bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static void store(struct t2_buf *out, uint64_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(out, (uint8_t) (v >> (8 * i)));
}

/* ---- frames of zstd with stored blocks (RFC 8878) ---- */

/*
 * offset  bytes  content
 * 0       4      magic 28 b5 2f fd
 * 4       1      descriptor e0: bits 7-6 = 3, a size of 8 bytes; bit 5 = 1, a single segment, so
 *                without a window descriptor; bit 2 = 0, no checksum; bits 1-0 = 0, no dictionary
 * 5       8      size of the content
 * 13      3      block header: bit 0 last block, bits 2-1 = 0 stored, bits 23-3 size
 * 16      size   content; further blocks follow, each of at most 128 KiB
 */
static void put_frame(struct t2_buf *out, struct t2_slice record)
{
    size_t at = 0;

    t2_buf_append(out, zstd_magic, MAGIC_BYTES);
    t2_buf_push(out, 3 << 6 | 1 << 5);
    store(out, record.len_bytes, 8);
    do {
        size_t left = record.len_bytes - at;
        size_t n = left < MAX_BLOCK_BYTES ? left : MAX_BLOCK_BYTES;
        store(out, (uint64_t) n << 3 | (n == left), BLOCK_HEADER_BYTES);
        t2_buf_append(out, record.data + at, n);
        at += n;
    } while (at < record.len_bytes);
}

/* Any frame whose blocks are all stored.  skip: bytes of the dictionary id, of the content size (1
 * when the flag is 0 and the frame is a single segment) and of the window descriptor.  false: the
 * frame has compressed blocks, or is damaged. */
static bool take_frame(struct t2_slice f, struct t2_buf *out)
{
    static const size_t size_bytes[4] = {0, 2, 4, 8}, id_bytes[4] = {0, 1, 2, 4};
    size_t at = MAGIC_BYTES + 1, skip;
    bool last = false;
    uint8_t d;

    if (f.len_bytes < at || memcmp(f.data, zstd_magic, MAGIC_BYTES) != 0)
        return false;
    d = f.data[MAGIC_BYTES];
    skip = id_bytes[d & 3] + size_bytes[d >> 6] + (d & 0x20 ? (d >> 6 == 0) : 1U);
    if (f.len_bytes - at < skip)
        return false;
    at += skip;
    while (!last) {
        uint64_t h, n;
        if (f.len_bytes - at < BLOCK_HEADER_BYTES)
            return false;
        h = load(f.data + at, BLOCK_HEADER_BYTES);
        n = h >> 3;
        last = h & 1;
        at += BLOCK_HEADER_BYTES;
        if ((h >> 1 & 3) != 0 || n > f.len_bytes - at)
            return false;
        t2_buf_append(out, f.data + at, (size_t) n);
        at += (size_t) n;
    }
    return f.len_bytes - at == (d & 4 ? 4U : 0U); /* a checksum */
}

/* ---- reading ---- */

struct reader {
    struct rec_reader base;
    char *path;
    struct t2_mapped map;
    bool frames;
    uint64_t records_end, n, i, from;
};

static enum t2_status fail(const struct reader *r, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': record %" PRIu64 ": %s", r->path, r->i, what);
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    struct t2_slice record;
    uint64_t end;

    *place = r->i;
    if (r->i == r->n)
        return T2_EOF;
    end = load(r->map.data + r->records_end + LIMIT_BYTES * r->i, LIMIT_BYTES);
    if (end < r->from || end > r->records_end)
        return fail(r, "its end is before its begin, or beyond the records", err);
    record = (struct t2_slice){r->map.data + r->from, (size_t) (end - r->from)};
    if (!r->frames || record.len_bytes == 0)
        t2_buf_append(out, record.data, record.len_bytes);
    else if (!take_frame(record, out))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': record %" PRIu64 " is compressed by zstd; write the file again as "
                       ".bag: w = bagz.Writer('x.bag'); [w.write(r) for r in bagz.Reader('x.bagz')]"
                       "; w.close()",
                       r->path, r->i);
    r->from = end;
    r->i++;
    return T2_OK;
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    t2_unmap_file(&r->map);
    t2_free(r->path);
    t2_free(r);
}

static enum t2_status find_records(struct reader *r, struct t2_err *err)
{
    uint64_t n = r->map.len_bytes;

    if (n == 0)
        return T2_OK;
    if (n < LIMIT_BYTES)
        return t2_fail(err, T2_EFORMAT, "'%s': too short for a bagz file", r->path);
    r->records_end = load(r->map.data + n - LIMIT_BYTES, LIMIT_BYTES);
    if (r->records_end > n - LIMIT_BYTES || (n - r->records_end) % LIMIT_BYTES != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': no bagz file, or one that is cut short (the list of records does "
                       "not begin where the last eight bytes say)",
                       r->path);
    r->n = (n - r->records_end) / LIMIT_BYTES;
    return T2_OK;
}

static enum t2_status open_reader(const struct rec_convert *c, const char *path,
                                  struct rec_reader **out, struct t2_err *err)
{
    struct reader *r;
    enum t2_status st;

    (void) c;
    if (strcmp(path, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "bagz is read from its end: give a file, not '-'");
    r = t2_alloc(1, sizeof *r);
    r->base = (struct rec_reader){.next = next, .free = free_reader};
    r->path = t2_strdup(path);
    r->frames = t2_ends_with(path, ".bagz");
    st = t2_map_file(path, &r->map, err);
    if (st == T2_OK)
        st = find_records(r, err);
    if (st == T2_OK)
        *out = &r->base;
    else
        free_reader(&r->base);
    return st;
}

/* ---- writing ---- */

struct writer {
    struct rec_writer base;
    struct t2_out *out;
    struct t2_spool *limits;
};

static enum t2_status format_frame(const struct rec_writer *base, struct rec_scratch *s,
                                   uint64_t number, struct t2_slice record, struct t2_buf *out,
                                   struct t2_err *err)
{
    (void) base, (void) s, (void) number, (void) err;
    if (record.len_bytes > 0) /* bagz leaves an empty record empty */
        put_frame(out, record);
    return T2_OK;
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    uint8_t limit[LIMIT_BYTES];

    t2_out_write(w->out, made.data, made.len_bytes);
    for (int i = 0; i < LIMIT_BYTES; i++)
        limit[i] = (uint8_t) (t2_out_bytes(w->out) >> (8 * i));
    t2_spool_write(w->limits, limit, sizeof limit);
    return number % 1024 == 0 ? t2_out_status(w->out, err) : T2_OK;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_slice limits;
    struct t2_out *out = w->out;

    T2_TRY(t2_spool_map(w->limits, &limits, err));
    t2_out_write(out, limits.data, limits.len_bytes);
    w->out = NULL;
    return t2_out_commit(out, err);
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    t2_out_abort(w->out);
    t2_spool_free(w->limits);
    t2_free(w);
}

static enum t2_status create(const struct rec_convert *c, struct rec_writer **out,
                             struct t2_err *err)
{
    struct writer *w = t2_alloc(1, sizeof *w);
    bool frames = t2_ends_with(c->output, ".bagz");
    enum t2_status st;

    w->base =
        (struct rec_writer){NULL, NULL, frames ? format_frame : NULL, add, commit, free_writer};
    st = t2_out_new(c->output, &w->out, err);
    if (st == T2_OK)
        st = t2_spool_new(c->output, &w->limits, err);
    if (st == T2_OK)
        *out = &w->base;
    else
        free_writer(&w->base);
    return st;
}

const struct rec_format rec_format_bagz = {"bagz", open_reader, NULL, create};
