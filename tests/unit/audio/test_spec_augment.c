/* test_spec_augment.c - masks have the widths they may have, and are named by their numbers. */
#include "audio/spec_augment.h"

#include <string.h>

#include "audio/log_mel.h"
#include "base/alloc.h"
#include "tests/support/t.h"

enum { T = 60, COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };

static float *ones(void)
{
    float *x = t2_alloc(T * COLUMNS, sizeof *x);

    for (int i = 0; i < T * COLUMNS; i++)
        x[i] = 1;
    return x;
}

/* Frames and bands that are masked whole. */
static void count(const float *x, int *frames, int *bands)
{
    *frames = *bands = 0;
    for (int t = 0; t < T; t++)
        *frames += x[t * COLUMNS] == 0 && x[t * COLUMNS + COLUMNS - 1] == 0;
    for (int b = 0; b < AUD_MEL_BANDS; b++)
        *bands += x[b * AUD_MEL_CHANNELS] == 0 &&
                  x[(T - 1) * COLUMNS + b * AUD_MEL_CHANNELS + AUD_MEL_CHANNELS - 1] == 0;
}

static void test_widths(void **state)
{
    const struct aud_spec_augment time = {.n_time = 1, .time_width = 40, .most_time = 0.25};
    const struct aud_spec_augment bands = {.n_frequency = 1, .frequency_width = 9, .most_time = 1};
    int most_frames = 0, most_bands = 0;

    (void) state;
    for (uint64_t i = 0; i < 300; i++) {
        float *x = ones(), *y = ones();
        int frames, columns;

        aud_spec_augment(&time, x, T, 1, 2, i);
        count(x, &frames, &columns);
        most_frames = frames > most_frames ? frames : most_frames;
        aud_spec_augment(&bands, y, T, 1, 2, i);
        count(y, &frames, &columns);
        most_bands = columns > most_bands ? columns : most_bands;
        t2_free(x);
        t2_free(y);
    }
    assert_int_equal(most_frames, T / 4);
    assert_int_equal(most_bands, 9);
}

static void test_same(void **state)
{
    const struct aud_spec_augment both = {2, 27, 2, 30, 1.0}, none = {.most_time = 1};
    float *a = ones(), *b = ones();

    (void) state;
    aud_spec_augment(&none, a, T, 1, 2, 3);
    assert_memory_equal(a, b, T * COLUMNS * sizeof *a);
    aud_spec_augment(&both, a, T, 1, 2, 3);
    aud_spec_augment(&both, b, T, 1, 2, 3);
    assert_memory_equal(a, b, T * COLUMNS * sizeof *a);
    aud_spec_augment(&both, a, 0, 1, 2, 3); /* nothing to mask */
    t2_free(a);
    t2_free(b);
}

T_MAIN(cmocka_unit_test(test_widths), cmocka_unit_test(test_same))
