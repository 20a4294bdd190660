/*
 * tests/unit/base/gzip_bytes.h - gzip and zlib streams without a compressor: stored blocks.
 */
#ifndef T2_TESTS_UNIT_BASE_GZIP_BYTES_H
#define T2_TESTS_UNIT_BASE_GZIP_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

static inline uint32_t gzip_crc(const uint8_t *data, size_t n)
{
    uint32_t crc = UINT32_C(0xffffffff);

    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static inline uint32_t zlib_adler(const uint8_t *data, size_t n)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static inline void stored_blocks(struct t2_buf *out, const uint8_t *data, size_t n)
{
    do {
        size_t k = n < 65535 ? n : 65535;

        t2_buf_push(out, k == n); /* last block */
        t2_buf_push(out, (uint8_t) k);
        t2_buf_push(out, (uint8_t) (k >> 8));
        t2_buf_push(out, (uint8_t) ~k);
        t2_buf_push(out, (uint8_t) (~k >> 8));
        t2_buf_append(out, data, k);
        data += k;
        n -= k;
    } while (n > 0);
}

/* Appends one gzip member. */
static inline void gzip_member(struct t2_buf *out, const void *data, size_t n)
{
    uint32_t crc = gzip_crc(data, n);

    t2_buf_append(out, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    stored_blocks(out, data, n);
    for (int i = 0; i < 4; i++)
        t2_buf_push(out, (uint8_t) (crc >> 8 * i));
    for (int i = 0; i < 4; i++)
        t2_buf_push(out, (uint8_t) (n >> 8 * i));
}

static inline void zlib_member(struct t2_buf *out, const void *data, size_t n)
{
    uint32_t sum = zlib_adler(data, n);

    t2_buf_append(out, "\x78\x9c", 2);
    stored_blocks(out, data, n);
    for (int i = 3; i >= 0; i--)
        t2_buf_push(out, (uint8_t) (sum >> 8 * i));
}

#endif
