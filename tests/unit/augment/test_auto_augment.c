/* test_auto_augment.c - levels, and how often each operation is chosen. */
#include <math.h>
#include <stdlib.h>

#include "augment/auto_augment.h"
#include "tests/support/t.h"

static void test_values(void **state)
{
    (void) state;
    assert_true(aug_augment_value(AUG_ROTATE, 10, 0, 0) == 30);
    assert_true(aug_augment_value(AUG_POSTERIZE, 6, 0, 0) == 2);
    assert_true(aug_augment_value(AUG_SOLARIZE, 8, 0, 0) == 204);
    assert_true(aug_augment_value(AUG_SOLARIZE_ADD, 7, 0, 0) == 77);
    assert_true(aug_augment_value(AUG_CUTOUT, 5, 40, 0) == 20);
    assert_true(aug_augment_value(AUG_TRANSLATE_Y, 9, 0, 250) == 225);
    assert_true(fabsf(aug_augment_value(AUG_COLOR, 9, 0, 0) - 1.72f) < 1e-6f);
    assert_true(aug_augment_value(AUG_EQUALIZE, 9, 0, 0) == 0);
}

static void test_randaugment(void **state)
{
    const struct aug_augment_rule rule = {.policy = AUG_RANDAUGMENT,
                                          .n_layers = 2,
                                          .magnitude = 10};
    int counts[AUG_N_AUGMENT_OPS + 1] = {0}, negative = 0, geometric = 0;
    enum { N = 8500 };
    (void) state;

    for (uint64_t i = 0; i < N; i++) {
        struct aug_augment a[AUG_MAX_AUGMENTS];
        struct t2_rng r;
        t2_rng_init(&r, 5, T2_RNG_TEST, 0, i);
        int n = aug_draw_augments(&r, &rule, 224, 200, a);
        counts[AUG_N_AUGMENT_OPS] += 2 - n;
        for (int k = 0; k < n; k++) {
            counts[a[k].op]++;
            geometric += a[k].op == AUG_ROTATE;
            negative += a[k].op == AUG_ROTATE && a[k].value < 0;
            if (a[k].op == AUG_CUTOUT)
                assert_true(a[k].y >= 0 && a[k].y < 224 && a[k].x >= 0 && a[k].x < 200);
        }
    }
    for (int i = 0; i <= AUG_N_AUGMENT_OPS; i++) /* 1000 each, +- 5 standard deviations */
        assert_true(abs(counts[i] - 1000) < 155);
    assert_true(abs(negative * 2 - geometric) < 160);
}

static void test_policies(void **state)
{
    struct aug_augment_rule rule = {.policy = AUG_AUTOAUGMENT_TEST};
    struct aug_augment a[AUG_MAX_AUGMENTS];
    struct t2_rng r;
    int n_applied = 0;
    (void) state;

    t2_rng_init(&r, 5, T2_RNG_TEST, 0, 0);
    assert_int_equal(aug_draw_augments(&r, &rule, 9, 9, a), 2);
    assert_int_equal(a[0].op, AUG_TRANSLATE_X);
    assert_true(fabsf(a[0].value) == 100);
    assert_int_equal(a[1].op, AUG_EQUALIZE);
    for (int simple = 0; simple < 2; simple++)
        for (uint64_t i = 0; i < 2000; i++) {
            rule.policy = simple ? AUG_AUTOAUGMENT_SIMPLE : AUG_AUTOAUGMENT_V0;
            t2_rng_init(&r, 6, T2_RNG_TEST, 0, i);
            int n = aug_draw_augments(&r, &rule, 9, 9, a);
            n_applied += simple ? 0 : n;
            for (int k = 0; simple && k < n; k++)
                assert_true(a[k].op < AUG_SHEAR_X && a[k].op != AUG_ROTATE ? true
                                                                           : a[k].op >= AUG_CUTOUT);
        }
    /* the probabilities of v0 add up to 28.6 of 50 */
    assert_true(abs(n_applied - 2288) < 200);
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_randaugment),
       cmocka_unit_test(test_policies))
