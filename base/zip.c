/*
 * base/zip.c - the directory of a zip archive and the content of its members.
 *
 * Every number read is compared with the bytes that are there before it is used.
 *
 * Layout (PKWARE's APPNOTE.TXT; all numbers little-endian):
 *
 *   { local header, name, extra, data }  ...  directory  [end64, locator]  end  comment
 *
 * Read from the back: the end record gives the directory, the directory gives the members.
 *
 *   local header, 30 bytes    directory entry, 46 bytes     end record, 22 bytes
 *    0 4 "PK\3\4"              0 4 "PK\1\2"                   0 4 "PK\5\6"
 *    6 2 flags                 8 2 flags, bit 0 encrypted    4 2 number of this disk
 *    8 2 method               10 2 method: 0, 8 deflate     10 2 entries
 *   14 4 CRC-32               16 4 CRC-32                   12 4 bytes of the directory
 *   18 4 packed bytes         20 4 packed bytes             16 4 its offset
 *   22 4 bytes                24 4 bytes                    20 2 bytes of the comment
 *   26 2 bytes of the name    28 2 name, 30 extra, 32 comment
 *   28 2 bytes of extra       42 4 offset of the local header
 *
 *   end64, 56 bytes: 0 4 "PK\6\6", 32 8 entries, 40 8 bytes, 48 8 offset of the directory
 *   locator, 20 bytes, in front of the end record: 0 4 "PK\6\7", 8 8 offset of end64
 *
 * Sizes in local headers are not used: programs that write to a pipe leave them 0.
 */
#include "base/zip.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/signals.h"
#include "base/spool.h"

enum {
    LOCAL_BYTES = 30,
    ENTRY_BYTES = 46,
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    MAX_COMMENT_BYTES = 65535,
    WORK_BYTES = 1 << 16
};
enum { STORED = 0, DEFLATED = 8 };

struct member {
    char *name;
    int method;
    bool encrypted;
    uint32_t crc;
    uint64_t packed_bytes, bytes, offset;
    struct t2_spool *spool;
};

struct t2_zip {
    char *path;
    struct t2_mapped map;
    uint64_t shift; /* bytes in front of the archive (a self-extracting program) */
    struct member *members;
    size_t n;
};

static uint64_t le(const uint8_t *p, int n_bytes)
{
    uint64_t v = 0;

    for (int i = n_bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static enum t2_status fail(const struct t2_zip *z, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': %s", z->path, what);
}

/* The directory's place, from the end record or its zip64 form. */
struct directory {
    uint64_t n, bytes, offset, end; /* end: where the directory must end in the file */
};

/* Every byte of a sound archive belongs to one member.  Members that share theirs would be read,
 * and inflated, as often as the directory names them: 10 MB that become 280 TB. */
static enum t2_status check_shares(const struct t2_zip *z, uint64_t begin_of_directory,
                                   struct t2_err *err)
{
    uint64_t left = begin_of_directory;

    for (size_t i = 0; i < z->n; i++) {
        if (left < LOCAL_BYTES || left - LOCAL_BYTES < z->members[i].packed_bytes)
            return fail(z,
                        "its members have more bytes than the file: they lie in each other, or the "
                        "archive was cut",
                        err);
        left -= LOCAL_BYTES + z->members[i].packed_bytes;
    }
    return T2_OK;
}

/*
 * From the back, over comments of every length.  The length of the comment has to agree, so that
 * the four bytes in a comment, or in the data of a member, are not taken for the record.
 */
static const uint8_t *find_end(const struct t2_zip *z)
{
    const uint8_t *data = z->map.data;
    size_t n = z->map.len_bytes;

    for (size_t back = END_BYTES; back <= n && back <= END_BYTES + MAX_COMMENT_BYTES; back++) {
        const uint8_t *p = data + n - back;
        if (memcmp(p, "PK\5\6", 4) == 0 && le(p + 20, 2) == back - END_BYTES)
            return p;
    }
    return NULL;
}

static enum t2_status find_directory(const struct t2_zip *z, struct directory *d,
                                     struct t2_err *err)
{
    const uint8_t *data = z->map.data, *p = find_end(z), *l;

    if (!p)
        return fail(z, "no zip archive, or one that is cut short: its directory is missing", err);
    *d = (struct directory){le(p + 10, 2), le(p + 12, 4), le(p + 16, 4), (uint64_t) (p - data)};
    if (le(p + 4, 2) != 0 && le(p + 4, 2) != 0xffff)
        return fail(z, "a zip archive in several pieces", err);
    l = p - data >= LOCATOR_BYTES ? p - LOCATOR_BYTES : NULL;
    if (l && memcmp(l, "PK\6\7", 4) == 0) {
        uint64_t at = le(l + 8, 8);
        const uint8_t *e;
        if (l - data < END64_BYTES || at > (uint64_t) (l - data) - END64_BYTES)
            return fail(z, "damaged: the zip64 directory is outside the file", err);
        e = data + at;
        if (memcmp(e, "PK\6\6", 4) != 0)
            return fail(z, "damaged: the zip64 directory is not where it should be", err);
        *d = (struct directory){le(e + 32, 8), le(e + 40, 8), le(e + 48, 8), at};
    }
    if (d->bytes > d->end || d->offset > d->end - d->bytes)
        return fail(z, "damaged: the directory is outside the file", err);
    return T2_OK;
}

/*
 * Sizes that did not fit 32 bits are in the extra field, in this order.
 *
 * Extra fields are { id 2, size 2, size bytes }; id 1 holds eight bytes for each of the three
 * numbers whose 32 bits are all ones in the entry, and nothing for the others.
 */
static bool take_zip64(struct member *m, const uint8_t *p, size_t n)
{
    uint64_t *wide[3] = {&m->bytes, &m->packed_bytes, &m->offset};

    while (n >= 4) {
        size_t body = (size_t) le(p + 2, 2), at = 4;
        if (body > n - 4)
            return false;
        if (le(p, 2) == 1) {
            for (int i = 0; i < 3; i++) {
                if (*wide[i] != UINT32_MAX)
                    continue;
                if (at + 8 > body + 4)
                    return false;
                *wide[i] = le(p + at, 8);
                at += 8;
            }
        }
        p += 4 + body;
        n -= 4 + body;
    }
    return true;
}

/*
 * The directory ends where the end record begins, so its true place is d.end - d.bytes; what it
 * differs from the recorded offset is the length of whatever stands in front of the archive, and
 * is added to the offsets of the members.
 */
static enum t2_status read_directory(struct t2_zip *z, struct t2_err *err)
{
    struct directory d = {0, 0, 0, 0};
    const uint8_t *p, *end;

    T2_TRY(find_directory(z, &d, err));
    z->shift = d.end - d.bytes - d.offset;
    if (d.n > d.bytes / ENTRY_BYTES)
        return fail(z, "damaged: the directory is too small for its members", err);
    z->members = t2_alloc((size_t) d.n, sizeof *z->members);
    p = z->map.data + (d.end - d.bytes);
    end = z->map.data + d.end;
    for (uint64_t i = 0; i < d.n; i++) {
        struct member *m = &z->members[z->n];
        size_t name, extra, comment;

        if (end - p < ENTRY_BYTES || memcmp(p, "PK\1\2", 4) != 0)
            return fail(z, "damaged: an entry of the directory is none", err);
        name = (size_t) le(p + 28, 2);
        extra = (size_t) le(p + 30, 2);
        comment = (size_t) le(p + 32, 2);
        if ((size_t) (end - p) - ENTRY_BYTES < name + extra + comment)
            return fail(z, "damaged: an entry of the directory is cut short", err);
        *m = (struct member){t2_strndup((const char *) p + ENTRY_BYTES, name),
                             (int) le(p + 10, 2),
                             le(p + 8, 2) & 1,
                             (uint32_t) le(p + 16, 4),
                             le(p + 20, 4),
                             le(p + 24, 4),
                             le(p + 42, 4),
                             NULL};
        z->n++;
        if (!take_zip64(m, p + ENTRY_BYTES + name, extra))
            return fail(z, "damaged: a zip64 entry is cut short", err);
        p += ENTRY_BYTES + name + extra + comment;
    }
    return check_shares(z, d.end - d.bytes, err);
}

enum t2_status t2_zip_open(const char *path, struct t2_zip **zip, struct t2_err *err)
{
    struct t2_zip *z = t2_alloc(1, sizeof *z);
    enum t2_status st;

    z->path = t2_strdup(path);
    st = t2_map_file(path, &z->map, err);
    if (st == T2_OK)
        st = read_directory(z, err);
    if (st == T2_OK)
        *zip = z;
    else
        t2_zip_free(z);
    return st;
}

void t2_zip_free(struct t2_zip *z)
{
    if (!z)
        return;
    for (size_t i = 0; i < z->n; i++) {
        t2_spool_free(z->members[i].spool);
        t2_free(z->members[i].name);
    }
    t2_free(z->members);
    t2_unmap_file(&z->map);
    t2_free(z->path);
    t2_free(z);
}

size_t t2_zip_count(const struct t2_zip *z)
{
    return z->n;
}

const char *t2_zip_name(const struct t2_zip *z, size_t i)
{
    return z->members[i].name;
}

static enum t2_status damaged(const struct t2_zip *z, const struct member *m, const char *what,
                              struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': member '%s': %s", z->path, m->name, what);
}

/* Inflates into m->spool, no more than the directory promises. */
static enum t2_status inflate_member(const struct t2_zip *z, struct member *m,
                                     struct t2_slice packed, struct t2_err *err)
{
    struct t2_inflater *inflater = t2_inflater_new_raw();
    uint8_t *work = t2_alloc(WORK_BYTES, 1);
    const char *what = NULL;
    bool ended = false;

    while (!ended && !what) {
        size_t n_used, n_made;
        if (t2_interrupted())
            break;
        what = t2_inflater_step(inflater, packed.data, packed.len_bytes, work, WORK_BYTES, &n_used,
                                &n_made, &ended);
        packed.data += n_used;
        packed.len_bytes -= n_used;
        t2_spool_write(m->spool, work, n_made);
        if (!what && t2_spool_bytes(m->spool) > m->bytes)
            what = "it is larger than the directory says";
        else if (!what && !ended && n_used == 0 && n_made == 0)
            what = "the compressed data are cut short";
    }
    t2_free(work);
    t2_inflater_free(inflater);
    return what ? damaged(z, m, what, err) : t2_check_interrupt(err);
}

/*
 * The name and the extra field of the local header may have other lengths than in the directory,
 * so only the local ones lead to the data.
 */
static enum t2_status find_data(const struct t2_zip *z, const struct member *m,
                                struct t2_slice *packed, struct t2_err *err)
{
    uint64_t at = m->offset + z->shift, left = z->map.len_bytes, skip;
    const uint8_t *p;

    if (m->offset > left || at > left || left - at < LOCAL_BYTES)
        return damaged(z, m, "it is outside the file", err);
    p = z->map.data + at;
    if (memcmp(p, "PK\3\4", 4) != 0)
        return damaged(z, m, "its header is not where it should be", err);
    skip = LOCAL_BYTES + le(p + 26, 2) + le(p + 28, 2);
    if (left - at < skip || left - at - skip < m->packed_bytes)
        return damaged(z, m, "it is cut short", err);
    *packed = (struct t2_slice){p + skip, (size_t) m->packed_bytes};
    return T2_OK;
}

enum t2_status t2_zip_content(struct t2_zip *z, size_t i, const char *beside,
                              struct t2_slice *content, struct t2_err *err)
{
    struct member *m = &z->members[i];
    struct t2_slice packed;

    if (m->encrypted)
        return damaged(z, m, "it is encrypted", err);
    T2_TRY(find_data(z, m, &packed, err));
    if (m->method == STORED) {
        *content = packed;
    } else if (m->method == DEFLATED) {
        if (!m->spool) {
            T2_TRY(t2_spool_new(beside, &m->spool, err));
            T2_TRY(inflate_member(z, m, packed, err));
        }
        T2_TRY(t2_spool_map(m->spool, content, err));
    } else {
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': member '%s' is compressed with method %d; stored and deflated are "
                       "known",
                       z->path, m->name, m->method);
    }
    if (content->len_bytes != m->bytes)
        return damaged(z, m, "its size is not what the directory says", err);
    if (t2_crc32(0, content->data, content->len_bytes) != m->crc)
        return damaged(z, m, "its CRC does not match", err);
    return T2_OK;
}

/* ---- writing ---- */

static void put(struct t2_buf *b, uint64_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(b, (uint8_t) (v >> (8 * i)));
}

static uint64_t narrow(uint64_t v)
{
    return v < UINT32_MAX ? v : UINT32_MAX;
}

/* Version, flags, method, time, date, CRC, sizes, length of the name: the same in both headers.
 * Names are UTF-8 (bit 11), 0x21 is 1980-01-01. */
static void put_common(struct t2_buf *b, int version, const char *name, uint64_t bytes,
                       uint32_t crc)
{
    put(b, (uint64_t) version, 2);
    put(b, 0x800, 2);
    put(b, STORED, 2);
    put(b, 0, 2);
    put(b, 0x21, 2);
    put(b, crc, 4);
    put(b, narrow(bytes), 4);
    put(b, narrow(bytes), 4);
    put(b, strlen(name), 2);
}

/*
 * Writes the local header (the caller writes the data behind it) and adds the entry to the
 * directory.  zip64 fields appear only where a number needs them, as zipfile does: old readers
 * then read small archives.
 */
void t2_zip_member(struct t2_zip_writer *w, struct t2_out *out, const char *name, uint64_t bytes,
                   uint32_t crc)
{
    bool wide_size = bytes >= UINT32_MAX;
    uint64_t offset = t2_out_bytes(out);
    bool wide_offset = offset >= UINT32_MAX;
    int version = wide_size || wide_offset ? 45 : 20;
    struct t2_buf local = {NULL, 0, 0};

    T2_ASSERT(strlen(name) <= UINT16_MAX);
    t2_buf_puts(&local, "PK\3\4");
    put_common(&local, version, name, bytes, crc);
    put(&local, wide_size ? 20 : 0, 2);
    t2_buf_puts(&local, name);
    if (wide_size) {
        put(&local, 1, 2);
        put(&local, 16, 2);
        put(&local, bytes, 8);
        put(&local, bytes, 8);
    }
    t2_out_write(out, local.data, local.len_bytes);
    t2_buf_release(&local);

    struct t2_buf *d = &w->directory;
    size_t extra = (wide_size ? 16U : 0U) + (wide_offset ? 8U : 0U);
    t2_buf_puts(d, "PK\1\2");
    put(d, (uint64_t) version | 3 << 8, 2); /* made on Unix */
    put_common(d, version, name, bytes, crc);
    put(d, extra ? extra + 4 : 0, 2);
    put(d, 0, 2 + 2 + 2); /* comment, disk, internal attributes */
    put(d, (uint64_t) 0100644 << 16, 4);
    put(d, narrow(offset), 4);
    t2_buf_puts(d, name);
    if (extra) {
        put(d, 1, 2);
        put(d, extra, 2);
        if (wide_size) {
            put(d, bytes, 8);
            put(d, bytes, 8);
        }
        if (wide_offset)
            put(d, offset, 8);
    }
    w->n++;
}

/*
 * The zip64 records come first and hold the true numbers; the end record has all ones where they
 * did not fit.
 */
void t2_zip_end(struct t2_zip_writer *w, struct t2_out *out)
{
    uint64_t offset = t2_out_bytes(out), bytes = w->directory.len_bytes;
    struct t2_buf end = {NULL, 0, 0};

    if (offset >= UINT32_MAX || bytes >= UINT32_MAX || w->n >= UINT16_MAX) {
        t2_buf_puts(&end, "PK\6\6");
        put(&end, END64_BYTES - 12, 8);
        put(&end, 45 | 3 << 8, 2);
        put(&end, 45, 2);
        put(&end, 0, 8); /* disks */
        put(&end, w->n, 8);
        put(&end, w->n, 8);
        put(&end, bytes, 8);
        put(&end, offset, 8);
        t2_buf_puts(&end, "PK\6\7");
        put(&end, 0, 4);
        put(&end, offset + bytes, 8);
        put(&end, 1, 4);
    }
    t2_buf_puts(&end, "PK\5\6");
    put(&end, 0, 4);
    put(&end, w->n < UINT16_MAX ? w->n : UINT16_MAX, 2);
    put(&end, w->n < UINT16_MAX ? w->n : UINT16_MAX, 2);
    put(&end, narrow(bytes), 4);
    put(&end, narrow(offset), 4);
    put(&end, 0, 2);
    t2_out_write(out, w->directory.data, w->directory.len_bytes);
    t2_out_write(out, end.data, end.len_bytes);
    t2_buf_release(&w->directory);
    t2_buf_release(&end);
}
