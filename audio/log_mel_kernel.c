/*
 * audio/log_mel_kernel.c - spectra of AUD_LANES frames side by side, and what follows.
 *
 * Compiled once per CPU variant.  Every number is AUD_LANES of them, one for each frame, so plain
 * loops over the lanes are vectors and the transform needs no shuffles.  A real transform of 512
 * samples is a complex one of 256 (even samples the real parts, odd ones the imaginary), by four
 * stages of radix 4 (decimation in time), and one more step that takes the two apart.
 */
#include "audio/log_mel_kernel.h"

#include <math.h>
#include <string.h>

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)
#define INLINE static inline __attribute__((always_inline))

enum { L = AUD_LANES, COLUMNS = 3 * AUD_MEL_BANDS };

struct spectrum {
    float re[AUD_HALF][L], im[AUD_HALF][L];
};

/* ---- the transform ---- */

static void load(const struct aud_mel_tables *t, const float *y, struct spectrum *z)
{
    memset(z, 0, sizeof *z);
    for (size_t i = 0; i < AUD_FRAME / 2; i++) {
        float w0 = t->window[2 * i], w1 = t->window[2 * i + 1];
        float *re = z->re[t->place[i]], *im = z->im[t->place[i]];

        for (size_t l = 0; l < L; l++) {
            re[l] = w0 * y[l * AUD_STEP + 2 * i];
            im[l] = w1 * y[l * AUD_STEP + 2 * i + 1];
        }
    }
}

/* Four points, those at 1, 2, 3 turned by the twiddles w first. */
INLINE void butterfly(struct spectrum *z, const size_t at[4], const float wr[4], const float wi[4])
{
    float *restrict ar = z->re[at[0]], *restrict ai = z->im[at[0]];
    float *restrict br = z->re[at[1]], *restrict bi = z->im[at[1]];
    float *restrict cr = z->re[at[2]], *restrict ci = z->im[at[2]];
    float *restrict dr = z->re[at[3]], *restrict di = z->im[at[3]];

    for (size_t l = 0; l < L; l++) {
        float b_re = br[l] * wr[1] - bi[l] * wi[1], b_im = br[l] * wi[1] + bi[l] * wr[1];
        float c_re = cr[l] * wr[2] - ci[l] * wi[2], c_im = cr[l] * wi[2] + ci[l] * wr[2];
        float d_re = dr[l] * wr[3] - di[l] * wi[3], d_im = dr[l] * wi[3] + di[l] * wr[3];
        float sum_re = ar[l] + c_re, sum_im = ai[l] + c_im;
        float less_re = ar[l] - c_re, less_im = ai[l] - c_im;
        float odd_re = b_re + d_re, odd_im = b_im + d_im;
        float turn_re = b_im - d_im, turn_im = d_re - b_re; /* (b - d) times -i */

        ar[l] = sum_re + odd_re;
        ai[l] = sum_im + odd_im;
        br[l] = less_re + turn_re;
        bi[l] = less_im + turn_im;
        cr[l] = sum_re - odd_re;
        ci[l] = sum_im - odd_im;
        dr[l] = less_re - turn_re;
        di[l] = less_im - turn_im;
    }
}

static void transform(const struct aud_mel_tables *t, struct spectrum *z)
{
    for (size_t quarter = 1; quarter < AUD_HALF; quarter *= 4) {
        size_t stride = AUD_HALF / (4 * quarter);

        for (size_t k = 0; k < quarter; k++) {
            float wr[4], wi[4];

            for (size_t j = 1; j < 4; j++) {
                wr[j] = t->cosine[j * k * stride];
                wi[j] = t->sine[j * k * stride];
            }
            for (size_t from = k; from < AUD_HALF; from += 4 * quarter) {
                size_t at[] = {from, from + quarter, from + 2 * quarter, from + 3 * quarter};
                butterfly(z, at, wr, wi);
            }
        }
    }
}

/* ---- bands ---- */

/* Magnitude of line k of the real transform, of the complex points k and 256 - k. */
INLINE void line(const struct aud_mel_tables *t, const struct spectrum *z, size_t k, float *out)
{
    const float *a_re = z->re[k % AUD_HALF], *a_im = z->im[k % AUD_HALF];
    const float *b_re = z->re[(AUD_HALF - k) % AUD_HALF], *b_im = z->im[(AUD_HALF - k) % AUD_HALF];
    float w_re = k < AUD_HALF ? t->turn_re[k] : -1, w_im = k < AUD_HALF ? t->turn_im[k] : 0;

    for (size_t l = 0; l < L; l++) {
        float even_re = a_re[l] + b_re[l], even_im = a_im[l] - b_im[l];
        float odd_re = a_im[l] + b_im[l], odd_im = b_re[l] - a_re[l];
        float re = even_re + odd_re * w_re - odd_im * w_im;
        float im = even_im + odd_re * w_im + odd_im * w_re;

        out[l] = 0.5f * sqrtf(re * re + im * im);
    }
}

/* log(x) of a normal number: of its mantissa m in [sqrt(1/2), sqrt(2)) as
 * 2 artanh((m - 1) / (m + 1)), whose series ends below a float's last bit. */
INLINE void logarithms(float *x)
{
    for (size_t l = 0; l < L; l++) {
        int32_t bits, exponent;
        float m, s, q, least = x[l] > 0.001f ? x[l] : 0.001f;

        memcpy(&bits, &least, sizeof bits);
        exponent = (bits - 0x3f3504f3) >> 23; /* the bits of sqrt(1/2) */
        bits -= exponent * (1 << 23);
        memcpy(&m, &bits, sizeof m);
        s = (m - 1) / (m + 1);
        q = s * s;
        q = ((((2.0f / 11 * q + 2.0f / 9) * q + 2.0f / 7) * q + 2.0f / 5) * q + 2.0f / 3) * q * s +
            2 * s;
        x[l] = q + (float) exponent * 0.693147180559945f;
    }
}

static void bands(const struct aud_mel_tables *t, const float *y, float *out)
{
    struct spectrum z;

    load(t, y, &z);
    transform(t, &z);
    memset(out, 0, (size_t) AUD_MEL_BANDS * L * sizeof *out);
    for (size_t k = 1; k <= AUD_HALF; k++) {
        float magnitude[L];
        int band = t->band[k];

        line(t, &z, k, magnitude);
        for (size_t l = 0; l < L && band < AUD_MEL_BANDS; l++)
            out[(size_t) band * L + l] += t->rising[k] * magnitude[l];
        for (size_t l = 0; l < L && band > 0; l++)
            out[(size_t) (band - 1) * L + l] += t->falling[k] * magnitude[l];
    }
    for (size_t b = 0; b < AUD_MEL_BANDS; b++)
        logarithms(out + b * L);
}

/* ---- along time ---- */

static void differences(const struct aud_mel_tables *t, const float *x, size_t T, float *out)
{
    const float *restrict row = x;
    float first[AUD_MEL_BANDS], second[AUD_MEL_BANDS];

    for (size_t i = 0; i < T; i++, row += AUD_MEL_BANDS) {
        float *restrict to = out + i * COLUMNS;

        memset(first, 0, sizeof first);
        memset(second, 0, sizeof second);
        for (size_t k = 0; k < AUD_TAPS; k++)
            for (size_t b = 0; b < AUD_MEL_BANDS; b++) {
                first[b] += t->delta[k] * row[k * AUD_MEL_BANDS + b];
                second[b] += t->delta_delta[k] * row[k * AUD_MEL_BANDS + b];
            }
        for (size_t b = 0; b < AUD_MEL_BANDS; b++) {
            to[3 * b] = row[AUD_TAPS / 2 * AUD_MEL_BANDS + b];
            to[3 * b + 1] = first[b];
            to[3 * b + 2] = second[b];
        }
    }
}

static void normalise(float *x, size_t T)
{
    double sum[COLUMNS] = {0}, squares[COLUMNS] = {0};
    float mean[COLUMNS], scale[COLUMNS];

    for (size_t i = 0; i < T; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            sum[c] += (double) x[i * COLUMNS + c];
    for (size_t c = 0; c < COLUMNS; c++)
        mean[c] = (float) (sum[c] / (double) T);
    for (size_t i = 0; i < T; i++)
        for (size_t c = 0; c < COLUMNS; c++) {
            float less = x[i * COLUMNS + c] - mean[c];
            squares[c] += (double) (less * less);
        }
    for (size_t c = 0; c < COLUMNS; c++)
        scale[c] = (float) (1 / sqrt(squares[c] / (double) T + 1e-9));
    for (size_t i = 0; i < T; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            x[i * COLUMNS + c] = (x[i * COLUMNS + c] - mean[c]) * scale[c];
}

const struct aud_mel_kernel CAT(aud_mel_kernel, DEV_CPU_VARIANT) = {bands, differences, normalise};
