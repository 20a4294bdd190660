/*
 * tfrec/exact_sum.c - sums of floats without rounding, so that they do not depend on the order.
 *
 * A float is a 24-bit integer times a power of two.  Integers of equal exponents are added in one
 * int64 each, 255 in all: exact for 2^39 values.  Threads join their counters and the result is the
 * same for any number of them.  Only the value at the end is rounded, from the largest exponent to
 * the smallest.
 */
#include "tfrec/exact_sum.h"

#include <math.h>
#include <string.h>

enum { MANTISSA_BITS = 23, INFINITE = 255, SMALLEST = -149 };

void rec_float_sum_add(struct rec_float_sum *s, const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        uint32_t exponent = bits >> MANTISSA_BITS & 255;
        int64_t mantissa = bits & ((1u << MANTISSA_BITS) - 1);
        if (exponent == INFINITE)
            continue;
        if (exponent > 0)
            mantissa |= 1 << MANTISSA_BITS;
        s->by_exponent[exponent] += bits >> 31 ? -mantissa : mantissa;
    }
}

void rec_float_sum_join(struct rec_float_sum *into, const struct rec_float_sum *from)
{
    for (size_t e = 0; e < INFINITE; e++)
        into->by_exponent[e] += from->by_exponent[e];
}

/* Kahan's sum with Neumaier's correction (1974). */
static void add(double *sum, double *rest, double v)
{
    double t = *sum + v;

    *rest += fabs(*sum) >= fabs(v) ? (*sum - t) + v : (v - t) + *sum;
    *sum = t;
}

double rec_float_sum_value(const struct rec_float_sum *s)
{
    double sum = 0, rest = 0;

    for (int e = INFINITE - 1; e >= 0; e--) {
        int64_t v = s->by_exponent[e];
        int64_t high = v / (INT64_C(1) << 32), low = v % (INT64_C(1) << 32);
        int power = SMALLEST + (e > 0 ? e - 1 : 0);
        if (v == 0)
            continue;
        add(&sum, &rest, ldexp((double) high, power + 32));
        add(&sum, &rest, ldexp((double) low, power));
    }
    return sum + rest;
}
