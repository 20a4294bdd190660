/*
 * train/device/draw_bits.h - number i of a random stream, for what a step draws beside dropout
 * masks: the same numbers as t2_rng gives one after another.
 */
#ifndef DEV_DRAW_BITS_H
#define DEV_DRAW_BITS_H

#include <math.h>

#include "base/philox.h"
#include "train/device/kernels.h"

/* The words of block `block` of stream (key, step, number); the layout of t2_rng_init. */
static inline void dev_draw_words(const struct dev_step *step, const uint32_t key[2],
                                  uint32_t number, uint64_t block, uint32_t words[4])
{
    uint32_t counter[4] = {(uint32_t) block, step->dropout_step[0], number, step->dropout_step[1]};

    t2_philox_block(counter, key, words);
}

/* t2_rng_uniform number i: [0, 1), 24 bits. */
static inline float dev_draw_uniform(const struct dev_step *step, const uint32_t key[2],
                                     uint32_t number, uint64_t i)
{
    uint32_t words[4];

    dev_draw_words(step, key, number, i / 4, words);
    return (float) (words[i % 4] >> 8) * 0x1p-24f;
}

/* t2_rng_uniform_double number i: [0, 1), 53 bits. */
static inline double dev_draw_uniform_double(const struct dev_step *step, const uint32_t key[2],
                                             uint32_t number, uint64_t i)
{
    uint32_t words[4], *two = words + 2 * (i % 2);

    dev_draw_words(step, key, number, i / 2, words);
    return (double) (((uint64_t) two[1] << 32 | two[0]) >> 11) * 0x1p-53;
}

/* t2_rng_normal number i; a device's log and cos may differ from the host's in the last bit of a
 * double. */
static inline float dev_draw_normal(const struct dev_step *step, const uint32_t key[2],
                                    uint32_t number, uint64_t i)
{
    uint32_t words[4], *two = words + 2 * (i % 2);
    double u, angle;

    dev_draw_words(step, key, number, i / 2, words);
    u = ((double) two[0] + 0.5) * 0x1p-32;
    angle = (double) two[1] * 0x1p-32 * 6.283185307179586477;
    return (float) (sqrt(-2.0 * log(u)) * cos(angle));
}

/* n of element i of a tensor (rows,cols) of this rank. */
static inline float dev_normal_of(const struct dev_add_normal_args *a, int64_t i)
{
    uint64_t first = (uint64_t) a->step->first_row * (uint64_t) a->cols;

    return dev_draw_normal(a->step, a->step->branch_key, a->number, first + (uint64_t) i);
}

#endif
