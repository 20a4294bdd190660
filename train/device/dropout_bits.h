/*
 * train/device/dropout_bits.h - which 16 bits decide over element i of a dropout mask.
 *
 * Elements go in groups of 128.  Group g uses the 16 Philox blocks 16 g .. 16 g + 15; lane l = i %
 * 16 of the group takes block 16 g + l, and its j-th element (j = i / 16 % 8) takes half j % 2 of
 * word j / 2.  So 16 neighbours use one half-word of 16 neighbouring blocks: a vector, no
 * shuffling; and a device that computes one element alone needs one block.
 */
#ifndef DEV_DROPOUT_BITS_H
#define DEV_DROPOUT_BITS_H

#include "base/philox.h"
#include "train/device/kernels.h"

/* A row of a mask that rows share begins a group, and so does a pair (element, head) of attention:
 * what `n` elements take. */
static inline uint64_t dev_dropout_cols(uint64_t n)
{
    return (n + 127) / 128 * 128;
}

/* Numbers in the mask of attention's weights of a pair (b,h): rows of Lk, each padded to 16. */
static inline uint64_t dev_dropout_pair(const struct dev_attention *a)
{
    return dev_dropout_cols((uint64_t) a->Lq * (uint64_t) ((a->Lk + 15) / 16 * 16));
}

/* The counter of block `block` of a mask; the same layout as t2_rng_init's. */
static inline void dev_dropout_counter(const struct dev_dropout *d, uint32_t block,
                                       uint32_t counter[4])
{
    counter[0] = block;
    counter[1] = d->step->dropout_step[0];
    counter[2] = d->site;
    counter[3] = d->step->dropout_step[1];
}

/* The number in the mask of the first element that this rank has; threshold is not 0. */
static inline uint64_t dev_dropout_first(const struct dev_dropout *d)
{
    return d->row_numbers == 0 ? 0 : (uint64_t) d->step->first_row * (uint64_t) d->row_numbers;
}

/* The number in the mask of an element of a matrix; threshold is not 0. */
static inline uint64_t dev_dropout_index(const struct dev_dropout *d, uint64_t i)
{
    uint64_t cols = (uint64_t) d->shared_cols, first = dev_dropout_first(d);

    return d->shared_rows == 0
               ? first + i
               : first + i / cols / (uint64_t) d->shared_rows * dev_dropout_cols(cols) + i % cols;
}

/* Plain form: the factor (0 or scale) of element i. */
static inline float dev_dropout_factor(const struct dev_dropout *d, uint64_t i)
{
    uint32_t counter[4], out[4];
    uint32_t j, bits;

    if (d->threshold == 0)
        return 1.0f;
    i = dev_dropout_index(d, i);
    j = (uint32_t) (i / 16 % 8);
    dev_dropout_counter(d, (uint32_t) (i / 128 * 16 + i % 16), counter);
    t2_philox_block(counter, d->step->dropout_key, out);
    bits = (out[j / 2] >> (16 * (j % 2))) & 0xffffu;
    return bits < d->threshold ? 0.0f : d->scale;
}

#endif
