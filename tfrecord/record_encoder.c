/*
 * tfrecord/record_encoder.c - holds framed records until there is enough to write or to compress.
 *
 * Blocks of block gzip are cut from the bytes of the file, not from what is held at a time, and are
 * compressed on several threads; the bytes do not depend on their number.
 */
#include "tfrecord/record_encoder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/pool.h"
#include "tfrecord/bgzip.h"
#include "tfrecord/framing.h"
#include "tfrecord/writer.h"

/* Bytes held at most: one write of base/out.c, or 64 blocks of block gzip. */
enum { HOLD_BYTES = 1 << 20, HOLD_BLOCKS = 64, DEFLATED_BYTES = 1 << 16, DEFAULT_LEVEL = 6 };
enum { DIRECT_BYTES = 256 << 10 }; /* longer writes pass by the buffer */

struct tfr_encoder {
    enum tfr_compression compression;
    struct t2_out *out;
    struct t2_buf held;
    size_t hold_bytes;
    /* gzip, zlib */
    struct t2_deflater *deflater;
    uint8_t *deflated;
    /* bgzip */
    struct t2_pool *pool;
    struct tfr_bgzip_writer **writers; /* one a thread */
    struct t2_buf *blocks;             /* HOLD_BLOCKS, compressed */
};

struct tfr_encoder *tfr_encoder_new(enum tfr_compression compression, int level, int n_threads)
{
    struct tfr_encoder *e = t2_alloc(1, sizeof *e);

    if (level == 0)
        level = DEFAULT_LEVEL;
    e->compression = compression;
    e->hold_bytes = HOLD_BYTES;
    if (compression == TFR_GZIP || compression == TFR_ZLIB) {
        e->deflater =
            t2_deflater_new(compression == TFR_GZIP ? T2_DEFLATE_GZIP : T2_DEFLATE_ZLIB, level);
        e->deflated = t2_alloc(DEFLATED_BYTES, 1);
    } else if (compression == TFR_BGZIP) {
        n_threads = n_threads > 0 ? n_threads : 1;
        e->hold_bytes = (size_t) HOLD_BLOCKS * TFR_BGZIP_INPUT_BYTES;
        e->pool = t2_pool_new(n_threads);
        e->writers = t2_alloc((size_t) n_threads, sizeof(struct tfr_bgzip_writer *));
        for (int i = 0; i < n_threads; i++)
            e->writers[i] = tfr_bgzip_writer_new(level);
        e->blocks = t2_alloc(HOLD_BLOCKS, sizeof *e->blocks);
    }
    return e;
}

void tfr_encoder_free(struct tfr_encoder *e)
{
    if (!e)
        return;
    if (e->pool) {
        for (int i = 0; i < t2_pool_threads(e->pool); i++)
            tfr_bgzip_writer_free(e->writers[i]);
        for (size_t i = 0; i < HOLD_BLOCKS; i++)
            t2_buf_release(&e->blocks[i]);
    }
    t2_pool_free(e->pool);
    t2_free(e->writers);
    t2_free(e->blocks);
    t2_deflater_free(e->deflater);
    t2_free(e->deflated);
    t2_buf_release(&e->held);
    t2_free(e);
}

void tfr_encoder_begin(struct tfr_encoder *e, struct t2_out *out)
{
    T2_ASSERT(!e->out);
    e->out = out;
    t2_buf_clear(&e->held);
    if (e->deflater)
        t2_deflater_reset(e->deflater);
}

/* ---- what is held goes on ---- */

static void deflate_to_out(struct tfr_encoder *e, const uint8_t *data, size_t n, bool finish)
{
    size_t n_used, n_made;
    bool ended = false;

    do {
        t2_deflater_step(e->deflater, data, n, finish, e->deflated, DEFLATED_BYTES, &n_used,
                         &n_made, &ended);
        t2_out_write(e->out, e->deflated, n_made);
        data += n_used;
        n -= n_used;
    } while (finish ? !ended : n > 0);
}

/* One of the blocks that are held. */
static void compress_block(void *arg, int64_t piece, int worker)
{
    struct tfr_encoder *e = arg;
    size_t at = (size_t) piece * TFR_BGZIP_INPUT_BYTES;
    size_t n = e->held.len_bytes - at;

    if (n > TFR_BGZIP_INPUT_BYTES)
        n = TFR_BGZIP_INPUT_BYTES;
    t2_buf_clear(&e->blocks[piece]);
    tfr_bgzip_append(e->writers[worker], e->held.data + at, n, &e->blocks[piece]);
}

/* held has no more than HOLD_BLOCKS blocks, all full unless the file ends. */
static void write_blocks(struct tfr_encoder *e)
{
    size_t n = (e->held.len_bytes + TFR_BGZIP_INPUT_BYTES - 1) / TFR_BGZIP_INPUT_BYTES;

    t2_pool_run(e->pool, (int64_t) n, compress_block, e);
    for (size_t i = 0; i < n; i++)
        t2_out_write(e->out, e->blocks[i].data, e->blocks[i].len_bytes);
}

static void flush_held(struct tfr_encoder *e)
{
    if (e->compression == TFR_PLAIN)
        t2_out_write(e->out, e->held.data, e->held.len_bytes);
    else if (e->deflater)
        deflate_to_out(e, e->held.data, e->held.len_bytes, false);
    else
        write_blocks(e);
    t2_buf_clear(&e->held);
}

/* In pieces of hold_bytes exactly, so that a long record is never held whole. */
void tfr_encoder_write(struct tfr_encoder *e, const void *data, size_t len_bytes)
{
    const uint8_t *p = data;

    if (e->compression == TFR_PLAIN && len_bytes >= DIRECT_BYTES) {
        flush_held(e);
        t2_out_write(e->out, data, len_bytes);
        return;
    }
    while (len_bytes > 0) {
        size_t n = e->hold_bytes - e->held.len_bytes;
        if (n > len_bytes)
            n = len_bytes;
        t2_buf_append(&e->held, p, n);
        p += n;
        len_bytes -= n;
        if (e->held.len_bytes == e->hold_bytes)
            flush_held(e);
    }
}

void tfr_encoder_add(struct tfr_encoder *e, const void *payload, size_t len_bytes)
{
    uint8_t header[TFR_HEADER_BYTES];
    uint8_t footer[TFR_FOOTER_BYTES];

    if (len_bytes < e->hold_bytes - e->held.len_bytes &&
        e->hold_bytes - e->held.len_bytes - len_bytes > TFR_FRAME_BYTES) {
        tfr_frame(&e->held, payload, len_bytes);
        return;
    }
    tfr_put_header(header, len_bytes);
    tfr_put_footer(footer, payload, len_bytes);
    tfr_encoder_write(e, header, sizeof header);
    tfr_encoder_write(e, payload, len_bytes);
    tfr_encoder_write(e, footer, sizeof footer);
}

void tfr_encoder_end(struct tfr_encoder *e)
{
    if (e->deflater) {
        deflate_to_out(e, e->held.data, e->held.len_bytes, true);
    } else {
        if (e->held.len_bytes > 0)
            flush_held(e);
        if (e->compression == TFR_BGZIP) { /* an empty block marks the end, as in bgzip */
            t2_buf_clear(&e->blocks[0]);
            tfr_bgzip_append(e->writers[0], NULL, 0, &e->blocks[0]);
            t2_out_write(e->out, e->blocks[0].data, e->blocks[0].len_bytes);
        }
    }
    t2_buf_clear(&e->held);
    e->out = NULL;
}
