/*
 * tests/unit/tfrecord/record_files.h - record files made by hand, plain and compressed.
 *
 * Compressed files have stored blocks only, so no library is needed to make them.
 */
#ifndef T2_TESTS_UNIT_TFRECORD_RECORD_FILES_H
#define T2_TESTS_UNIT_TFRECORD_RECORD_FILES_H

#include "base/buf.h"
#include "base/crc32c.h"
#include "tests/support/plain_crc.h"
#include "tests/support/t.h"

static inline void rf_le(struct t2_buf *b, uint64_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(b, (uint8_t) (v >> 8 * i));
}

/* A header with a right CRC that promises n bytes. */
static inline void rf_header(struct t2_buf *b, uint64_t n)
{
    struct t2_buf length = {0};

    rf_le(&length, n, 8);
    t2_buf_append(b, length.data, 8);
    rf_le(b, t2_crc_mask(t_plain_crc(0, length.data, 8)), 4);
    t2_buf_release(&length);
}

static inline void rf_record(struct t2_buf *b, const void *data, size_t n)
{
    rf_header(b, n);
    t2_buf_append(b, data, n);
    rf_le(b, t2_crc_mask(t_plain_crc(0, data, n)), 4);
}

/* Record i of the files that rf_some makes: i = 0 is empty, i = 3 is long. */
static inline struct t2_slice rf_payload(size_t i)
{
    static uint8_t bytes[3000];

    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t) t_hash64(k / 8 + i);
    return (struct t2_slice){bytes, i == 3 ? 700 : i * 5};
}

static inline void rf_some(struct t2_buf *b, size_t n_records)
{
    for (size_t i = 0; i < n_records; i++)
        rf_record(b, rf_payload(i).data, rf_payload(i).len_bytes);
}

static inline void rf_stored(struct t2_buf *out, struct t2_slice in)
{
    size_t at = 0;

    do {
        size_t n = in.len_bytes - at < 100 ? in.len_bytes - at : 100;
        t2_buf_push(out, at + n == in.len_bytes);
        rf_le(out, n, 2);
        rf_le(out, ~n, 2);
        t2_buf_append(out, in.data + at, n);
        at += n;
    } while (at < in.len_bytes);
}

static inline void rf_gzip(struct t2_buf *out, struct t2_slice in)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < in.len_bytes; i++) {
        crc ^= in.data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    t2_buf_append(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    rf_stored(out, in);
    rf_le(out, ~crc, 4);
    rf_le(out, in.len_bytes, 4);
}

static inline void rf_zlib(struct t2_buf *out, struct t2_slice in)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < in.len_bytes; i++) {
        a = (a + in.data[i]) % 65521;
        b = (b + a) % 65521;
    }
    t2_buf_append(out, "\x78\x9c", 2);
    rf_stored(out, in);
    for (int i = 3; i >= 0; i--)
        t2_buf_push(out, (uint8_t) ((b << 16 | a) >> 8 * i));
}

#endif
