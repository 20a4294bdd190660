/* test_sound_file.c - samples of WAV files; what is none, and what is cut. */
#include "audio/sound_file.h"

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/wave_file.h"

static struct t2_err err;

static enum t2_status read_bytes(const struct t2_buf *file, struct aud_sound *s)
{
    enum t2_status st = aud_sound_read(file->data, file->len_bytes, s, &err);

    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    return st;
}

static void test_stereo(void **state)
{
    static const int16_t samples[] = {1, -1, 32767, -32768, 100, 200};
    struct t2_buf file = {NULL, 0, 0};
    struct aud_sound s = {0};

    (void) state;
    wave_put(&file, samples, 3, 2, 22050);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(read_bytes(&file, &s), T2_OK);
        assert_int_equal(s.rate, 22050);
        assert_int_equal(s.channels, 2);
        assert_int_equal(s.n, 3);
        assert_true(s.is_pcm16);
        assert_memory_equal(s.pcm, samples, sizeof samples);
    }
    aud_sound_release(&s);
    t2_buf_release(&file);
}

static void test_refused(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aud_sound s = {0};

    (void) state;
    t2_buf_puts(&file, "ID text, which is no sound at all");
    assert_int_equal(read_bytes(&file, &s), T2_EFORMAT);
    t_assert_contains(err.message, "not a sound file");
    t2_buf_clear(&file);
    wave_put(&file, NULL, 0, 1, 16000);
    assert_int_equal(read_bytes(&file, &s), T2_EFORMAT);
    aud_sound_release(&s);
    t2_buf_release(&file);
}

/* A header that promises more than there is. */
static void test_cut(void **state)
{
    int16_t samples[1000];
    struct t2_buf file = {NULL, 0, 0};
    struct aud_sound s = {0};

    (void) state;
    wave_tone(samples, 1000, 440, 16000);
    wave_put(&file, samples, 1000, 1, 16000);
    file.len_bytes -= 1000;
    assert_int_equal(read_bytes(&file, &s), T2_OK);
    assert_int_equal(s.n, 500);
    aud_sound_release(&s);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_stereo), cmocka_unit_test(test_refused), cmocka_unit_test(test_cut))
