/*
 * tests/support/piece_tables.h - a small table of pieces for the tests of optimizer kernels.
 */
#ifndef T2_TESTS_SUPPORT_PIECE_TABLES_H
#define T2_TESTS_SUPPORT_PIECE_TABLES_H

#include <string.h>

#include "tests/support/op_check.h"
#include "train/device/kernels.h"

/* Four variables in an arena of PIECES_FLOATS: 5 elements; 32768 + 127 in two pieces; 1; 64.
 * Between them there are elements that belong to nobody. */
enum { PIECES_N = 5, PIECES_VARIABLES = 4, PIECES_FLOATS = 64 + 32768 + 128 + 64 + 64 };

static const struct dev_piece pieces_table[PIECES_N] = {
    {.offset = 0, .n = 5, .first = 0, .decay = 0.0, .shrink = 0.5F, .variable = 0, .noisy = true},
    {.offset = 64, .n = 32768, .first = 5, .decay = 0.25, .variable = 1, .noisy = false},
    {.offset = 64 + 32768, .n = 127, .first = 32773, .decay = 0.25, .variable = 1, .noisy = false},
    {.offset = 64 + 32768 + 128,
     .n = 1,
     .first = 32900,
     .decay = 0.5,
     .variable = 2,
     .noisy = true},
    {.offset = 64 + 32768 + 192, .n = 64, .first = 32901, .decay = 0.0, .variable = 3}};

/* A buffer of the call that holds a struct. */
static inline void pieces_add(struct op_call *c, const void *from, size_t bytes, bool output)
{
    int64_t n = (int64_t) (bytes / sizeof(float));

    memcpy(output ? op_out(c, n, true, 1) : op_in(c, n, 1), from, bytes);
}

/* Without a grid in common: sums of squares are rounded, so their order shows. */
static inline float *pieces_spread(float *x)
{
    for (int i = 0; i < PIECES_FLOATS; i++)
        x[i] *= 3.3333333F * x[i] * x[i] * x[i] * x[i];
    return x;
}

/* An arena that is read. */
static inline float *pieces_in(struct op_call *c, uint64_t seed)
{
    return pieces_spread(op_in(c, PIECES_FLOATS, seed));
}

/* An arena that is read and written, of values away from 0 where `positive`. */
static inline float *pieces_arena(struct op_call *c, uint64_t seed, bool positive)
{
    float *x = pieces_spread(op_out(c, PIECES_FLOATS, true, seed));

    for (int i = 0; positive && i < PIECES_FLOATS; i++)
        x[i] = 0.1F + (x[i] < 0 ? -x[i] : x[i]);
    return x;
}

#endif
