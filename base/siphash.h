/*
 * base/siphash.h - SipHash-2-4 with 128 bits (Aumasson, Bernstein 2012): a keyed hash.
 *
 * With a secret key, inputs that collide cannot be prepared, and of n inputs two collide by chance
 * with probability n^2 / 2^129: equality of hashes then stands for equality of bytes.
 */
#ifndef T2_BASE_SIPHASH_H
#define T2_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { T2_SIPHASH_BYTES = 16 };

void t2_siphash128(const uint8_t key[16], const void *data, size_t len_bytes,
                   uint8_t hash[T2_SIPHASH_BYTES]);
/* A key from the system's random source. */
void t2_siphash_random_key(uint8_t key[16]);

#endif
