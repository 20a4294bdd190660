/*
 * base/crc32c_join.c - CRCs of pieces joined.
 *
 * A CRC is a remainder of polynomials over GF(2), so putting n bytes behind a message multiplies
 * its remainder by x^(8n): crc(AB) = crc(A) * x^(8n) + crc(B).  x^(8n) is made of squares, one for
 * each binary digit of n.  Bit 31 of a CRC is the power 0 (the reflected form).
 */
#include "base/crc32c_join.h"

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
