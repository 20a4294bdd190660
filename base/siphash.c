/*
 * base/siphash.c - SipHash-2-4-128 (Aumasson and Bernstein 2012; constants of the 128-bit form from
 * the authors' siphash.c).
 *
 * Keyed, so that records made on purpose cannot collide: what is deduplicated by this hash is not
 * compared byte by byte.  Two rounds per word of eight bytes, four at the end of each half; words
 * are little-endian, the last holds the 0 to 7 bytes that are left and the length in its top byte.
 */
#include "base/siphash.h"

#include <string.h>
#include <sys/random.h>

#include "base/err.h"

struct state {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotl(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline void store64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t) (v >> (8 * i));
}

static inline void rounds(struct state *s, int n)
{
    for (int i = 0; i < n; i++) {
        s->v0 += s->v1;
        s->v1 = rotl(s->v1, 13) ^ s->v0;
        s->v0 = rotl(s->v0, 32);
        s->v2 += s->v3;
        s->v3 = rotl(s->v3, 16) ^ s->v2;
        s->v0 += s->v3;
        s->v3 = rotl(s->v3, 21) ^ s->v0;
        s->v2 += s->v1;
        s->v1 = rotl(s->v1, 17) ^ s->v2;
        s->v2 = rotl(s->v2, 32);
    }
}

static inline void absorb(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

void t2_siphash128(const uint8_t key[16], const void *data, size_t len_bytes,
                   uint8_t hash[T2_SIPHASH_BYTES])
{
    const uint8_t *p = data;
    const uint64_t k0 = load64(key);
    const uint64_t k1 = load64(key + 8);
    struct state s = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                      k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t) len_bytes << 56;
    size_t n_words = len_bytes / 8;

    for (size_t i = 0; i < n_words; i++)
        absorb(&s, load64(p + 8 * i));
    for (size_t i = 0; i < len_bytes % 8; i++)
        last |= (uint64_t) p[8 * n_words + i] << (8 * i);
    absorb(&s, last);
    s.v2 ^= 0xee;
    rounds(&s, 4);
    store64(hash, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
    s.v1 ^= 0xdd;
    rounds(&s, 4);
    store64(hash + 8, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
}

void t2_siphash_random_key(uint8_t key[16])
{
    ssize_t n = getrandom(key, 16, 0);

    T2_ASSERT(n == 16); /* so few bytes come at once or not at all */
}
