/*
 * audio/spec_augment.h - SpecAugment without its time warp: bands of frequency and spans of time
 * become 0, which is the mean of normalised features (Park et al. 2019).
 */
#ifndef AUD_SPEC_AUGMENT_H
#define AUD_SPEC_AUGMENT_H

#include <stddef.h>
#include <stdint.h>

/* Zeros: nothing is masked. */
struct aud_spec_augment {
    int32_t n_frequency, frequency_width; /* masks, each of 0 .. width bands */
    int32_t n_time, time_width;           /* masks, each of 0 .. width frames */
    double most_time;                     /* but at most this part of the frames */
};

/* x (T, 80, 3), in place.  (seed, step, index) name the random numbers. */
void aud_spec_augment(const struct aud_spec_augment *a, float *x, size_t T, uint64_t seed,
                      uint64_t step, uint64_t index);

#endif
