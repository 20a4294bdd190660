/*
 * tests/unit/train/test_row_kernel.c - every CPU variant against plain loops in double.
 */
#include <math.h>
#include <stdio.h>

#include "base/cpu.h"
#include "tests/support/t.h"
#include "train/decode/row_kernel.h"
#include "train/decode/row_scan.h"

static void check(const struct dec_row_kernel *k, int32_t n, float spread)
{
    float *x = t_guarded_alloc((size_t) n * sizeof *x);
    float lane_max[64 * DEC_ROW_LANES], largest = -HUGE_VALF;
    double sum = 0;

    t_fill(x, (size_t) n, (uint64_t) n * 7 + 1);
    for (int32_t i = 0; i < n; i++) {
        x[i] *= spread;
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < n; i++)
        sum += exp((double) x[i] - (double) largest);
    assert_true(dec_row_work(n) <= 64 * DEC_ROW_LANES);
    assert_true(k->max(x, n, lane_max) == largest);
    for (int32_t m = 0; m < dec_row_work(n); m++) {
        int32_t group = m / DEC_ROW_LANES * DEC_ROW_GROUP;
        float want = -3.402823466e38f; /* a lane without values */

        for (int32_t i = group + m % DEC_ROW_LANES; i < n && i < group + DEC_ROW_GROUP;
             i += DEC_ROW_LANES)
            want = x[i] > want ? x[i] : want;
        assert_true(lane_max[m] == want);
    }
    assert_true(fabs((double) k->sum_exp(x, n, largest) / sum - 1) < 1e-6);
    t_guarded_free(x, (size_t) n * sizeof *x);
}

static void check_variant(const struct dec_row_kernel *k)
{
    static const int32_t sizes[] = {1,  2,  3,   15,  16,  17,  31,  32,  33,  47,   63,
                                    64, 65, 127, 128, 255, 256, 257, 271, 512, 1000, 4095};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(k, sizes[i], 0.1f);
        check(k, sizes[i], 5);
        check(k, sizes[i], 200); /* most exponentials vanish */
    }
}

static void test_generic(void **state)
{
    (void) state;
    check_variant(&dec_row_kernel_generic);
}

static void test_avx2(void **state)
{
    (void) state;
#ifdef T2_HAVE_CPU_avx2
    if (t2_cpu_variant() >= T2_CPU_AVX2) {
        check_variant(&dec_row_kernel_avx2);
        return;
    }
#endif
    t_skip("no AVX2 here");
}

static void test_avx512(void **state)
{
    (void) state;
#ifdef T2_HAVE_CPU_avx512
    if (t2_cpu_variant() >= T2_CPU_AVX512) {
        check_variant(&dec_row_kernel_avx512);
        return;
    }
#endif
    t_skip("no AVX-512 here");
}

static void test_not_a_number(void **state)
{
    float x[100];

    (void) state;
    for (int at = 0; at < 100; at++) {
        t_fill(x, 100, 3);
        x[at] = NAN;
        assert_true(isnan(dec_row_kernel_generic.sum_exp(x, 100, 1)));
    }
}

T_MAIN(cmocka_unit_test(test_generic), cmocka_unit_test(test_avx2), cmocka_unit_test(test_avx512),
       cmocka_unit_test(test_not_a_number))
