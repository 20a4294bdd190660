/*
 * train/input/image_mix.h - images of a training batch mixed of two, with two labels.
 *
 * The Model Garden's MixupAndCutmix (augment/mixup.h): a batch is mixed with `prob`, by mixup or by
 * CutMix, with equal chances where both alphas are given.
 */
#ifndef IN_IMAGE_MIX_H
#define IN_IMAGE_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

struct in_mix {
    double mixup_alpha, cutmix_alpha; /* 0: not that one */
    double prob;
};

/* hparams mixup_alpha, cutmix_alpha, mixup_prob; T2_EUSAGE: out of range. */
T2_MUST_CHECK enum t2_status in_mix_of(const struct mdl_hparams *hp, struct in_mix *mix,
                                       struct t2_err *err);
bool in_mix_wanted(const struct in_mix *mix);

/* n square images (n, size, size, channels) with labels; other and weights (n) are what is made
 * besides: the label of the partner, and how much the own one counts (1 in a batch that is not
 * mixed). */
struct in_mix_batch {
    int32_t n, size, channels;
    float *images;
    const int32_t *labels;
    int32_t *other;
    float *weights;
};

/* (seed, epoch, index) name the random numbers: those of the batch's first image. */
void in_mix_images(const struct in_mix *mix, uint64_t seed, uint64_t epoch, uint64_t index,
                   const struct in_mix_batch *b);

#endif
