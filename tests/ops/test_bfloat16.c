/*
 * tests/ops/test_bfloat16.c - rounding to bfloat16, in C and as the devices do it.
 */
#include "train/device/types.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/device/cpu/gemm_lib.h"

static float of_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static const struct {
    uint32_t bits;
    uint16_t rounded;
} cases[] = {{0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x3f800000, 0x3f80},
             {0x3f807fff, 0x3f80}, {0x3f808000, 0x3f80}, /* a tie: to even */
             {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82}, /* a tie: to even */
             {0x3fffffff, 0x4000}, {0xbf818000, 0xbf82}, {0x00000001, 0x0000},
             {0x00018000, 0x0002}, {0x7f7fffff, 0x7f80}, /* the largest: to infinity */
             {0x7f800000, 0x7f80}, {0xff800000, 0xff80}};
static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0xffffffff, 0x7fffffff};

enum { N_CASES = sizeof cases / sizeof *cases, N_NANS = sizeof nans / sizeof *nans };

static void test_rounding(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_CASES; i++)
        assert_int_equal(dev_bfloat16(of_bits(cases[i].bits)), cases[i].rounded);
    for (size_t i = 0; i < N_NANS; i++)
        assert_true(isnan(dev_from_bfloat16(dev_bfloat16(of_bits(nans[i])))));
    for (uint32_t h = 0; h < 0x10000; h++) /* what is one already stays */
        if (!isnan(dev_from_bfloat16((uint16_t) h)))
            assert_int_equal(dev_bfloat16(dev_from_bfloat16((uint16_t) h)), h);
}

/* Products with 1: what comes out is what was rounded.  A processor without products of bfloat16
 * may leave floats as they are, all of them. */
static void test_devices_round(void **state)
{
    static const char *const devices[] = {"reference", "cpu"};
    enum { N = 100 };
    float a[N], one = 1.0f, c[N];

    (void) state;
    for (int i = 0; i < N; i++)
        a[i] = of_bits(i % 20 < (int) N_CASES ? cases[i % 20].bits : nans[i % N_NANS]);
    for (int k = 0; k < 2; k++) {
        struct dev *d = op_device(devices[k], 2);
        bool rounds = k == 0 || dev_cpu_gemm_lib()->fast_bf16;
        struct dev_gemm g = {.trans_a = true,
                             .M = N,
                             .N = 1,
                             .K = 1,
                             .A = a,
                             .B = &one,
                             .C = c,
                             .lda = N,
                             .ldb = 1,
                             .ldc = 1};

        d->precision = DEV_BFLOAT16;
        g.scratch = calloc((size_t) d->kernels->gemm_scratch_floats(d, &g) + 1, sizeof(float));
        d->kernels->gemm(d, &g);
        d->sync(d);
        d->precision = DEV_FLOAT32;
        free(g.scratch);
        for (int i = 0; i < N; i++)
            if (isnan(a[i]))
                assert_true(isnan(c[i]));
            else /* the product may flush what is below the normal numbers */
                assert_true(c[i] == (rounds ? dev_from_bfloat16(dev_bfloat16(a[i])) : a[i]) ||
                            (c[i] == 0.0f && fabsf(a[i]) < 1e-37f));
    }
}

static void test_names(void **state)
{
    struct dev *d = op_device("cpu", 1);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dev_set_precision(d, "float64", &err), T2_EUSAGE);
    t_assert_contains(err.message, "there are float32, tf32, bfloat16 and float16");
    assert_int_equal(dev_set_precision(d, "float16", &err), T2_OK);
    assert_string_equal(dev_precision_name(d), "float16");
    assert_int_equal(dev_set_precision(d, "bf16", &err), T2_OK);
    t_assert_contains(d->describe(d), "bfloat16");
    assert_int_equal(dev_set_precision(d, "tf32", &err), T2_OK);
    assert_string_equal(dev_precision_name(d), "tf32");
    assert_int_equal(d->precision, DEV_FLOAT32);
    assert_false(d->tf32_products);
    assert_int_equal(dev_set_precision(d, "float32", &err), T2_OK);
    assert_string_equal(dev_precision_name(d), "float32");
    assert_null(strstr(d->describe(d), "bfloat16"));
}

T_MAIN(cmocka_unit_test(test_rounding), cmocka_unit_test(test_devices_round),
       cmocka_unit_test(test_names))
