/*
 * tests/support/wave_file.h - WAV files of 16 bits, as bytes: RIFF header, then the samples.
 */
#ifndef T2_TESTS_WAVE_FILE_H
#define T2_TESTS_WAVE_FILE_H

#include <math.h>

#include "base/buf.h"

static inline void wave_le(struct t2_buf *b, uint32_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(b, (uint8_t) (value >> (8 * i)));
}

/* samples (n, channels) */
static inline void wave_put(struct t2_buf *b, const int16_t *samples, size_t n, int channels,
                            int rate)
{
    uint32_t bytes = (uint32_t) (n * (size_t) channels * 2);

    t2_buf_puts(b, "RIFF");
    wave_le(b, 36 + bytes, 4);
    t2_buf_puts(b, "WAVEfmt ");
    wave_le(b, 16, 4);
    wave_le(b, 1, 2); /* PCM */
    wave_le(b, (uint32_t) channels, 2);
    wave_le(b, (uint32_t) rate, 4);
    wave_le(b, (uint32_t) (rate * channels * 2), 4);
    wave_le(b, (uint32_t) (channels * 2), 2);
    wave_le(b, 16, 2);
    t2_buf_puts(b, "data");
    wave_le(b, bytes, 4);
    for (size_t i = 0; i < n * (size_t) channels; i++)
        wave_le(b, (uint16_t) samples[i], 2);
}

/* A tone of `hz`, of a third of full scale. */
static inline void wave_tone(int16_t *samples, size_t n, double hz, int rate)
{
    for (size_t i = 0; i < n; i++)
        samples[i] = (int16_t) lrint(10923 * sin(2 * 3.14159265358979 * hz * (double) i / rate));
}

#endif
