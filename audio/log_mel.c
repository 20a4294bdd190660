/*
 * audio/log_mel.c - see the header; the loops are in log_mel_kernel.c.
 */
#include "audio/log_mel.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/rng.h"

static const double rate_hz = 16000, lower_hz = 20, upper_hz = 8000, preemphasis = 0.97;
static const double pi = 3.14159265358979323846;
enum { MARGIN = AUD_TAPS / 2, COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };

static const struct aud_mel_kernel *kernel(void)
{
#define CASE(name, cpu)                                                                            \
    case cpu:                                                                                      \
        return &aud_mel_kernel_##name;
    switch (t2_cpu_variant()) {
        T2_CPU_EACH(CASE)
    default:
        return &aud_mel_kernel_generic;
    }
}

/* ---- tables ---- */

static struct aud_mel_tables tables;
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static double mel_of(double hz)
{
    return 1127 * log(1 + hz / 700);
}

/* A line between the edges e[b] and e[b + 1], which lie evenly in mel, is on the rising side of
 * band b, whose centre is e[b + 1], and on the falling one of the band below. */
static void make_bands(struct aud_mel_tables *t)
{
    double low = mel_of(lower_hz), step = (mel_of(upper_hz) - low) / (AUD_MEL_BANDS + 1);

    for (int k = 0; k <= AUD_HALF; k++) {
        double place = (mel_of(k * rate_hz / AUD_FFT) - low) / step;
        double edge = floor(place);

        t->band[k] = AUD_MEL_BANDS + 1; /* outside: no weight */
        if (k == 0 || place < 0 || place > AUD_MEL_BANDS + 1)
            continue;
        edge = edge > AUD_MEL_BANDS ? AUD_MEL_BANDS : edge;
        t->band[k] = (int16_t) edge;
        t->rising[k] = (float) (place - edge);
        t->falling[k] = (float) (1 - (place - edge));
    }
}

/* Filters of length 1; the original divides each by its norm. */
static void make_filters(struct aud_mel_tables *t)
{
    static const double slope[] = {2, 1, 0, -1, -2};
    double twice[AUD_TAPS] = {0}, norm = 0;
    enum { N = sizeof slope / sizeof *slope };

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            twice[i + j] += slope[i] * slope[j];
    for (int i = 0; i < AUD_TAPS; i++)
        norm += twice[i] * twice[i];
    for (int i = 0; i < N; i++)
        t->delta[i + (AUD_TAPS - N) / 2] = (float) (slope[i] / sqrt(10.0));
    for (int i = 0; i < AUD_TAPS; i++)
        t->delta_delta[i] = (float) (twice[i] / sqrt(norm));
}

static void make_tables(void)
{
    struct aud_mel_tables *t = &tables;

    for (int i = 0; i < AUD_FRAME; i++)
        t->window[i] = (float) (0.5 - 0.5 * cos(2 * pi * i / AUD_FRAME));
    for (unsigned i = 0; i < AUD_QUARTER; i++)
        t->place[i] = (uint16_t) ((i & 3) << 6 | (i >> 2 & 3) << 4 | (i >> 4 & 3) << 2);
    for (unsigned i = 0; i < AUD_HALF; i++) {
        t->cosine[i] = (float) cos(2 * pi * i / AUD_HALF);
        t->sine[i] = (float) -sin(2 * pi * i / AUD_HALF);
        t->turn_re[i] = (float) cos(2 * pi * i / AUD_FFT);
        t->turn_im[i] = (float) -sin(2 * pi * i / AUD_FFT);
    }
    make_bands(t);
    make_filters(t);
}

static const struct aud_mel_tables *get_tables(void)
{
    pthread_once(&tables_made, make_tables);
    return &tables;
}

void aud_mel_matrix(float *out)
{
    const struct aud_mel_tables *t = get_tables();

    memset(out, 0, (size_t) (AUD_HALF + 1) * AUD_MEL_BANDS * sizeof *out);
    for (size_t k = 0; k <= AUD_HALF; k++) {
        float *row = out + k * AUD_MEL_BANDS;

        if (t->band[k] < AUD_MEL_BANDS)
            row[t->band[k]] = t->rising[k];
        if (t->band[k] > 0 && t->band[k] <= AUD_MEL_BANDS)
            row[t->band[k] - 1] = t->falling[k];
    }
}

/* ---- features ---- */

size_t aud_mel_frames(size_t n)
{
    return n > 1 ? (n - 1 + AUD_STEP - 1) / AUD_STEP : 0;
}

static void need(float **items, size_t *capacity, size_t n)
{
    if (n <= *capacity)
        return;
    t2_free(*items);
    *items = t2_alloc(n, sizeof **items);
    *capacity = n;
}

/* y with as many zeros behind it as the lanes of the last frames read. */
static void emphasise(const float *x, size_t n, struct aud_mel_scratch *s)
{
    size_t room = (aud_mel_frames(n) + AUD_MOST_LANES) * AUD_STEP + AUD_FRAME;
    const float factor = (float) preemphasis;

    need(&s->samples, &s->samples_capacity, room);
    for (size_t i = 0; i + 1 < n; i++)
        s->samples[i] = x[i + 1] - factor * x[i];
    memset(s->samples + n - 1, 0, (room - n + 1) * sizeof *s->samples);
}

/* out (T, AUD_MEL_BANDS) */
static void make_log_mel(const float *x, size_t n, struct aud_mel_scratch *s, float *out)
{
    const struct aud_mel_tables *t = get_tables();
    const struct aud_mel_kernel *k = kernel();
    size_t frames = aud_mel_frames(n);
    float last[AUD_MOST_LANES * AUD_MEL_BANDS];
    size_t first = 0;

    if (frames == 0)
        return;
    emphasise(x, n, s);
    for (; first + k->lanes <= frames; first += k->lanes)
        k->bands(t, s->samples + first * AUD_STEP, out + first * AUD_MEL_BANDS);
    if (first == frames)
        return;
    k->bands(t, s->samples + first * AUD_STEP, last);
    memcpy(out + first * AUD_MEL_BANDS, last, (frames - first) * AUD_MEL_BANDS * sizeof *last);
}

void aud_log_mel(const float *x, size_t n, float *out)
{
    struct aud_mel_scratch s = {0};

    make_log_mel(x, n, &s, out);
    aud_mel_scratch_release(&s);
}

void aud_speech_features(const float *x, size_t n, struct aud_mel_scratch *s, float *out)
{
    const size_t margin = (size_t) MARGIN * AUD_MEL_BANDS;
    size_t frames = aud_mel_frames(n), bands = frames * AUD_MEL_BANDS;

    need(&s->bands, &s->bands_capacity, bands + 2 * margin);
    memset(s->bands, 0, margin * sizeof *s->bands);
    make_log_mel(x, n, s, s->bands + margin);
    memset(s->bands + margin + bands, 0, margin * sizeof *s->bands);
    if (frames > 0) {
        kernel()->differences(get_tables(), s->bands, frames, out);
        kernel()->normalise(out, frames);
    }
    memset(out + frames * COLUMNS, 0, (size_t) AUD_PAD_FRAMES * COLUMNS * sizeof *out);
}

void aud_mel_scratch_release(struct aud_mel_scratch *s)
{
    t2_free(s->samples);
    t2_free(s->bands);
    *s = (struct aud_mel_scratch){0};
}

void aud_dither(float *x, size_t n, uint64_t seed, uint64_t step, uint64_t index)
{
    /* Four uniform numbers of [0, 65536) have the variance 65536^2 / 3. */
    const float scale = (float) (sqrt(3.0) / 65536 / 32767);
    const float centre = 4 * 65535 / 2.0f;
    struct t2_rng r;

    t2_rng_init(&r, seed, T2_RNG_AUGMENT, step, index);
    for (size_t i = 0; i < n; i++) {
        uint32_t a = t2_rng_u32(&r), b = t2_rng_u32(&r);
        float sum = (float) ((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16));

        x[i] += (sum - centre) * scale;
    }
}
