/*
 * base/mt19937.c - the Mersenne Twister (Matsumoto and Nishimura 1998) as CPython and NumPy use it.
 *
 * State: 624 words of 32 bits, of which the 19937 bits of the period are the high bit of state[0]
 * and all of the others.  mt.next counts the words given out; at 624 all are made anew.  Spelled
 * as in the authors' mt19937ar.c, since seeds and draws have to be Python's and NumPy's, bit by
 * bit.
 */
#include "base/mt19937.h"

#include <stddef.h>

#include "base/err.h"

enum { N = 624, M = 397 };

/* init_genrand of mt19937ar.c: Knuth's multiplier, one word from the one before. */
static void seed_linear(struct t2_mt *mt, uint32_t seed)
{
    mt->state[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        mt->state[i] = UINT32_C(1812433253) * (mt->state[i - 1] ^ mt->state[i - 1] >> 30) + i;
    mt->next = N;
}

/* init_by_array of the reference implementation. */
static void seed_array(struct t2_mt *mt, const uint32_t *key, size_t n_key)
{
    uint32_t *s = mt->state;
    size_t i = 1, j = 0;

    seed_linear(mt, UINT32_C(19650218));
    for (size_t k = N > n_key ? N : n_key; k > 0; k--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * UINT32_C(1664525)) + key[j] + (uint32_t) j;
        if (++i == N) {
            s[0] = s[N - 1];
            i = 1;
        }
        if (++j == n_key)
            j = 0;
    }
    for (size_t k = N - 1; k > 0; k--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * UINT32_C(1566083941)) - (uint32_t) i;
        if (++i == N) {
            s[0] = s[N - 1];
            i = 1;
        }
    }
    s[0] = UINT32_C(0x80000000);
}

void t2_mt_seed_python(struct t2_mt *mt, uint64_t seed)
{
    const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};

    seed_array(mt, key, key[1] ? 2 : 1);
}

void t2_mt_seed_numpy(struct t2_mt *mt, uint32_t seed)
{
    seed_linear(mt, seed);
}

/*
 * The recurrence: the high bit of one word and the 31 low ones of the next, times the matrix A (a
 * shift, and the constant where the lowest bit was set), plus the word 397 further on.
 */
static void refill(struct t2_mt *mt)
{
    uint32_t *s = mt->state;

    for (size_t i = 0; i < N; i++) {
        uint32_t y = (s[i] & UINT32_C(0x80000000)) | (s[(i + 1) % N] & UINT32_C(0x7fffffff));

        s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
    }
    mt->next = 0;
}

uint32_t t2_mt_u32(struct t2_mt *mt)
{
    uint32_t y;

    if (mt->next >= N)
        refill(mt);
    y = mt->state[mt->next++];
    y ^= y >> 11;
    y ^= y << 7 & UINT32_C(0x9d2c5680);
    y ^= y << 15 & UINT32_C(0xefc60000);
    return y ^ y >> 18;
}

/* random.getrandbits(k), 1 <= k <= 64: low word first, the last word shifted down. */
static uint64_t random_bits(struct t2_mt *mt, unsigned k)
{
    uint64_t low;

    if (k <= 32)
        return t2_mt_u32(mt) >> (32 - k);
    low = t2_mt_u32(mt);
    return low | (uint64_t) (t2_mt_u32(mt) >> (64 - k)) << 32;
}

/*
 * CPython's _randbelow_with_getrandbits: as many bits as n itself has (not n - 1), drawn again
 * until the result is below n.
 */
uint64_t t2_mt_below(struct t2_mt *mt, uint64_t n)
{
    unsigned k;
    uint64_t r;

    T2_ASSERT(n > 0);
    k = 64 - (unsigned) __builtin_clzll(n);
    do {
        r = random_bits(mt, k);
    } while (r >= n);
    return r;
}

/* genrand_res53: 27 and 26 bits make the 53 of a double in [0, 1). */
double t2_mt_random(struct t2_mt *mt)
{
    uint32_t a = t2_mt_u32(mt) >> 5;
    uint32_t b = t2_mt_u32(mt) >> 6;

    return ((double) a * 67108864.0 + (double) b) * (1.0 / 9007199254740992.0);
}

/* random.shuffle: from the end, Fisher and Yates. */
void t2_mt_shuffle_u32(struct t2_mt *mt, uint32_t *items, uint64_t n)
{
    for (uint64_t i = n; i-- > 1;) {
        uint64_t j = t2_mt_below(mt, i + 1);
        uint32_t t = items[i];

        items[i] = items[j];
        items[j] = t;
    }
}

void t2_mt_shuffle_u64(struct t2_mt *mt, uint64_t *items, uint64_t n)
{
    for (uint64_t i = n; i-- > 1;) {
        uint64_t j = t2_mt_below(mt, i + 1);
        uint64_t t = items[i];

        items[i] = items[j];
        items[j] = t;
    }
}

/* Draws what a shuffle of n items would, for the generator's state alone. */
void t2_mt_skip_shuffle(struct t2_mt *mt, uint64_t n)
{
    for (uint64_t i = n; i-- > 1;)
        (void) t2_mt_below(mt, i + 1);
}
