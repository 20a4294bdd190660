/*
 * base/protobuf.h - protobuf's wire format, bounded reading and writing, for messages of any kind.
 *
 * Limits as protobuf's C++ runtime: a tag or a length has at most five bytes, a number ten, groups
 * and messages together nest at most a hundred deep.
 */
#ifndef T2_BASE_PROTOBUF_H
#define T2_BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

enum {
    T2_WIRE_VARINT,
    T2_WIRE_FIXED64,
    T2_WIRE_BYTES,
    T2_WIRE_GROUP,
    T2_WIRE_GROUP_END,
    T2_WIRE_FIXED32
};

enum { T2_WIRE_MAX_DEPTH = 100, T2_VARINT_MAX_BYTES = 10 };

#define T2_TAG(field, wire_type) ((uint32_t) (field) << 3 | (uint32_t) (wire_type))

/* A message being read: what is left of it. */
struct t2_wire {
    const uint8_t *p;
    const uint8_t *end;
};

static inline struct t2_wire t2_wire_of(struct t2_slice s)
{
    /* Nothing may be NULL, to which nothing may be added. */
    return (struct t2_wire){s.data, s.len_bytes > 0 ? s.data + s.len_bytes : s.data};
}

static inline bool t2_wire_more(const struct t2_wire *w)
{
    return w->p < w->end;
}

/* At most max_bytes bytes, bits beyond 64 dropped as protobuf drops them.  On failure w->p
 * stays. */
static inline bool t2_wire_varint(struct t2_wire *w, int max_bytes, uint64_t *value)
{
    uint64_t v = 0;

    if (w->p < w->end && *w->p < 0x80) {
        *value = *w->p++;
        return true;
    }
    for (int i = 0; i < max_bytes && w->p + i < w->end; i++) {
        uint8_t b = w->p[i];
        v |= (uint64_t) (b & 0x7f) << (7 * i);
        if (b < 0x80) {
            w->p += i + 1;
            *value = v;
            return true;
        }
    }
    return false;
}

/* Field number 0 and wire types 6 and 7 are refused. */
static inline bool t2_wire_tag(struct t2_wire *w, uint32_t *tag)
{
    struct t2_wire ahead = *w;
    uint64_t v;

    if (!t2_wire_varint(&ahead, 5, &v) || v > UINT32_MAX || v >> 3 == 0 || (v & 7) > 5)
        return false;
    *tag = (uint32_t) v;
    *w = ahead;
    return true;
}

/* The body of a length-delimited field. */
static inline bool t2_wire_bytes(struct t2_wire *w, struct t2_slice *body)
{
    struct t2_wire ahead = *w;
    uint64_t n;

    if (!t2_wire_varint(&ahead, 5, &n) || n > (uint64_t) (ahead.end - ahead.p))
        return false;
    body->data = ahead.p;
    body->len_bytes = (size_t) n;
    w->p = ahead.p + n;
    return true;
}

static inline bool t2_wire_fixed(struct t2_wire *w, size_t n_bytes)
{
    if ((size_t) (w->end - w->p) < n_bytes)
        return false;
    w->p += n_bytes;
    return true;
}

/* Steps over the field whose tag was just read; depth: messages around it.  On failure w->p is
 * where the trouble is. */
bool t2_wire_skip(struct t2_wire *w, uint32_t tag, int depth);

enum { T2_WORD_BYTES = 8 };

static inline uint64_t t2_load_word(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* ---- writing ---- */

/* Bytes of v as a varint. */
static inline size_t t2_varint_bytes(uint64_t v)
{
    return ((size_t) (64 - __builtin_clzll(v | 1)) * 9 + 64) / 64;
}

static inline uint8_t *t2_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t) (v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t) v;
    return p;
}

/* The same; numbers below 2^28 without a branch on their length: seven bits into each byte of a
 * word, of which all four bytes are written. */
static inline uint8_t *t2_put_number(uint8_t *p, uint64_t v)
{
    static const uint32_t more_bits[] = {0, 0x80, 0x8080, 0x808080};

    if (__builtin_expect(v >= UINT64_C(1) << 28, 0))
        return t2_put_varint(p, v);

    uint32_t x = (uint32_t) v;
    uint32_t n_more = (uint32_t) (x > 0x7f) + (x > 0x3fff) + (x > 0x1fffff);
    uint32_t word = (x & 0x7f) | (x << 1 & 0x7f00) | (x << 2 & 0x7f0000) | (x << 3 & 0x7f000000);
    word |= more_bits[n_more];
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(p, &word, sizeof word);
    return p + n_more + 1;
}

#endif
