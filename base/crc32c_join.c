/*
 * base/crc32c_join.c - CRCs of pieces joined.
 *
 * A CRC is a remainder of polynomials over GF(2), so putting n bytes behind a message multiplies
 * its remainder by x^(8n): crc(AB) = crc(A) * x^(8n) + crc(B).  x^(8n) is made of squares, one for
 * each binary digit of n.  Bit 31 of a CRC is the power 0 (the reflected form).
 */
#include "base/crc32c_join.h"

#include "base/alloc.h"
#include "base/crc32c.h"

static const uint32_t polynomial = UINT32_C(0x82F63B78);

/* a * b modulo the polynomial. */
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;

    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        if (a & bit)
            sum ^= b;
        b = b & 1 ? b >> 1 ^ polynomial : b >> 1; /* b * x */
    }
    return sum;
}

uint32_t t2_crc32c_join(uint32_t first, uint32_t second, uint64_t second_bytes)
{
    uint32_t square = UINT32_C(1) << 23; /* x^8 */

    for (; second_bytes > 0; second_bytes >>= 1) {
        if (second_bytes & 1)
            first = product(square, first);
        square = product(square, square);
    }
    return first ^ second;
}

/* ---- many bytes ---- */

enum { PIECE_BYTES = 1 << 22 };

struct large {
    const uint8_t *data;
    size_t len_bytes;
    uint32_t *crcs; /* of the pieces */
};

static size_t piece_bytes(const struct large *l, int64_t piece)
{
    size_t left = l->len_bytes - (size_t) piece * PIECE_BYTES;

    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static void sum_piece(void *arg, int64_t piece, int worker)
{
    const struct large *l = arg;

    (void) worker;
    l->crcs[piece] = t2_crc32c(0, l->data + (size_t) piece * PIECE_BYTES, piece_bytes(l, piece));
}

uint32_t t2_crc32c_large(struct t2_pool *pool, const void *data, size_t len_bytes)
{
    int64_t n = (int64_t) (len_bytes / PIECE_BYTES + (len_bytes % PIECE_BYTES != 0));
    struct large l = {data, len_bytes, t2_alloc((size_t) n, sizeof *l.crcs)};
    uint32_t crc = 0;

    t2_pool_run(pool, n, sum_piece, &l);
    for (int64_t i = 0; i < n; i++)
        crc = t2_crc32c_join(crc, l.crcs[i], piece_bytes(&l, i));
    t2_free(l.crcs);
    return crc;
}
