/*
 * audio/spec_augment.c - masks of frequency and time.
 */
#include "audio/spec_augment.h"

#include <string.h>

#include "audio/log_mel.h"
#include "base/rng.h"

enum { COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };

/* A span of 0 .. most places of n, uniformly long and uniformly placed. */
static size_t draw_span(struct t2_rng *r, size_t n, size_t most, size_t *from)
{
    size_t width = (size_t) t2_rng_below(r, (most < n ? most : n) + 1);

    *from = (size_t) t2_rng_below(r, n - width + 1);
    return width;
}

void aud_spec_augment(const struct aud_spec_augment *a, float *x, size_t T, uint64_t seed,
                      uint64_t step, uint64_t index)
{
    size_t most = (size_t) (a->most_time * (double) T), from, n;
    struct t2_rng r;

    t2_rng_init(&r, seed, T2_RNG_MIX, step, index);
    if ((size_t) a->time_width < most)
        most = (size_t) a->time_width;
    for (int32_t i = 0; i < a->n_frequency; i++) {
        n = draw_span(&r, AUD_MEL_BANDS, (size_t) a->frequency_width, &from);
        for (size_t t = 0; t < T; t++)
            memset(x + t * COLUMNS + from * AUD_MEL_CHANNELS, 0, n * AUD_MEL_CHANNELS * sizeof *x);
    }
    for (int32_t i = 0; i < a->n_time; i++) {
        n = draw_span(&r, T, most, &from);
        memset(x + from * COLUMNS, 0, n * COLUMNS * sizeof *x);
    }
}
