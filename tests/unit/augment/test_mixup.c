/* test_mixup.c - mixing is what it says, and lambda has its distribution. */
#include <math.h>

#include "augment/mixup.h"
#include "tests/support/t.h"

static void test_mixup(void **state)
{
    float a[3] = {0, 1, 2}, b[3] = {10, 10, 10};
    (void) state;

    aug_mixup(a, b, 0.75f, 0.5f, 3);
    t_assert_close(a, ((const float[]){2.5f, 3.25f, 4}), 3, 1e-6, 0);
    t_assert_close(b, ((const float[]){5, 5.5f, 6}), 3, 1e-6, 0);
    aug_mixup(a, a, 0.3f, 0.3f, 3);
    t_assert_close(a, ((const float[]){2.5f, 3.25f, 4}), 3, 1e-6, 0);
}

/* Beta(a, a): mean 1/2, variance 1 / (4 (2a + 1)). */
static void check_lambda(double alpha)
{
    enum { N = 20000 };
    double sum = 0, squares = 0, variance = 1 / (4 * (2 * alpha + 1));

    for (uint64_t i = 0; i < N; i++) {
        struct t2_rng r;
        double v;
        t2_rng_init(&r, 3, T2_RNG_TEST, 0, i);
        v = (double) aug_draw_lambda(&r, alpha);
        assert_true(v >= 0 && v <= 1);
        sum += v;
        squares += (v - 0.5) * (v - 0.5);
    }
    assert_true(fabs(sum / N - 0.5) < 5 * sqrt(variance / N));
    assert_true(fabs(squares / N - variance) < 0.05 * variance + 0.001);
}

static void test_lambda(void **state)
{
    struct t2_rng r;
    (void) state;

    check_lambda(0.2);
    check_lambda(0.8);
    check_lambda(1);
    check_lambda(4);
    t2_rng_init(&r, 3, T2_RNG_TEST, 0, 0);
    assert_true(aug_draw_lambda(&r, 1e-9) >= 0); /* no NaN */
}

static void check_cutmix(enum aug_layout layout)
{
    float a[4 * 5 * 2] = {0}, b[4 * 5 * 2], sum = 0;
    struct aug_floats to = aug_floats_of(a, layout, 4, 5, 2),
                      from = aug_floats_of(b, layout, 4, 5, 2);

    for (int i = 0; i < 40; i++)
        b[i] = 1;
    aug_cutmix(&to, &from, (struct aug_window){.x = 1, .y = 2, .width = 3, .height = 2});
    for (int i = 0; i < 40; i++)
        sum += a[i];
    assert_true(sum == 12);
    assert_true(aug_float_row(&to, 0, 2)[layout == AUG_NHWC ? 2 : 1] == 1);
    assert_true(aug_float_row(&to, 0, 1)[layout == AUG_NHWC ? 2 : 1] == 0);
}

static void test_cutmix(void **state)
{
    (void) state;
    check_cutmix(AUG_NHWC);
    check_cutmix(AUG_NCHW);
    for (uint64_t i = 0; i < 300; i++) {
        struct t2_rng r;
        float lambda = (float) i / 300, asked = lambda;
        t2_rng_init(&r, 3, T2_RNG_TEST, 0, i);
        struct aug_window w = aug_draw_cutmix(&r, 32, 48, &lambda);
        assert_true(w.x >= 0 && w.y >= 0 && w.width <= 48 - w.x && w.height <= 32 - w.y);
        assert_true(lambda >= asked - 1e-6f && lambda <= 1); /* cut at the edges, rounded down */
    }
}

T_MAIN(cmocka_unit_test(test_mixup), cmocka_unit_test(test_lambda), cmocka_unit_test(test_cutmix))
