/*
 * audio/log_mel.h - what a speech model sees of a waveform: logarithms of mel bands, their first
 * and second differences, normalised (T2T's layers/common_audio.py and the preprocess_example of
 * speech_recognition.py; spec t2t-trainer.md §6.2).
 *
 *   y[i] = x[i + 1] - 0.97 x[i]                                          n - 1 samples
 *   frames of 25 ms every 10 ms, the last filled up with zeros, times a periodic Hann window
 *   magnitudes of the 512-point spectrum -> 80 triangles on the HTK mel scale, 20 to 8000 Hz
 *   log(max(0.001, .)); the band itself, its delta and its delta's delta, as filters of length 1
 *   each of the 240 less its mean, over its standard deviation
 */
#ifndef AUD_LOG_MEL_H
#define AUD_LOG_MEL_H

#include <stddef.h>
#include <stdint.h>

#include "audio/log_mel_kernel.h"

enum { AUD_MEL_CHANNELS = 3, AUD_PAD_FRAMES = 250 };

/* T of a waveform of n samples; 0 of fewer than 2.  The features have AUD_PAD_FRAMES more, all 0.
 */
size_t aud_mel_frames(size_t n);

/* x (n) -> out (T, 80), before differences and normalisation. */
void aud_log_mel(const float *x, size_t n, float *out);

/* Zero-initialise, use again, release. */
struct aud_mel_scratch {
    float *samples; /* (n) of who calls, and what is made of them */
    float *bands;   /* (T + 8, 80) */
    size_t samples_capacity, bands_capacity;
};
void aud_mel_scratch_release(struct aud_mel_scratch *s);

/* x (n) -> out (T + AUD_PAD_FRAMES, 80, 3). */
void aud_speech_features(const float *x, size_t n, struct aud_mel_scratch *s, float *out);

/* Adds noise of standard deviation 1/32767, the original's dither: each sample has the sum of four
 * uniform numbers (its fourth moment is a sixth below a Gaussian's), which (seed, step, index)
 * name. */
void aud_dither(float *x, size_t n, uint64_t seed, uint64_t step, uint64_t index);

/* The weights (257, 80) of the bands, for tests. */
void aud_mel_matrix(float *out);

#endif
