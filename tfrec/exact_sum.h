/*
 * tfrec/exact_sum.h - sums that do not depend on the order of what is added.
 */
#ifndef REC_EXACT_SUM_H
#define REC_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 rec_i128; /* sums of int64: room for 2^64 of them */

/* Floats, each added to the whole number that belongs to its exponent: nothing is rounded before
 * the end. Room for 2^39 floats of one exponent.  Zero-initialise. */
struct rec_float_sum {
    int64_t by_exponent[256];
};
void rec_float_sum_add(struct rec_float_sum *s, const float *v, size_t n); /* finite ones only */
void rec_float_sum_join(struct rec_float_sum *into, const struct rec_float_sum *from);
double rec_float_sum_value(const struct rec_float_sum *s);

#endif
