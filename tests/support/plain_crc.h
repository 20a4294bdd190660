/*
 * tests/support/plain_crc.h - CRC-32C by the plain table form, the specification of the others.
 */
#ifndef T2_TESTS_SUPPORT_PLAIN_CRC_H
#define T2_TESTS_SUPPORT_PLAIN_CRC_H

#include "base/crc32c_impl.h"

/* CRC of more bytes after `crc` (0 to begin). */
static inline uint32_t t_plain_crc(uint32_t crc, const void *data, size_t len_bytes)
{
    return ~t2_crc_variant(T2_CRC_PLAIN)(~crc, data, len_bytes);
}

#endif
