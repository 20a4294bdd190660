/*
 * audio/waveform.h - a sound file as Tensor2Tensor's speech problems have it: 16,000 samples a
 * second, one channel, 16 bits (data_generators/speech_recognition.py, where sox makes that of it).
 *
 * Files of that kind keep their bits.  Of others the channels are averaged, and the mean is
 * resampled and rounded.
 */
#ifndef AUD_WAVEFORM_H
#define AUD_WAVEFORM_H

#include "audio/sound_file.h"

enum { AUD_RATE = 16000, AUD_FULL_SCALE = 32767 };

/* Zero-initialise, use again, release. */
struct aud_waveform {
    size_t n;
    int16_t *samples; /* (n) */
    size_t capacity;  /* inside */
    struct aud_sound sound;
};
void aud_waveform_release(struct aud_waveform *w);

/* T2_EFORMAT, T2_EUNSUPPORTED as aud_sound_read and aud_resample. */
T2_MUST_CHECK enum t2_status aud_waveform_read(const uint8_t *file, size_t len_bytes,
                                               struct aud_waveform *w, struct t2_err *err);

/* What a record holds of a sample. */
static inline float aud_float(int16_t sample)
{
    return (float) sample / (float) AUD_FULL_SCALE;
}

#endif
