/*
 * tfrecord/writer.c - record framing on the way out.
 */
#include "tfrecord/writer.h"

#include <string.h>

#include "tfrecord/framing.h"

void tfr_frame(struct t2_buf *buf, const void *payload, size_t len_bytes)
{
    uint8_t *p = t2_buf_reserve(buf, len_bytes + TFR_FRAME_BYTES);

    tfr_put_header(p, len_bytes);
    if (len_bytes > 0)
        memcpy(p + TFR_HEADER_BYTES, payload, len_bytes);
    tfr_put_footer(p + TFR_HEADER_BYTES + len_bytes, payload, len_bytes);
    buf->len_bytes += len_bytes + TFR_FRAME_BYTES;
    buf->data[buf->len_bytes] = 0; /* a t2_buf ends with NUL */
}

bool tfr_frame_is_sound(struct t2_slice frame)
{
    const uint8_t *p = frame.data;
    size_t n = frame.len_bytes - TFR_FRAME_BYTES;

    return frame.len_bytes >= TFR_FRAME_BYTES && tfr_get_le64(p) == n && tfr_header_ok(p) &&
           t2_crc_mask(t2_crc32c(0, p + TFR_HEADER_BYTES, n)) ==
               tfr_get_le32(p + TFR_HEADER_BYTES + n);
}

/* Without a call where there is room, which is nearly always. */
static inline void make_room(struct t2_buf *buf, size_t n_bytes)
{
    if (__builtin_expect(buf->capacity_bytes - buf->len_bytes < n_bytes || !buf->data, 0))
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
