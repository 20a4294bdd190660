/*
 * base/box_muller.h - a number of the normal distribution of two words of 32 bits (Box and Muller
 * 1958), without a branch or a call, so that compilers compute several at a time.
 *
 * Logarithm and cosine are series for just these arguments, within 3e-16 of the value (relative,
 * the cosine of the largest value): plain multiplications and additions, the same bits on every
 * processor, which a C library does not promise.
 */
#ifndef T2_BASE_BOX_MULLER_H
#define T2_BASE_BOX_MULLER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * ln((word + 1/2) / 2^32), below 0.  word + 1/2 = m 2^e with m in [sqrt(1/2), sqrt(2)); with
 * s = (m - 1) / (m + 1), at most 0.172, ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...); the first term left
 * out is below 2^-60 of the first.
 */
static inline double t2_ln_of_word(uint32_t word)
{
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(1) << 52;
    /* ln 2 in two parts; the first has 11 zeros at its end, so that e times it is exact. */
    const double ln2 = 0x1.62e42fefa38p-1, ln2_rest = 0x1.ef35793c7673p-45;
    /* words become doubles by way of signed ones, for which every processor has an instruction */
    double v = (double) (int32_t) (word ^ UINT32_C(0x80000000)) + 2147483648.5, m, e, s, s2, sum;
    uint64_t bits, biased;

    memcpy(&bits, &v, sizeof bits);
    biased = (bits - sqrt_half + 64 * one) >> 52; /* e + 64: a shift that needs no sign */
    bits -= (biased << 52) - 64 * one;
    memcpy(&m, &bits, sizeof m);
    bits = UINT64_C(0x4330000000000000) + biased; /* 2^52 + e + 64 */
    memcpy(&e, &bits, sizeof e);
    e -= 0x1p52 + 64.0 + 32.0;
    s = (m - 1.0) / (m + 1.0);
    s2 = s * s;
    sum = 1.0 / 21;
    sum = sum * s2 + 1.0 / 19;
    sum = sum * s2 + 1.0 / 17;
    sum = sum * s2 + 1.0 / 15;
    sum = sum * s2 + 1.0 / 13;
    sum = sum * s2 + 1.0 / 11;
    sum = sum * s2 + 1.0 / 9;
    sum = sum * s2 + 1.0 / 7;
    sum = sum * s2 + 1.0 / 5;
    sum = sum * s2 + 1.0 / 3;
    return e * ln2 + (2.0 * (s + s * s2 * sum) + e * ln2_rest);
}

/*
 * cos(2 pi word / 2^32) = sin(pi/2 - 2 pi |word| / 2^32), word with its sign: the difference is
 * taken in integers; then the series of the sine up to x^23, whose next term is below 2^-61.
 */
static inline double t2_cos_of_word(uint32_t word)
{
    int32_t turn = (int32_t) word, quarter = INT32_C(1) << 30;
    int32_t rest = turn < 0 ? turn + quarter : quarter - turn;
    double x = (double) rest * (1.57079632679489661923 * 0x1p-30), x2 = x * x, sum;

    sum = -1.0 / 25852016738884976640000.0; /* 23! */
    sum = sum * x2 + 1.0 / 51090942171709440000.0;
    sum = sum * x2 - 1.0 / 121645100408832000.0;
    sum = sum * x2 + 1.0 / 355687428096000.0;
    sum = sum * x2 - 1.0 / 1307674368000.0;
    sum = sum * x2 + 1.0 / 6227020800.0;
    sum = sum * x2 - 1.0 / 39916800.0;
    sum = sum * x2 + 1.0 / 362880.0;
    sum = sum * x2 - 1.0 / 5040.0;
    sum = sum * x2 + 1.0 / 120.0;
    sum = sum * x2 - 1.0 / 6.0;
    return x + x * x2 * sum;
}

/* The tail ends at 6.7: of no word the half makes 0. */
static inline double t2_box_muller(uint32_t distance, uint32_t turn)
{
    return sqrt(-2.0 * t2_ln_of_word(distance)) * t2_cos_of_word(turn);
}

#endif
