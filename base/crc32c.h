/*
 * base/crc32c.h - CRC-32C (Castagnoli) and its mask, as the TFRecord framing uses it.
 *
 * Spec t2t-datagen.md §3.1.  Variants for the CPU are chosen at run time; all give the same value.
 */
#ifndef T2_CRC32C_H
#define T2_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The form for this machine, on the raw register; use t2_crc32c. */
extern uint32_t (*t2_crc_chosen)(uint32_t state, const uint8_t *data, size_t len_bytes);

/* CRC of more bytes after `crc` (0 to begin). */
static inline uint32_t t2_crc32c(uint32_t crc, const void *data, size_t len_bytes)
{
    return ~__atomic_load_n(&t2_crc_chosen, __ATOMIC_ACQUIRE)(~crc, data, len_bytes);
}

/* The form that is stored: rotated by 15 bits and moved by a constant, because the CRC of data that
 * end with their own CRC would be a constant. */
static inline uint32_t t2_crc_mask(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + UINT32_C(0xA282EAD8);
}

static inline uint32_t t2_crc_unmask(uint32_t masked)
{
    uint32_t rotated = masked - UINT32_C(0xA282EAD8);

    return rotated >> 17 | rotated << 15;
}

#endif
