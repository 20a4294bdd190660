/*
 * base/philox.h - Philox 4x32-10 as an inline function, for the host and for kernels of
 * accelerators alike; base/rng.h has the streams made of it.
 */
#ifndef T2_BASE_PHILOX_H
#define T2_BASE_PHILOX_H

#include <stdint.h>

/*
 * Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3": ten rounds of two 32 x 32
 * multiplications, whose high and low words change places, and a key that moves on by Weyl
 * constants (golden ratio, square root of 3).  The constants are the paper's.
 */
static inline void t2_philox_block(const uint32_t counter[4], const uint32_t key[2],
                                   uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t) UINT32_C(0xD2511F53) * c0;
        uint64_t p1 = (uint64_t) UINT32_C(0xCD9E8D57) * c2;

        c0 = (uint32_t) (p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t) p1;
        c2 = (uint32_t) (p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t) p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

#endif
