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
    float block_max[64], largest = -HUGE_VALF;
    double sum = 0;

    t_fill(x, (size_t) n, (uint64_t) n * 7 + 1);
    for (int32_t i = 0; i < n; i++) {
        x[i] *= spread;
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < n; i++)
        sum += exp((double) x[i] - (double) largest);
    assert_true(dec_row_blocks(n) <= 64);
    assert_true(k->max(x, n, block_max) == largest);
    for (int32_t b = 0; b < dec_row_blocks(n); b++) {
        float want = -HUGE_VALF;

        for (int32_t i = b * DEC_ROW_BLOCK; i < n && i < (b + 1) * DEC_ROW_BLOCK; i++)
            want = x[i] > want ? x[i] : want;
        assert_true(block_max[b] == want);
    }
    assert_true(fabs((double) k->sum_exp(x, n, largest) / sum - 1) < 1e-6);
    t_guarded_free(x, (size_t) n * sizeof *x);
}

static void check_variant(const struct dec_row_kernel *k)
{
    static const int32_t sizes[] = {1,  2,  3,  15,  16,  17,  31,  32,   33,  47,
                                    63, 64, 65, 127, 128, 129, 200, 1000, 4095};

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
