/*
 * base/hash.c - a fast 64-bit hash for tables.  SHA-256 is in sha256.c.
 *
 * Built on the folded 64 x 64 -> 128 bit product: one multiplication mixes 16 bytes.  The result is
 * the same on every machine.
 */
#include "base/hash.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* Odd numbers with as many ones as zeros: leading bits of the fractions of sqrt(2), sqrt(3),
 * sqrt(5), sqrt(7), the last bit set. */
static const uint64_t K0 = UINT64_C(0x6a09e667f3bcc909);
static const uint64_t K1 = UINT64_C(0xbb67ae8584caa73b);
static const uint64_t K2 = UINT64_C(0x3c6ef372fe94f82b);
static const uint64_t K3 = UINT64_C(0xa54ff53a5f1d36f1);

static uint64_t fold(uint64_t a, uint64_t b)
{
    u128 product = (u128) a * b;

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static uint64_t load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static uint64_t load32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

/*
 * Blocks of 32 bytes go into two states, whose multiplications do not wait for each other; the
 * tail of up to 32 bytes into one.  The length goes in first, so that the overlapping words of the
 * tail are no ambiguity.  Not keyed: tables made from hostile input may be made slow, which their
 * budgets bound.
 */
uint64_t t2_hash64(const void *data, size_t len_bytes, uint64_t seed)
{
    const uint8_t *p = data;
    size_t left = len_bytes;
    uint64_t h = fold(seed ^ K0, (uint64_t) len_bytes ^ K1);
    uint64_t a = 0, b = 0;

    if (left > 32) {
        uint64_t other = h;

        for (; left > 32; p += 32, left -= 32) {
            h = fold(load64(p) ^ K2, load64(p + 8) ^ h);
            other = fold(load64(p + 16) ^ K3, load64(p + 24) ^ other);
        }
        h ^= other;
    }
    if (left > 16) {
        h = fold(load64(p) ^ K2, load64(p + 8) ^ h);
        p += 16;
        left -= 16;
    }
    /* The rest, 0 to 16 bytes, as two words that overlap. */
    if (left >= 8) {
        a = load64(p);
        b = load64(p + left - 8);
    } else if (left >= 4) {
        a = load32(p);
        b = load32(p + left - 4);
    } else if (left > 0) {
        a = (uint64_t) p[0] << 16 | (uint64_t) p[left / 2] << 8 | p[left - 1];
    }
    h = fold(a ^ K1, b ^ h);
    return fold(h ^ K3, h ^ K0);
}
