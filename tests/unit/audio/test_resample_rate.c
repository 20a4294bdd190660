/* test_resample_rate.c - a tone stays that tone. */
#include "audio/resample_rate.h"

#include <math.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

static void check_tone(int32_t from, int32_t to)
{
    const double hz = 440, two_pi = 6.283185307179586;
    size_t n = (size_t) from, n_y;
    float *x = t2_alloc(n, sizeof *x), *y;
    enum t2_status st;

    for (size_t i = 0; i < n; i++)
        x[i] = (float) sin(two_pi * hz * (double) i / from);
    st = aud_resample(x, n, from, to, &y, &n_y, &err);
    t2_free(x);
    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    assert_int_equal(st, T2_OK);
    assert_true(n_y >= (size_t) to - 2 && n_y <= (size_t) to + 2);
    for (size_t i = 500; i < n_y - 500; i++) /* the ends are filtered against silence */
        assert_true(fabs((double) y[i] - sin(two_pi * hz * (double) i / to)) < 2e-3);
    t2_free(y);
}

static void test_tone(void **state)
{
    (void) state;
    check_tone(22050, 16000);
    check_tone(8000, 16000);
    check_tone(48000, 16000);
}

static void test_refused(void **state)
{
    const float x[1] = {0};
    float *y;
    size_t n_y;
    enum t2_status st = aud_resample(x, 1, 1, 16000, &y, &n_y, &err);

    (void) state;
    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    assert_int_equal(st, T2_EFORMAT);
    t_assert_contains(err.message, "cannot become 16000");
}

T_MAIN(cmocka_unit_test(test_tone), cmocka_unit_test(test_refused))
