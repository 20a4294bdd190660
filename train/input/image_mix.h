/*
 * train/input/image_mix.h - images of a training batch mixed of two, with two labels.
 *
 * The Model Garden's MixupAndCutmix (augment/mixup.h): a batch is mixed with `prob`, by mixup or by
 * CutMix, with equal chances where both alphas are given.  Partners are rows of the batch of all
 * ranks, so that ranks make what one process would; a rank then reads its partners' images, too.
 */
#ifndef IN_IMAGE_MIX_H
#define IN_IMAGE_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/rank.h"
#include "train/models/hparams.h"

struct in_mix {
    double mixup_alpha, cutmix_alpha; /* 0: not that one */
    double prob;
};

/* hparams mixup_alpha, cutmix_alpha, mixup_prob; T2_EUSAGE: out of range. */
T2_MUST_CHECK enum t2_status in_mix_of(const struct mdl_hparams *hp, struct in_mix *mix,
                                       struct t2_err *err);
bool in_mix_wanted(const struct in_mix *mix);

/* Rows `first` to first + n - 1 of a batch of n_all square images, as one rank has them, and those
 * rows of other ranks that are partners of one of them: in_mix_partners.  Of n_all = n there are
 * none. */
struct in_mix_batch {
    int32_t n_all, size, channels;
    struct in_span own, partners;
    float *images;                 /* (own.n, size, size, channels) */
    float *partner_images;         /* (partners.n, size, size, channels); changed, too */
    const int32_t *labels;         /* (own.n) */
    const int32_t *partner_labels; /* (partners.n) */
    /* what is made besides: */
    int32_t *other; /* (own.n): the label of the partner */
    float *weights; /* (own.n): how much the own label counts; 1 where nothing is mixed */
};

/* Partner of row i is row n_all - 1 - i.  The partners that are not own rows: one span, since both
 * the own rows and their partners are one. */
struct in_span in_mix_partners(int32_t n_all, struct in_span own);

/* Is this batch mixed?  (seed, epoch, index) name the random numbers: those of the first image of
 * the batch of all ranks. */
struct in_mix_name {
    uint64_t seed, epoch, index;
};
bool in_mix_happens(const struct in_mix *mix, const struct in_mix_name *name);

/* Images are looked at only when it is. */
void in_mix_images(const struct in_mix *mix, const struct in_mix_name *name,
                   const struct in_mix_batch *b);

#endif
