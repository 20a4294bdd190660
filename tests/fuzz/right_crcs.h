/*
 * tests/fuzz/right_crcs.h - checksums put right, so that mutated records get past them.
 */
#ifndef T2_TESTS_FUZZ_RIGHT_CRCS_H
#define T2_TESTS_FUZZ_RIGHT_CRCS_H

#include <stddef.h>
#include <stdint.h>

#include "base/crc32c.h"
#include "tests/support/plain_crc.h"

static inline uint64_t get_le64(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static inline void put_crc(uint8_t *p, const uint8_t *data, size_t n)
{
    uint32_t crc = t2_crc_mask(t_plain_crc(0, data, n));

    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t) (crc >> 8 * i);
}

static inline void put_crcs_right(uint8_t *p, size_t size)
{
    for (size_t at = 0; size - at >= 12;) {
        uint64_t n = get_le64(p + at);
        put_crc(p + at + 8, p + at, 8);
        if (n > size - at - 12 || size - at - 12 - n < 4)
            return;
        put_crc(p + at + 12 + n, p + at + 12, (size_t) n);
        at += 16 + (size_t) n;
    }
}

#endif
