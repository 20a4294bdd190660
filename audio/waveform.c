/*
 * audio/waveform.c - a sound file as 16 kHz, one channel, 16 bits.
 */
#include "audio/waveform.h"

#include <math.h>
#include <string.h>

#include "audio/resample_rate.h"
#include "base/alloc.h"

static void need(struct aud_waveform *w, size_t n)
{
    if (n > w->capacity) {
        w->capacity = n;
        w->samples = t2_realloc(w->samples, n, sizeof *w->samples);
    }
    w->n = n;
}

/* The mean of the channels -> mono (n), full scale is 1. */
static void mix_down(const struct aud_sound *s, float *mono)
{
    size_t channels = (size_t) s->channels;

    for (size_t i = 0; i < s->n; i++) {
        float sum = 0;

        for (size_t c = 0; c < channels; c++) {
            size_t at = i * channels + c;
            sum += s->is_pcm16 ? (float) s->pcm[at] / (INT16_MAX + 1) : s->samples[at];
        }
        mono[i] = sum / (float) channels;
    }
}

/* NaN becomes 0. */
static int16_t rounded(float x)
{
    float scaled = rintf(x * (INT16_MAX + 1));

    if (!(scaled > INT16_MIN))
        return scaled <= INT16_MIN ? INT16_MIN : 0;
    return scaled < INT16_MAX ? (int16_t) scaled : INT16_MAX;
}

static enum t2_status convert(struct aud_waveform *w, struct t2_err *err)
{
    const struct aud_sound *s = &w->sound;
    float *mono = t2_alloc(s->n, sizeof *mono), *resampled = NULL;
    size_t n = s->n;
    enum t2_status st = T2_OK;

    mix_down(s, mono);
    if (s->rate != AUD_RATE)
        st = aud_resample(mono, s->n, s->rate, AUD_RATE, &resampled, &n, err);
    if (st == T2_OK && n == 0)
        st = t2_fail(err, T2_EFORMAT, "a sound of %zu samples is too short", s->n);
    if (st == T2_OK) {
        need(w, n);
        for (size_t i = 0; i < n; i++)
            w->samples[i] = rounded(resampled ? resampled[i] : mono[i]);
    }
    t2_free(resampled);
    t2_free(mono);
    return st;
}

enum t2_status aud_waveform_read(const uint8_t *file, size_t len_bytes, struct aud_waveform *w,
                                 struct t2_err *err)
{
    struct aud_sound *s = &w->sound;

    T2_TRY(aud_sound_read(file, len_bytes, s, err));
    if (s->channels != 1 || s->rate != AUD_RATE || !s->is_pcm16)
        return convert(w, err);
    need(w, s->n);
    memcpy(w->samples, s->pcm, s->n * sizeof *w->samples);
    return T2_OK;
}

void aud_waveform_release(struct aud_waveform *w)
{
    aud_sound_release(&w->sound);
    t2_free(w->samples);
    *w = (struct aud_waveform){0};
}
