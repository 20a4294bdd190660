/*
 * tests/unit/tfrec/test_exact_sum.c - the same sum in any order, where doubles would lose the small
 * ones.
 */
#include "tfrec/exact_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static double sum_of(const float *v, size_t n)
{
    struct rec_float_sum s = {{0}};

    rec_float_sum_add(&s, v, n);
    return rec_float_sum_value(&s);
}

static void test_values(void **state)
{
    (void) state;
    assert_true(sum_of((float[]){0}, 0) == 0);
    assert_true(sum_of((float[]){1.5F, -0.25F, -0.0F}, 3) == 1.25);
    assert_true(sum_of((float[]){FLT_MAX, 1.0F, -FLT_MAX}, 3) == 1.0);
    assert_true(sum_of((float[]){1e30F, 1e-30F, -1e30F}, 3) == (double) 1e-30F);
    assert_true(sum_of((float[]){FLT_TRUE_MIN, FLT_TRUE_MIN}, 2) == 2 * (double) FLT_TRUE_MIN);
    assert_true(sum_of((float[]){FLT_MIN, -FLT_TRUE_MIN}, 2) ==
                (double) FLT_MIN - (double) FLT_TRUE_MIN);
    assert_true(sum_of((float[]){INFINITY, NAN, 3.0F, -INFINITY}, 4) == 3.0);
    assert_true(sum_of((float[]){FLT_MAX, FLT_MAX}, 2) == 2 * (double) FLT_MAX);
}

static void test_order(void **state)
{
    enum { N = 4000 };
    static float v[N];
    struct rec_float_sum forth = {{0}}, back = {{0}}, half = {{0}};

    (void) state;
    t_fill(v, N, 3);
    for (int i = 0; i < N; i++)
        v[i] = ldexpf(v[i], (int) (t_hash64((uint64_t) i) % 200) - 100);
    rec_float_sum_add(&forth, v, N);
    for (int i = N; i > N / 2; i--)
        rec_float_sum_add(&back, &v[i - 1], 1);
    rec_float_sum_add(&half, v, N / 2);
    rec_float_sum_join(&back, &half);
    assert_memory_equal(&forth, &back, sizeof forth);
    assert_true(rec_float_sum_value(&forth) == rec_float_sum_value(&back));
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_order))
