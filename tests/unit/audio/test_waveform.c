/* test_waveform.c - files of the original's kind keep their bits, others become that kind. */
#include "audio/waveform.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/t.h"
#include "tests/support/wave_file.h"

enum { N = 4800 };

static struct t2_err err;

static void read_file(const struct t2_buf *file, struct aud_waveform *w)
{
    enum t2_status st = aud_waveform_read(file->data, file->len_bytes, w, &err);

    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    assert_int_equal(st, T2_OK);
}

static void test_exact(void **state)
{
    int16_t samples[N];
    struct t2_buf file = {NULL, 0, 0};
    struct aud_waveform w = {0};

    (void) state;
    wave_tone(samples, N, 300, AUD_RATE);
    samples[7] = INT16_MIN;
    wave_put(&file, samples, N, 1, AUD_RATE);
    read_file(&file, &w);
    assert_int_equal(w.n, N);
    assert_memory_equal(w.samples, samples, sizeof samples);
    assert_true(aud_float(INT16_MAX) == 1.0f && aud_float(-1) == -1.0f / 32767);
    aud_waveform_release(&w);
    t2_buf_release(&file);
}

/* Two channels become their mean; the other rate becomes 16 kHz. */
static void test_made(void **state)
{
    int16_t tone[N], both[2 * N];
    struct t2_buf file = {NULL, 0, 0};
    struct aud_waveform w = {0};

    (void) state;
    wave_tone(tone, N, 300, AUD_RATE);
    for (int i = 0; i < N; i++) {
        both[2 * i] = tone[i];
        both[2 * i + 1] = 0;
    }
    wave_put(&file, both, N, 2, AUD_RATE);
    read_file(&file, &w);
    assert_int_equal(w.n, N);
    for (int i = 0; i < N; i++)
        assert_true(abs(2 * w.samples[i] - tone[i]) <= 1);
    t2_buf_clear(&file);
    wave_put(&file, tone, N, 1, 48000);
    read_file(&file, &w);
    assert_true(w.n >= N / 3 - 2 && w.n <= N / 3 + 2);
    aud_waveform_release(&w);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_exact), cmocka_unit_test(test_made))
