/*
 * base/rng.c - counter-based random streams: Philox 4x32-10, and permutations as functions.
 *
 * How a stream's name becomes Philox input (part of the reproducibility contract):
 *   key        = splitmix64(seed ^ purpose * 0x9e3779b97f4a7c15), low word first
 *   counter[0] = number of the block of four words
 *   counter[1] = low 32 bits of step
 *   counter[2] = low 32 bits of index
 *   counter[3] = bits 32..47 of step << 16 | bits 32..47 of index
 * So streams of one (seed, purpose) differ for all step and index below 2^48.
 */
#include "base/rng.h"

#include "base/box_muller.h"
#include "base/err.h"
#include "base/philox.h"

__extension__ typedef unsigned __int128 u128;

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t splitmix64(uint64_t x)
{
    x += GOLDEN;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void t2_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    t2_philox_block(counter, key, out);
}

void t2_rng_key(uint64_t seed, enum t2_purpose purpose, uint32_t key[2])
{
    uint64_t k = splitmix64(seed ^ (uint64_t) purpose * GOLDEN);

    key[0] = (uint32_t) k;
    key[1] = (uint32_t) (k >> 32);
}

void t2_rng_init(struct t2_rng *r, uint64_t seed, enum t2_purpose purpose, uint64_t step,
                 uint64_t index)
{
    t2_rng_key(seed, purpose, r->key);
    r->counter[0] = 0;
    r->counter[1] = (uint32_t) step;
    r->counter[2] = (uint32_t) index;
    r->counter[3] = (uint32_t) (step >> 32 & 0xffff) << 16 | (uint32_t) (index >> 32 & 0xffff);
    r->used = 4;
}

uint32_t t2_rng_u32(struct t2_rng *r)
{
    if (r->used == 4) {
        t2_philox(r->counter, r->key, r->block);
        r->counter[0]++;
        r->used = 0;
    }
    return r->block[r->used++];
}

uint64_t t2_rng_u64(struct t2_rng *r)
{
    uint64_t low = t2_rng_u32(r);

    return low | (uint64_t) t2_rng_u32(r) << 32;
}

uint64_t t2_rng_below(struct t2_rng *r, uint64_t n)
{
    u128 product;

    T2_ASSERT(n > 0);
    /* Lemire 2019, "Fast random integer generation in an interval": the high word of x * n, with
     * the few x rejected that would make some results likelier. */
    product = (u128) t2_rng_u64(r) * n;
    if ((uint64_t) product < n) {
        uint64_t threshold = (0 - n) % n;

        while ((uint64_t) product < threshold)
            product = (u128) t2_rng_u64(r) * n;
    }
    return (uint64_t) (product >> 64);
}

float t2_rng_uniform(struct t2_rng *r)
{
    return (float) (t2_rng_u32(r) >> 8) * 0x1p-24f;
}

double t2_rng_uniform_double(struct t2_rng *r)
{
    return (double) (t2_rng_u64(r) >> 11) * 0x1p-53;
}

double t2_rng_normal(struct t2_rng *r)
{
    /* Two words a number, so that number i of a stream is found without its predecessors. */
    uint32_t distance = t2_rng_u32(r);

    return t2_box_muller(distance, t2_rng_u32(r));
}

/*
 * To number n of the stream, counted in draws of two words; a block of four words has two of them.
 */
void t2_rng_seek(struct t2_rng *r, uint64_t n)
{
    r->counter[0] = (uint32_t) (n / 2);
    r->used = 4;
    if (n % 2 == 1)
        (void) t2_rng_u64(r);
}

enum { PERM_ROUNDS = 8, PERM_MIN_HALF_BITS = 3 };

void t2_perm_init(struct t2_perm *p, uint64_t n, uint64_t seed, enum t2_purpose purpose,
                  uint64_t step)
{
    const uint32_t counter[4] = {(uint32_t) step, (uint32_t) (step >> 32), 0, UINT32_C(0x7065726d)};
    uint32_t key[2], out[4];

    t2_rng_key(seed, purpose, key);
    t2_philox(counter, key, out);
    p->n = n;
    p->key[0] = out[0];
    p->key[1] = out[1];
    /* Very small networks are poor permutations; walking 64 elements costs nothing. */
    p->half_bits = PERM_MIN_HALF_BITS;
    while (p->half_bits < 32 && (UINT64_C(1) << 2 * p->half_bits) < n)
        p->half_bits++;
}

uint64_t t2_perm_at(const struct t2_perm *p, uint64_t i)
{
    uint64_t key = (uint64_t) p->key[1] << 32 | p->key[0];
    uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;

    T2_ASSERT(i < p->n);
    /* The network permutes [0, 4^half_bits).  Following the cycle from i until it comes back below
     * n permutes [0, n); at most four steps on average. */
    do {
        uint64_t left = i >> p->half_bits, right = i & mask;

        for (uint64_t round = 0; round < PERM_ROUNDS; round++) {
            uint64_t mixed = splitmix64((key + round * UINT64_C(0xd1342543de82ef95)) ^ right << 7);
            uint64_t next = left ^ (mixed >> 32 & mask);

            left = right;
            right = next;
        }
        i = left << p->half_bits | right;
    } while (i >= p->n);
    return i;
}
