/*
 * base/rng_many.c - many numbers of a stream at once: several blocks of words at a time, so that
 * the compiler computes them in vectors.
 *
 * The same code is compiled for every processor of the architecture and for AVX2; without fused
 * multiply-adds (-ffp-contract=off) the numbers have the same bits.
 */
#include "base/box_muller.h"
#include "base/cpu.h"
#include "base/philox.h"
#include "base/rng.h"

/* Two numbers are made of the four words of a block. */
enum { BLOCKS = 64, NUMBERS = 2 * BLOCKS };

#define INLINE static inline __attribute__((always_inline))

/* Words 0 .. 3 of the next BLOCKS blocks into w[0] .. w[3]. */
INLINE void philox_blocks(const struct t2_rng *r, uint32_t w[4][BLOCKS])
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const uint32_t counter[4] = {r->counter[0] + i, r->counter[1], r->counter[2],
                                     r->counter[3]};
        uint32_t out[4];

        t2_philox_block(counter, r->key, out);
        w[0][i] = out[0];
        w[1][i] = out[1];
        w[2][i] = out[2];
        w[3][i] = out[3];
    }
}

INLINE void normals(const struct t2_rng *r, double x[NUMBERS])
{
    uint32_t w[4][BLOCKS];

    philox_blocks(r, w);
    for (int i = 0; i < BLOCKS; i++) {
        x[2 * i] = t2_box_muller(w[0][i], w[1][i]);
        x[2 * i + 1] = t2_box_muller(w[2][i], w[3][i]);
    }
}

/* An unsigned word as a double, by way of a signed one, for which there is an instruction. */
INLINE double word(uint32_t w)
{
    return (double) (int32_t) (w ^ UINT32_C(0x80000000)) + 2147483648.0;
}

/* 53 bits: all of the high word, 21 of the low one; their sum is exact. */
INLINE double uniform(uint32_t low, uint32_t high)
{
    return word(high) * 0x1p-32 + (double) (int32_t) (low >> 11) * 0x1p-53;
}

INLINE void uniform_doubles(const struct t2_rng *r, double x[NUMBERS])
{
    uint32_t w[4][BLOCKS];

    philox_blocks(r, w);
    for (int i = 0; i < BLOCKS; i++) {
        x[2 * i] = uniform(w[0][i], w[1][i]);
        x[2 * i + 1] = uniform(w[2][i], w[3][i]);
    }
}

static void normals_any(const struct t2_rng *r, double *x)
{
    normals(r, x);
}

static void uniform_doubles_any(const struct t2_rng *r, double *x)
{
    uniform_doubles(r, x);
}

#ifdef T2_HAVE_CPU_avx2
__attribute__((target("avx2"))) static void normals_avx2(const struct t2_rng *r, double *x)
{
    normals(r, x);
}

__attribute__((target("avx2"))) static void uniform_doubles_avx2(const struct t2_rng *r, double *x)
{
    uniform_doubles(r, x);
}
#else
#define normals_avx2 normals_any
#define uniform_doubles_avx2 uniform_doubles_any
#endif

/* n numbers: one by one up to the next block, then by groups of blocks, then one by one. */
static void many(struct t2_rng *r, double *x, size_t n,
                 void (*group)(const struct t2_rng *, double *), double (*one)(struct t2_rng *))
{
    size_t i = 0;

    while (i < n && r->used != 4)
        x[i++] = one(r);
    for (; n - i >= NUMBERS; i += NUMBERS) {
        group(r, x + i);
        r->counter[0] += BLOCKS;
    }
    while (i < n)
        x[i++] = one(r);
}

void t2_rng_uniform_doubles(struct t2_rng *r, double *x, size_t n)
{
    many(r, x, n, t2_cpu_variant() >= T2_CPU_AVX2 ? uniform_doubles_avx2 : uniform_doubles_any,
         t2_rng_uniform_double);
}

void t2_rng_normals(struct t2_rng *r, double *x, size_t n)
{
    many(r, x, n, t2_cpu_variant() >= T2_CPU_AVX2 ? normals_avx2 : normals_any, t2_rng_normal);
}
