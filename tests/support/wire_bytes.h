/*
 * tests/support/wire_bytes.h - protobuf bytes made by hand, so that odd ones can be made too.
 *
 * Independent of base/protobuf.h, which it tests.
 */
#ifndef T2_TESTS_SUPPORT_WIRE_BYTES_H
#define T2_TESTS_SUPPORT_WIRE_BYTES_H

#include <string.h>

#include "base/buf.h"

static inline void wb_varint(struct t2_buf *b, uint64_t v)
{
    do {
        t2_buf_push(b, (uint8_t) ((v & 127) | (v > 127 ? 128 : 0)));
        v >>= 7;
    } while (v > 0);
}

static inline void wb_tag(struct t2_buf *b, uint32_t field, uint32_t type)
{
    wb_varint(b, (uint64_t) field << 3 | type);
}

static inline void wb_number(struct t2_buf *b, uint32_t field, uint64_t v)
{
    wb_tag(b, field, 0);
    wb_varint(b, v);
}

static inline void wb_bytes(struct t2_buf *b, uint32_t field, const void *data, size_t n)
{
    wb_tag(b, field, 2);
    wb_varint(b, n);
    t2_buf_append(b, data, n);
}

/* The body is what `inner` holds; inner is emptied. */
static inline void wb_message(struct t2_buf *b, uint32_t field, struct t2_buf *inner)
{
    wb_bytes(b, field, inner->data, inner->len_bytes);
    t2_buf_clear(inner);
}

/* A map entry with a Feature whose body is `feature`, which is emptied. */
static inline void wb_entry(struct t2_buf *b, const char *name, struct t2_buf *feature)
{
    struct t2_buf entry = {0};

    wb_bytes(&entry, 1, name, strlen(name));
    wb_message(&entry, 2, feature);
    wb_message(b, 1, &entry);
    t2_buf_release(&entry);
}

/* An Example whose Features have the body `features`, which is emptied. */
static inline void wb_example(struct t2_buf *b, struct t2_buf *features)
{
    wb_message(b, 1, features);
}

#endif
