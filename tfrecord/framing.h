/*
 * tfrecord/framing.h - the sixteen bytes around a payload; only tfrecord/ includes it.
 *
 *   8 bytes  payload length N, little endian
 *   4 bytes  masked CRC-32C of these 8 bytes
 *   N bytes  payload
 *   4 bytes  masked CRC-32C of the payload
 */
#ifndef TFR_FRAMING_H
#define TFR_FRAMING_H

#include <stddef.h>
#include <stdint.h>

#include "base/crc32c.h"

enum {
    TFR_LENGTH_BYTES = 8,
    TFR_HEADER_BYTES = 12,
    TFR_FOOTER_BYTES = 4,
    TFR_FRAME_BYTES = TFR_HEADER_BYTES + TFR_FOOTER_BYTES
};

static inline uint32_t tfr_get_le32(const uint8_t *p)
{
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

static inline uint64_t tfr_get_le64(const uint8_t *p)
{
    return (uint64_t) tfr_get_le32(p) | (uint64_t) tfr_get_le32(p + 4) << 32;
}

static inline void tfr_put_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t) (v >> (8 * i));
}

static inline void tfr_put_header(uint8_t header[TFR_HEADER_BYTES], size_t len_bytes)
{
    uint64_t n = len_bytes;

    tfr_put_le32(header, (uint32_t) n);
    tfr_put_le32(header + 4, (uint32_t) (n >> 32));
    tfr_put_le32(header + TFR_LENGTH_BYTES, t2_crc_mask(t2_crc32c(0, header, TFR_LENGTH_BYTES)));
}

static inline void tfr_put_footer(uint8_t footer[TFR_FOOTER_BYTES], const void *payload,
                                  size_t len_bytes)
{
    tfr_put_le32(footer, t2_crc_mask(t2_crc32c(0, payload, len_bytes)));
}

/* The masked CRC of the length matches. */
static inline int tfr_header_ok(const uint8_t *header)
{
    return t2_crc_mask(t2_crc32c(0, header, TFR_LENGTH_BYTES)) ==
           tfr_get_le32(header + TFR_LENGTH_BYTES);
}

#endif
