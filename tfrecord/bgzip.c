/*
 * tfrecord/bgzip.c - blocks of block gzip: writing one, finding all, reading one.
 *
 * A block is a gzip member whose extra field gives its length (SAM specification, BGZF):
 *
 *   offset  bytes
 *   0       4      1f 8b 08 04
 *   4       6      time, flags, system
 *   10      2      6, length of the extra field
 *   12      4      'B' 'C', 2, 0
 *   16      2      length of the whole block - 1, little-endian
 *   18      ...    raw deflate data
 *   end - 8 4      CRC-32 of the uncompressed data
 *   end - 4 4      their length, at most 65536
 *
 * So all blocks are found by reading headers and trailers only, and each is inflated alone.
 */
#include "tfrecord/bgzip.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/io.h"
#include "tfrecord/framing.h"

enum { TRAILER_BYTES = 8, BSIZE_AT = 16, LOOK_BYTES = 1 << 16 };

/* Modification time 0, no file name, operating system unknown: bytes depend on the data alone. */
static const uint8_t header[TFR_BGZIP_HEADER_BYTES] = {0x1f, 0x8b, 8, 4,   0,   0, 0, 0, 0,
                                                       0xff, 6,    0, 'B', 'C', 2, 0, 0, 0};

size_t tfr_bgzip_block_bytes(const uint8_t *head, size_t n)
{
    size_t bytes;

    /* bytes 4 ... 9, time, speed and system, may be anything */
    if (n < TFR_BGZIP_HEADER_BYTES || memcmp(head, header, 4) != 0 ||
        memcmp(head + 10, header + 10, BSIZE_AT - 10) != 0)
        return 0;
    bytes = (size_t) (head[BSIZE_AT] | head[BSIZE_AT + 1] << 8) + 1;
    return bytes >= TFR_BGZIP_HEADER_BYTES + TRAILER_BYTES ? bytes : 0;
}

/* ---- writing ---- */

struct tfr_bgzip_writer {
    struct t2_deflater *deflater;
    struct t2_deflater *storer; /* for data that deflate makes larger; NULL until needed */
};

struct tfr_bgzip_writer *tfr_bgzip_writer_new(int level)
{
    struct tfr_bgzip_writer *w = t2_alloc(1, sizeof *w);

    w->deflater = t2_deflater_new(T2_DEFLATE_RAW, level);
    return w;
}

void tfr_bgzip_writer_free(struct tfr_bgzip_writer *w)
{
    if (!w)
        return;
    t2_deflater_free(w->deflater);
    t2_deflater_free(w->storer);
    t2_free(w);
}

/* All of data into out[0 .. room); 0 when it does not fit. */
static size_t deflate_all(struct t2_deflater *z, const uint8_t *data, size_t n, uint8_t *out,
                          size_t room)
{
    size_t n_used, n_made;
    bool ended;

    t2_deflater_reset(z);
    t2_deflater_step(z, data, n, true, out, room, &n_used, &n_made, &ended);
    return ended ? n_made : 0;
}

void tfr_bgzip_append(struct tfr_bgzip_writer *w, const uint8_t *data, size_t n, struct t2_buf *out)
{
    uint8_t *p = t2_buf_reserve(out, TFR_BGZIP_MAX_BYTES);
    uint8_t *body = p + TFR_BGZIP_HEADER_BYTES;
    size_t room = TFR_BGZIP_MAX_BYTES - TFR_BGZIP_HEADER_BYTES - TRAILER_BYTES;
    size_t n_body;

    T2_ASSERT(n <= TFR_BGZIP_INPUT_BYTES);
    n_body = deflate_all(w->deflater, data, n, body, room);
    if (n_body == 0) {
        if (!w->storer)
            w->storer = t2_deflater_new(T2_DEFLATE_RAW, 0);
        n_body = deflate_all(w->storer, data, n, body, room);
        T2_ASSERT(n_body > 0);
    }
    memcpy(p, header, sizeof header);
    size_t last = TFR_BGZIP_HEADER_BYTES + n_body + TRAILER_BYTES - 1;
    p[BSIZE_AT] = (uint8_t) last;
    p[BSIZE_AT + 1] = (uint8_t) (last >> 8);
    tfr_put_le32(body + n_body, t2_crc32(0, data, n));
    tfr_put_le32(body + n_body + 4, (uint32_t) n);
    out->len_bytes += last + 1;
    out->data[out->len_bytes] = 0; /* a t2_buf ends with NUL */
}

/* ---- reading ---- */

/* Up to n bytes at offset, fewer at the end of the file. */
static enum t2_status read_at(int fd, const char *path, uint64_t offset, uint8_t *to, size_t n,
                              size_t *n_read, struct t2_err *err)
{
    int errnum = t2_io_pread(fd, to, n, offset, n_read);

    return errnum ? t2_fail_errno(err, errnum, "'%s': reading at offset %" PRIu64, path, offset)
                  : T2_OK;
}

struct block_list {
    struct tfr_bgzip_block *blocks;
    size_t n, capacity;
};

static void add_block(struct block_list *l, uint64_t file_offset, uint64_t data_offset)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity == 0 ? 64 : 2 * l->capacity;
        l->blocks = t2_realloc(l->blocks, l->capacity, sizeof *l->blocks);
    }
    l->blocks[l->n++] = (struct tfr_bgzip_block){file_offset, data_offset};
}

/* Goes from block to block: the trailer of one (its size uncompressed) and the header of the next
 * stand side by side. */
static enum t2_status find_blocks(int fd, const char *path, uint64_t size, struct block_list *l,
                                  struct t2_err *err)
{
    uint8_t *seen = t2_alloc(LOOK_BYTES + TFR_BGZIP_MAX_BYTES, 1);
    uint64_t seen_at = 0, at = 0, data_offset = 0;
    size_t n_seen = 0;
    enum t2_status st = T2_OK;

    while (st == T2_OK && at < size) {
        size_t bytes = 0;
        if (at + TFR_BGZIP_MAX_BYTES > seen_at + n_seen && seen_at + n_seen < size) {
            seen_at = at;
            st = read_at(fd, path, at, seen, LOOK_BYTES + TFR_BGZIP_MAX_BYTES, &n_seen, err);
            if (st != T2_OK)
                break;
        }
        const uint8_t *p = seen + (at - seen_at);
        size_t left = (size_t) (seen_at + n_seen - at);
        bytes = tfr_bgzip_block_bytes(p, left);
        if (bytes == 0 || bytes > left) {
            st = t2_fail(err, T2_EFORMAT, "'%s': no block of block gzip at offset %" PRIu64, path,
                         at);
            break;
        }
        uint32_t n_data = tfr_get_le32(p + bytes - 4);
        if (n_data > TFR_BGZIP_MAX_BYTES) {
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': the block of block gzip at offset %" PRIu64 " promises %" PRIu32
                         " bytes, at most 65536 are allowed",
                         path, at, n_data);
            break;
        }
        if (n_data > 0)
            add_block(l, at, data_offset);
        at += bytes;
        data_offset += n_data;
    }
    add_block(l, size, data_offset);
    t2_free(seen);
    return st;
}

enum t2_status tfr_bgzip_blocks(int fd, const char *path, uint64_t size,
                                struct tfr_bgzip_block **blocks, size_t *n_blocks,
                                struct t2_err *err)
{
    struct block_list l = {NULL, 0, 0};
    enum t2_status st = find_blocks(fd, path, size, &l, err);

    *blocks = NULL;
    *n_blocks = 0;
    if (st != T2_OK) {
        t2_free(l.blocks);
        return st;
    }
    *blocks = l.blocks;
    *n_blocks = l.n - 1;
    return T2_OK;
}

static enum t2_status fail_block(const char *path, const struct tfr_bgzip_block *b,
                                 const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': block of block gzip at offset %" PRIu64 ": %s", path,
                   b->file_offset, what);
}

enum t2_status tfr_bgzip_read(int fd, const char *path, const struct tfr_bgzip_block *b,
                              struct t2_inflater *z, struct t2_buf *raw, struct t2_buf *data,
                              struct t2_err *err)
{
    uint64_t n_data = b[1].data_offset - b[0].data_offset;
    size_t n_raw = 0, n_used, n_made;
    bool ended = false;
    const char *problem;

    t2_buf_clear(raw);
    t2_buf_clear(data);
    if (n_data > TFR_BGZIP_MAX_BYTES)
        return fail_block(path, b, "the index is wrong", err);
    uint8_t *to = t2_buf_reserve(raw, TFR_BGZIP_MAX_BYTES);
    T2_TRY(read_at(fd, path, b->file_offset, to, TFR_BGZIP_MAX_BYTES, &n_raw, err));
    size_t bytes = tfr_bgzip_block_bytes(to, n_raw);
    if (bytes == 0 || bytes > n_raw)
        return fail_block(path, b, "there is none", err);
    /* One byte of room more than needed, so that a longer block is noticed. */
    uint8_t *out = t2_buf_reserve(data, (size_t) n_data + 1);
    t2_inflater_reset(z);
    problem = t2_inflater_step(z, to, bytes, out, (size_t) n_data + 1, &n_used, &n_made, &ended);
    if (problem)
        return fail_block(path, b, problem, err);
    if (!ended || n_made != n_data)
        return fail_block(path, b, "its size is not the one in the index", err);
    data->len_bytes = n_made;
    return T2_OK;
}
