/*
 * audio/log_mel_kernel.h - the inner loops of log_mel.c, once per CPU variant.
 */
#ifndef AUD_LOG_MEL_KERNEL_H
#define AUD_LOG_MEL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

enum {
    AUD_FRAME = 400, /* samples of a frame, and from one to the next */
    AUD_STEP = 160,
    AUD_FFT = 512,
    AUD_HALF = AUD_FFT / 2,     /* points of the complex transform that the real one is made of */
    AUD_QUARTER = AUD_HALF / 4, /* butterflies of a stage */
    AUD_MEL_BANDS = 80,
    AUD_MOST_LANES = 16, /* frames that are transformed side by side */
    AUD_TAPS = 9         /* of a filter along time */
};

/* Constants, by log_mel.c. */
struct aud_mel_tables {
    float window[AUD_FRAME];
    /* Where the inputs i, i + 64, i + 128, i + 192 go, one behind the other: the digits of i to
     * base 4 reversed. */
    uint16_t place[AUD_QUARTER];
    float cosine[AUD_HALF], sine[AUD_HALF];     /* exp(-2 pi i k / 256) */
    float turn_re[AUD_HALF], turn_im[AUD_HALF]; /* exp(-2 pi i k / 512) */
    /* Spectral line k counts rising[k] in band[k] and falling[k] in the one below (where they are).
     */
    int16_t band[AUD_HALF + 1];
    float rising[AUD_HALF + 1], falling[AUD_HALF + 1];
    float delta[AUD_TAPS], delta_delta[AUD_TAPS];
};

struct aud_mel_kernel {
    size_t lanes; /* frames of a call */
    /* Frames at y, y + AUD_STEP, ... -> out (lanes, AUD_MEL_BANDS), logarithms. */
    void (*bands)(const struct aud_mel_tables *t, const float *y, float *out);
    /* x (T + 8, AUD_MEL_BANDS), four rows of zeros at either end -> out (T, 3, AUD_MEL_BANDS) */
    void (*differences)(const struct aud_mel_tables *t, const float *x, size_t T, float *out);
    /* Each column of x (T, 3, AUD_MEL_BANDS) less its mean, over its standard deviation, as (T,
     * AUD_MEL_BANDS, 3) in its place. */
    void (*normalise)(float *x, size_t T);
};

#define DECLARE(name, cpu) extern const struct aud_mel_kernel aud_mel_kernel_##name;
T2_CPU_EACH(DECLARE)
#undef DECLARE

#endif
