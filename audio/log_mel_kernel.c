/*
 * audio/log_mel_kernel.c - spectra of several frames side by side, and what follows.
 *
 * Compiled once per CPU variant.  Every number is a vector of them, one for each frame, so the
 * transform needs no shuffles; frames are turned into such vectors, and bands back into rows, a
 * square of a vector's width at a time.  As many frames as a register has: of sixteen the spectrum
 * would fill a first-level cache of 32 KB, and everything would come from the second.
 *
 * A real transform of 512 samples is a complex one of 256 (even samples the real parts, odd ones
 * the imaginary), by four stages of radix 4 (decimation in time), and one more step that takes the
 * two apart.  The first stage is done where samples are loaded, the last one where lines are taken
 * apart, so the spectrum is written three times and read three times.
 */
#include "audio/log_mel_kernel.h"

#include <math.h>
#include <string.h>

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)
#define INLINE static inline __attribute__((always_inline))

/* SHUFFLE_LOW, SHUFFLE_HIGH: the lower, and the upper, halves of two vectors by turns. */
#if defined(__AVX512F__)
#define LANES 16
#define SHUFFLE_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SHUFFLE_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX2__)
#define LANES 8
#define SHUFFLE_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define SHUFFLE_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LANES 4
#define SHUFFLE_LOW 0, 4, 1, 5
#define SHUFFLE_HIGH 2, 6, 3, 7
#endif

enum { L = LANES, COLUMNS = 3 * AUD_MEL_BANDS, QUARTER = AUD_QUARTER };

_Static_assert(AUD_FRAME % LANES == 0 && AUD_MEL_BANDS % LANES == 0 && LANES <= AUD_MOST_LANES,
               "frames and bands are whole squares of vectors");

typedef float vec __attribute__((vector_size(4 * LANES)));

struct point {
    vec re, im;
};

INLINE vec load(const float *p)
{
    vec x;

    memcpy(&x, p, sizeof x);
    return x;
}

/* ---- squares turned ---- */

/* Of an element's row and column, one behind the other, the bits move one place up. */
INLINE void shuffle(const vec *restrict a, vec *restrict b)
{
    for (size_t i = 0; i < L / 2; i++) {
        b[2 * i] = __builtin_shufflevector(a[i], a[i + L / 2], SHUFFLE_LOW);
        b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + L / 2], SHUFFLE_HIGH);
    }
}

/* Rows become columns when they have moved by half of them. */
INLINE void transpose(vec a[L])
{
    vec b[L];

    shuffle(a, b);
    shuffle(b, a);
#if LANES >= 8
    shuffle(a, b);
#if LANES == 16
    shuffle(b, a);
#else
    memcpy(a, b, sizeof b);
#endif
#endif
}

/* ---- the transform ---- */

/* L samples from `first` on of L frames, windowed; there are none behind the frame. */
INLINE void samples(const struct aud_mel_tables *t, const float *y, size_t first, vec s[L])
{
    if (first >= AUD_FRAME) {
        memset(s, 0, L * sizeof *s);
        return;
    }
    for (size_t l = 0; l < L; l++)
        s[l] = load(y + l * AUD_STEP + first);
    transpose(s);
    for (size_t i = 0; i < L; i++)
        s[i] *= t->window[first + i];
}

/* Four points. */
INLINE void cross(struct point a, struct point b, struct point c, struct point d,
                  struct point out[4])
{
    vec sum_re = a.re + c.re, sum_im = a.im + c.im;
    vec less_re = a.re - c.re, less_im = a.im - c.im;
    vec odd_re = b.re + d.re, odd_im = b.im + d.im;
    vec turn_re = b.im - d.im, turn_im = d.re - b.re; /* (b - d) times -i */

    out[0] = (struct point){sum_re + odd_re, sum_im + odd_im};
    out[1] = (struct point){less_re + turn_re, less_im + turn_im};
    out[2] = (struct point){sum_re - odd_re, sum_im - odd_im};
    out[3] = (struct point){less_re - turn_re, less_im - turn_im};
}

/* The frames at y through the first stage, without twiddles. */
static void begin(const struct aud_mel_tables *t, const float *y, struct point *z)
{
    for (size_t m = 0; m < QUARTER; m += L / 2) {
        vec s[4][L];

        for (size_t j = 0; j < 4; j++)
            samples(t, y, 2 * (m + j * QUARTER), s[j]);
        for (size_t r = 0; r < L / 2; r++)
            cross((struct point){s[0][2 * r], s[0][2 * r + 1]},
                  (struct point){s[1][2 * r], s[1][2 * r + 1]},
                  (struct point){s[2][2 * r], s[2][2 * r + 1]},
                  (struct point){s[3][2 * r], s[3][2 * r + 1]}, z + t->place[m + r]);
    }
}

INLINE struct point turned(struct point p, float re, float im)
{
    return (struct point){p.re * re - p.im * im, p.re * im + p.im * re};
}

/* Points `from`, from + quarter, …, the last three turned by the twiddles of k. */
INLINE void butterfly(const struct aud_mel_tables *t, const struct point *z, size_t from, size_t k,
                      size_t quarter, struct point out[4])
{
    size_t w = k * (QUARTER / quarter);

    cross(z[from], turned(z[from + quarter], t->cosine[w], t->sine[w]),
          turned(z[from + 2 * quarter], t->cosine[2 * w], t->sine[2 * w]),
          turned(z[from + 3 * quarter], t->cosine[3 * w], t->sine[3 * w]), out);
}

static void middle(const struct aud_mel_tables *t, struct point *z, size_t quarter)
{
    for (size_t k = 0; k < quarter; k++)
        for (size_t from = k; from < AUD_HALF; from += 4 * quarter) {
            struct point out[4];

            butterfly(t, z, from, k, quarter, out);
            for (size_t j = 0; j < 4; j++)
                z[from + j * quarter] = out[j];
        }
}

/* ---- bands ---- */

/* Four times the squares of the lines k and 256 - k of the real transform, of the complex points
 * a = k and b = 256 - k. */
INLINE void lines(const struct aud_mel_tables *t, size_t k, struct point a, struct point b,
                  vec *squares)
{
    vec even_re = a.re + b.re, even_im = a.im - b.im;
    struct point odd = {a.im + b.im, b.re - a.re};
    struct point turn = turned(odd, t->turn_re[k], t->turn_im[k]);
    vec re = even_re + turn.re, im = even_im + turn.im;

    squares[k] = re * re + im * im;
    re = even_re - turn.re;
    im = even_im - turn.im;
    squares[AUD_HALF - k] = re * re + im * im;
}

/* The last stage.  Of its points k + 64 j the one that belongs to a line's is 64 - k + 64 (3 - j),
 * so two butterflies are taken together. */
static void finish(const struct aud_mel_tables *t, const struct point *z, vec *squares)
{
    struct point a[4], b[4];

    butterfly(t, z, 0, 0, QUARTER, a);
    lines(t, 0, a[0], a[0], squares);
    lines(t, QUARTER, a[1], a[3], squares);
    lines(t, 2 * QUARTER, a[2], a[2], squares);
    for (size_t k = 1; k < QUARTER / 2; k++) {
        butterfly(t, z, k, k, QUARTER, a);
        butterfly(t, z, QUARTER - k, QUARTER - k, QUARTER, b);
        for (size_t j = 0; j < 4; j++)
            lines(t, k + QUARTER * j, a[j], b[3 - j], squares);
    }
    butterfly(t, z, QUARTER / 2, QUARTER / 2, QUARTER, a);
    for (size_t j = 0; j < 2; j++)
        lines(t, QUARTER / 2 + QUARTER * j, a[j], a[3 - j], squares);
}

/* Lines between two edges count in the band above and in the one below. */
static void weigh(const struct aud_mel_tables *t, const vec *magnitudes, vec *out)
{
    memset(out, 0, AUD_MEL_BANDS * sizeof *out);
    for (size_t k = 1; k <= AUD_HALF;) {
        vec rising = {0}, falling = {0};
        int band = t->band[k];

        for (; k <= AUD_HALF && t->band[k] == band; k++) {
            rising += magnitudes[k] * t->rising[k];
            falling += magnitudes[k] * t->falling[k];
        }
        if (band < AUD_MEL_BANDS)
            out[band] += 0.5f * rising;
        if (band > 0 && band <= AUD_MEL_BANDS)
            out[band - 1] += 0.5f * falling;
    }
}

/* log(x) of normal numbers, 0.001 at least: of the mantissa m in [sqrt(1/2), sqrt(2)) as
 * 2 artanh((m - 1) / (m + 1)), whose series ends below a float's last bit. */
static void logarithms(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t bits, exponent;
        float m, s, q, least = x[i] > 0.001f ? x[i] : 0.001f;

        memcpy(&bits, &least, sizeof bits);
        exponent = (bits - 0x3f3504f3) >> 23; /* the bits of sqrt(1/2) */
        bits -= exponent * (1 << 23);
        memcpy(&m, &bits, sizeof m);
        s = (m - 1) / (m + 1);
        q = s * s;
        q = ((((2.0f / 11 * q + 2.0f / 9) * q + 2.0f / 7) * q + 2.0f / 5) * q + 2.0f / 3) * q * s +
            2 * s;
        x[i] = q + (float) exponent * 0.693147180559945f;
    }
}

static void square_roots(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sqrtf(x[i]);
}

static void bands(const struct aud_mel_tables *t, const float *y, float *out)
{
    union {
        struct point z[AUD_HALF];
        vec bands[AUD_MEL_BANDS];
        float numbers[AUD_MEL_BANDS * L];
    } a;
    union {
        vec squares[AUD_HALF + 1];
        float numbers[(AUD_HALF + 1) * L];
    } b;

    begin(t, y, a.z);
    middle(t, a.z, 4);
    middle(t, a.z, 16);
    finish(t, a.z, b.squares);
    square_roots(b.numbers, (AUD_HALF + 1) * L);
    weigh(t, b.squares, a.bands);
    logarithms(a.numbers, AUD_MEL_BANDS * L);
    for (size_t first = 0; first < AUD_MEL_BANDS; first += L) {
        transpose(a.bands + first);
        for (size_t l = 0; l < L; l++)
            memcpy(out + l * AUD_MEL_BANDS + first, a.bands + first + l, sizeof *a.bands);
    }
}

/* ---- along time ---- */

/* Three rows of 80 for each frame: the bands, and what the filters give. */
static void differences(const struct aud_mel_tables *t, const float *x, size_t T, float *out)
{
    for (size_t i = 0; i < T; i++, x += AUD_MEL_BANDS, out += COLUMNS) {
        for (size_t b = 0; b < AUD_MEL_BANDS; b += L) {
            vec first = {0}, second = {0};

            for (size_t k = 0; k < AUD_TAPS; k++) {
                vec row = load(x + k * AUD_MEL_BANDS + b);

                first += row * t->delta[k];
                second += row * t->delta_delta[k];
            }
            memcpy(out + b, x + AUD_TAPS / 2 * AUD_MEL_BANDS + b, sizeof first);
            memcpy(out + AUD_MEL_BANDS + b, &first, sizeof first);
            memcpy(out + 2 * AUD_MEL_BANDS + b, &second, sizeof second);
        }
    }
}

/* to[3 b + c] = (row[80 c + b] - mean) * scale */
static void put_row(const float *restrict row, const float *restrict mean,
                    const float *restrict scale, float *restrict to)
{
    const size_t B = AUD_MEL_BANDS;

    for (size_t b = 0; b < AUD_MEL_BANDS; b++) {
        to[3 * b] = (row[b] - mean[b]) * scale[b];
        to[3 * b + 1] = (row[B + b] - mean[B + b]) * scale[B + b];
        to[3 * b + 2] = (row[2 * B + b] - mean[2 * B + b]) * scale[2 * B + b];
    }
}

static void normalise(float *x, size_t T)
{
    double sum[COLUMNS] = {0}, squares[COLUMNS] = {0};
    float mean[COLUMNS], scale[COLUMNS], row[COLUMNS];

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
    for (size_t i = 0; i < T; i++) {
        memcpy(row, x + i * COLUMNS, sizeof row);
        put_row(row, mean, scale, x + i * COLUMNS);
    }
}

const struct aud_mel_kernel CAT(aud_mel_kernel, DEV_CPU_VARIANT) = {L, bands, differences,
                                                                    normalise};
