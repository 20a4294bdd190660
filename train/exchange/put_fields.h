/*
 * train/exchange/put_fields.h - fields of protobuf messages, appended to a buffer.
 *
 * Defaults are written, too, which every reader takes.
 */
#ifndef XCH_PUT_FIELDS_H
#define XCH_PUT_FIELDS_H

#include <string.h>

#include "base/buf.h"
#include "base/protobuf.h"

static inline void xch_put_head(struct t2_buf *out, uint32_t field, uint32_t wire_type, uint64_t v)
{
    uint8_t bytes[2 * T2_VARINT_MAX_BYTES], *p = bytes;

    p = t2_put_varint(p, T2_TAG(field, wire_type));
    p = t2_put_varint(p, v);
    t2_buf_append(out, bytes, (size_t) (p - bytes));
}

static inline void xch_put_int(struct t2_buf *out, uint32_t field, int64_t v)
{
    xch_put_head(out, field, T2_WIRE_VARINT, (uint64_t) v);
}

static inline void xch_put_bytes(struct t2_buf *out, uint32_t field, const void *data, size_t n)
{
    xch_put_head(out, field, T2_WIRE_BYTES, n);
    t2_buf_append(out, data, n);
}

static inline void xch_put_text(struct t2_buf *out, uint32_t field, const char *text)
{
    xch_put_bytes(out, field, text, strlen(text));
}

/* The body is released. */
static inline void xch_put_message(struct t2_buf *out, uint32_t field, struct t2_buf *body)
{
    xch_put_bytes(out, field, body->data, body->len_bytes);
    t2_buf_release(body);
}

static inline void xch_put_float(struct t2_buf *out, uint32_t field, float v)
{
    uint8_t bytes[T2_VARINT_MAX_BYTES + sizeof(uint32_t)];
    uint8_t *p = t2_put_varint(bytes, T2_TAG(field, T2_WIRE_FIXED32));
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    for (int i = 0; i < 4; i++)
        *p++ = (uint8_t) (bits >> 8 * i);
    t2_buf_append(out, bytes, (size_t) (p - bytes));
}

#endif
