/*
 * base/crc32c_join.h - the CRC-32C of two pieces of bytes, one behind the other.
 */
#ifndef T2_BASE_CRC32C_JOIN_H
#define T2_BASE_CRC32C_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* From the CRCs of both and the length of the second (as zlib's crc32_combine). */
uint32_t t2_crc32c_join(uint32_t first, uint32_t second, uint64_t second_bytes);
/* Of many bytes, in pieces by the threads of a pool (NULL: by the caller). */
uint32_t t2_crc32c_large(struct t2_pool *pool, const void *data, size_t len_bytes);

#endif
