/*
 * train/device/rules/noise_draw.h - noise on gradients or weights: numbers of a normal distribution
 * cut at two deviations, as tf.truncated_normal.
 *
 * Number i is a function of (seed, step, kind, i), so any device draws it alone and neither
 * threads, nor pieces, nor a resumed run change it.  Two neighbours share a Philox block, each with
 * two words of it (Box-Muller); a number beyond two deviations, one in 22, is drawn again from the
 * block of the next attempt.
 */
#ifndef DEV_RULES_NOISE_DRAW_H
#define DEV_RULES_NOISE_DRAW_H

#include <math.h>
#include <stdint.h>

#include "base/philox.h"

enum dev_noise_kind { DEV_NOISE_GRADIENT, DEV_NOISE_WEIGHT };

/* A stream, and the block of it that was computed last. */
struct dev_noise {
    uint32_t key[2], step[2];
    enum dev_noise_kind kind;
    uint64_t pair;     /* of numbers that `words` are for; at first none */
    uint32_t words[4]; /* of attempt 0 */
};

static inline struct dev_noise dev_noise_of(const uint32_t key[2], const uint32_t step[2],
                                            enum dev_noise_kind kind)
{
    struct dev_noise d;

    d.key[0] = key[0];
    d.key[1] = key[1];
    d.step[0] = step[0];
    d.step[1] = step[1];
    d.kind = kind;
    d.pair = UINT64_MAX;
    return d;
}

static inline void dev_noise_block(const struct dev_noise *d, uint64_t pair, uint32_t attempt,
                                   uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t) pair, d->step[0],
                                 (uint32_t) (pair >> 32 & 0xffff) | (uint32_t) d->kind << 16 |
                                     attempt << 20,
                                 d->step[1]};

    t2_philox_block(counter, d->key, words);
}

/* Number i; numbers in ascending order are drawn fastest. */
static inline float dev_noise_draw(struct dev_noise *d, uint64_t i)
{
    const uint64_t pair = i / 2;
    uint32_t again[4], *words = d->words;
    double z;

    if (pair != d->pair)
        dev_noise_block(d, pair, 0, d->words);
    d->pair = pair;
    for (uint32_t attempt = 1;; attempt++) {
        /* the half keeps the logarithm's argument off 0 */
        double u = ((double) words[i % 2 * 2] + 0.5) * 0x1p-32;
        double angle = (double) words[i % 2 * 2 + 1] * 0x1p-32 * 6.283185307179586477;

        z = sqrt(-2.0 * log(u)) * cos(angle);
        if (fabs(z) < 2.0)
            return (float) z;
        words = again;
        dev_noise_block(d, pair, attempt, again);
    }
}

/* x[k] += scale times number first + k */
static inline void dev_add_noise(struct dev_noise d, int64_t first, float scale, float *x,
                                 int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        x[k] += scale * dev_noise_draw(&d, (uint64_t) (first + k));
}

#endif
