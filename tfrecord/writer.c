/*
 * tfrecord/writer.c - record framing on the way out.
 */
#include "tfrecord/writer.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tfrecord/framing.h"

struct tfr_writer {
    struct t2_out *out;
    uint64_t n_records;
    bool hash;
};

static enum t2_status open_writer(const char *path, bool hash, struct tfr_writer **w,
                                  struct t2_err *err)
{
    struct t2_out *out = NULL;

    *w = NULL;
    T2_TRY(t2_out_new(path, &out, err));
    if (hash)
        t2_out_hash_on(out);
    *w = t2_alloc(1, sizeof **w);
    **w = (struct tfr_writer){.out = out, .hash = hash};
    return T2_OK;
}

enum t2_status tfr_writer_new(const char *path, struct tfr_writer **w, struct t2_err *err)
{
    return open_writer(path, true, w, err);
}

enum t2_status tfr_writer_new_unhashed(const char *path, struct tfr_writer **w, struct t2_err *err)
{
    return open_writer(path, false, w, err);
}

void tfr_writer_add(struct tfr_writer *w, const void *payload, size_t len_bytes)
{
    uint8_t header[TFR_HEADER_BYTES];
    uint8_t footer[TFR_FOOTER_BYTES];

    tfr_put_header(header, len_bytes);
    tfr_put_footer(footer, payload, len_bytes);
    t2_out_write(w->out, header, sizeof header);
    t2_out_write(w->out, payload, len_bytes);
    t2_out_write(w->out, footer, sizeof footer);
    w->n_records++;
}

uint64_t tfr_writer_count(const struct tfr_writer *w)
{
    return w->n_records;
}

uint64_t tfr_writer_bytes(const struct tfr_writer *w)
{
    return t2_out_bytes(w->out);
}

enum t2_status tfr_writer_commit(struct tfr_writer *w, char sha256[65], struct t2_err *err)
{
    struct t2_out *out = w->out;

    T2_ASSERT(sha256 == NULL || w->hash);
    if (sha256 != NULL)
        t2_out_sha256(out, sha256);
    t2_free(w);
    return t2_out_commit(out, err);
}

void tfr_writer_abort(struct tfr_writer *w)
{
    if (w == NULL)
        return;
    t2_out_abort(w->out);
    t2_free(w);
}

void tfr_frame(struct t2_buf *buf, const void *payload, size_t len_bytes)
{
    uint8_t *p = t2_buf_reserve(buf, len_bytes + TFR_FRAME_BYTES);

    tfr_put_header(p, len_bytes);
    if (len_bytes > 0)
        memcpy(p + TFR_HEADER_BYTES, payload, len_bytes);
    tfr_put_footer(p + TFR_HEADER_BYTES + len_bytes, payload, len_bytes);
    buf->len_bytes += len_bytes + TFR_FRAME_BYTES;
    buf->data[buf->len_bytes] = 0; /* as base/buf.h wants it */
}

bool tfr_frame_is_sound(struct t2_slice frame)
{
    const uint8_t *p = frame.data;
    size_t n = frame.len_bytes - TFR_FRAME_BYTES;

    return frame.len_bytes >= TFR_FRAME_BYTES && tfr_get_le64(p) == n && tfr_header_ok(p) &&
           tfr_crc_mask(tfr_crc32c(0, p + TFR_HEADER_BYTES, n)) ==
               tfr_get_le32(p + TFR_HEADER_BYTES + n);
}

/* Without a call where there is room, which is nearly always. */
static inline void make_room(struct t2_buf *buf, size_t n_bytes)
{
    if (__builtin_expect(buf->capacity_bytes - buf->len_bytes < n_bytes || buf->data == NULL, 0))
        (void) t2_buf_reserve(buf, n_bytes);
}

size_t tfr_frame_begin(struct t2_buf *buf)
{
    size_t begin = buf->len_bytes;

    make_room(buf, TFR_FRAME_BYTES);
    buf->len_bytes += TFR_HEADER_BYTES;
    buf->data[buf->len_bytes] = 0;
    return begin;
}

void tfr_frame_end(struct t2_buf *buf, size_t begin)
{
    T2_ASSERT(begin + TFR_HEADER_BYTES <= buf->len_bytes);
    size_t len_bytes = buf->len_bytes - begin - TFR_HEADER_BYTES;

    make_room(buf, TFR_FOOTER_BYTES);
    uint8_t *header = buf->data + begin;
    tfr_put_header(header, len_bytes);
    tfr_put_footer(buf->data + buf->len_bytes, header + TFR_HEADER_BYTES, len_bytes);
    buf->len_bytes += TFR_FOOTER_BYTES;
    buf->data[buf->len_bytes] = 0;
}
