/* test_log_mel.c - spectra against a transform by its definition; features of short waveforms. */
#include "audio/log_mel.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

enum { COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };
static const double two_pi = 6.283185307179586476925;

/* Logarithms of the bands of one frame of x (n), in double, by the formulas of the header. */
static void bands_of(const float *x, size_t n, size_t frame, const float *matrix, double *out)
{
    double y[AUD_FRAME] = {0};

    for (size_t i = 0; i < AUD_FRAME && frame * AUD_STEP + i + 1 < n; i++) {
        size_t at = frame * AUD_STEP + i;
        double window = 0.5 - 0.5 * cos(two_pi * (double) i / AUD_FRAME);
        y[i] = window * ((double) x[at + 1] - 0.97 * (double) x[at]);
    }
    memset(out, 0, AUD_MEL_BANDS * sizeof *out);
    for (size_t k = 0; k <= AUD_HALF; k++) {
        double re = 0, im = 0;

        for (size_t i = 0; i < AUD_FRAME; i++) {
            re += y[i] * cos(two_pi * (double) (k * i % AUD_FFT) / AUD_FFT);
            im -= y[i] * sin(two_pi * (double) (k * i % AUD_FFT) / AUD_FFT);
        }
        for (size_t b = 0; b < AUD_MEL_BANDS; b++)
            out[b] += sqrt(re * re + im * im) * (double) matrix[k * AUD_MEL_BANDS + b];
    }
    for (size_t b = 0; b < AUD_MEL_BANDS; b++)
        out[b] = log(out[b] > 0.001 ? out[b] : 0.001);
}

static void test_bands(void **state)
{
    static const size_t lengths[] = {2, 161, 162, 400, 2560, 5003};
    float x[5003], *matrix = t2_alloc((AUD_HALF + 1) * AUD_MEL_BANDS, sizeof *matrix);

    (void) state;
    aud_mel_matrix(matrix);
    t_fill(x, 5003, 1);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i], frames = aud_mel_frames(n);
        float *ours = t2_alloc(frames * AUD_MEL_BANDS, sizeof *ours);

        aud_log_mel(x, n, ours);
        for (size_t f = 0; f<frames; f += frames> 4 ? frames / 4 : 1) {
            double expected[AUD_MEL_BANDS];

            bands_of(x, n, f, matrix, expected);
            for (size_t b = 0; b < AUD_MEL_BANDS; b++)
                /* of noise single lines are small, and a band of one line with them */
                assert_true(fabs((double) ours[f * AUD_MEL_BANDS + b] - expected[b]) < 5e-5);
        }
        t2_free(ours);
    }
    t2_free(matrix);
}

static void test_frames(void **state)
{
    (void) state;
    assert_int_equal(aud_mel_frames(0), 0);
    assert_int_equal(aud_mel_frames(1), 0);
    assert_int_equal(aud_mel_frames(2), 1);
    assert_int_equal(aud_mel_frames(161), 1);
    assert_int_equal(aud_mel_frames(162), 2);
}

/* Every column has mean 0 and, where it varies, variance 1; zeros follow; a scratch is used again.
 */
static void test_features(void **state)
{
    static const size_t lengths[] = {30000, 1, 2, 800};
    struct aud_mel_scratch s = {0};
    float *x = t2_alloc(30000, sizeof *x);

    (void) state;
    t_fill(x, 30000, 2);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t T = aud_mel_frames(lengths[i]);
        float *y = t2_alloc((T + AUD_PAD_FRAMES) * COLUMNS, sizeof *y);

        t_fill(y, (T + AUD_PAD_FRAMES) * COLUMNS, 3);
        aud_speech_features(x, lengths[i], &s, y);
        for (size_t c = 0; c < COLUMNS && T > 10; c++) {
            double sum = 0, squares = 0;

            for (size_t t = 0; t < T; t++) {
                sum += (double) y[t * COLUMNS + c];
                squares += (double) y[t * COLUMNS + c] * (double) y[t * COLUMNS + c];
            }
            assert_true(fabs(sum / (double) T) < 1e-4);
            assert_true(fabs(squares / (double) T - 1) < 1e-3);
        }
        for (size_t k = T * COLUMNS; k < (T + AUD_PAD_FRAMES) * COLUMNS; k++)
            assert_true(y[k] == 0.0f);
        t2_free(y);
    }
    aud_mel_scratch_release(&s);
    t2_free(x);
}

/* The noise has the mean and the deviation it should, and is named by its three numbers. */
static void test_dither(void **state)
{
    enum { N = 100000 };
    float *a = t2_alloc(N, sizeof *a), *b = t2_alloc(N, sizeof *b);
    double sum = 0, squares = 0;

    (void) state;
    aud_dither(a, N, 1, 2, 3);
    aud_dither(b, N, 1, 2, 3);
    assert_memory_equal(a, b, N * sizeof *a);
    for (int i = 0; i < N; i++) {
        sum += (double) a[i] * 32767;
        squares += (double) a[i] * (double) a[i] * 32767 * 32767;
    }
    assert_true(fabs(sum / N) < 0.01);
    assert_true(fabs(sqrt(squares / N) - 1) < 0.01);
    memset(b, 0, N * sizeof *b);
    aud_dither(b, N, 1, 2, 4);
    assert_true(memcmp(a, b, N * sizeof *a) != 0);
    t2_free(a);
    t2_free(b);
}

T_MAIN(cmocka_unit_test(test_bands), cmocka_unit_test(test_frames), cmocka_unit_test(test_features),
       cmocka_unit_test(test_dither))
