/* train/device/types.h: numbers turned from one type into another. */
#include "train/device/types.h"

#include <math.h>

#include "tests/support/t.h"

/* The float16 nearest to x, ties to even, found among all of them. */
static uint16_t nearest_float16(float x)
{
    uint16_t best = 0, sign = signbit(x) ? 0x8000 : 0;
    double least = HUGE_VAL, size = fabs((double) x);

    for (uint32_t k = 0; k <= 0x7c00; k++) {
        /* beyond the largest number the next one would be 2^16 */
        double value = k == 0x7c00 ? 65536.0 : (double) dev_from_float16((uint16_t) k);
        double apart = fabs(value - size);

        if (apart < least || (apart == least && k % 2 == 0)) {
            best = (uint16_t) k;
            least = apart;
        }
    }
    return best | sign;
}

/* By its definition. */
static double float16_value(uint16_t x)
{
    int exponent = x >> 10 & 31, fraction = x & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);

    return x & 0x8000 ? -size : size;
}

static void float16_is_exact(void **state)
{
    (void) state;
    for (uint32_t k = 0; k < 0x10000; k++) {
        float x = dev_from_float16((uint16_t) k);

        if ((k & 0x7c00) == 0x7c00) {
            assert_true(k & 0x3ff ? isnan(x) : isinf(x));
            assert_int_equal(signbit(x) != 0, k >> 15);
        } else {
            assert_true((double) x == float16_value((uint16_t) k));
            assert_int_equal(signbit(x) != 0, k >> 15);
        }
        if (isnan(x))
            assert_true(isnan(dev_from_float16(dev_float16(x))));
        else
            assert_int_equal(dev_float16(x), k);
    }
}

static void float16_rounds_to_nearest(void **state)
{
    const float hard[] = {0.0f,     -0.0f,      65504.0f,         65519.996f,      65520.0f,
                          1e30f,    -65520.0f,  0x1p-24f,         0x1p-25f,        0x1.000002p-25f,
                          0x3p-25f, 0x5p-25f,   0x1p-14f,         0x1.ffcp-15f,    0x1.ffep-15f,
                          1.0f,     0x1.002p0f, 0x1.002001p0f,    0x1.006p0f,      2049.0f,
                          2051.0f,  1e-30f,     -0x1.000002p-25f, 0x1.fffffep-15f, 3.14159f};

    (void) state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        assert_int_equal(dev_float16(hard[i]), nearest_float16(hard[i]));
    for (uint32_t bits = 0x33000000; bits < 0x47900000; bits += 0x123457)
        assert_int_equal(dev_float16(dev_bits_float(bits)), nearest_float16(dev_bits_float(bits)));
    assert_int_equal(dev_float16(INFINITY), 0x7c00);
    assert_int_equal(dev_float16(-INFINITY), 0xfc00);
    assert_true(isnan(dev_from_float16(dev_float16(NAN))));
}

static void bfloat16_rounds_to_nearest(void **state)
{
    (void) state;
    for (uint32_t k = 0; k < 0x10000; k++) {
        float x = dev_from_bfloat16((uint16_t) k);

        if (isnan(x))
            assert_true(isnan(dev_from_bfloat16(dev_bfloat16(x))));
        else
            assert_int_equal(dev_bfloat16(x), k);
    }
    assert_int_equal(dev_bfloat16(dev_bits_float(0x3f808000)), 0x3f80); /* a tie, to even */
    assert_int_equal(dev_bfloat16(dev_bits_float(0x3f818000)), 0x3f82);
    assert_int_equal(dev_bfloat16(dev_bits_float(0x3f808001)), 0x3f81);
    assert_int_equal(dev_bfloat16(dev_bits_float(0x7f7fffff)), 0x7f80); /* to infinity */
    assert_true(isnan(dev_from_bfloat16(dev_bfloat16(dev_bits_float(0x7fffffff)))));
}

static void elements_of_all_types(void **state)
{
    const enum dev_type floats[] = {DEV_FLOAT32, DEV_BFLOAT16, DEV_FLOAT16};
    const uint8_t bytes[] = {0, 200};
    const int8_t small[] = {0, -3};
    const int32_t ids[] = {0, 70000};

    (void) state;
    for (int i = 0; i < 3; i++) {
        float room[4] = {0};

        dev_put(floats[i], room, 1, 1.5f);
        assert_true(dev_get(floats[i], room, 1) == 1.5f);
        assert_true(dev_get(floats[i], room, 0) == 0.0f && dev_get(floats[i], room, 2) == 0.0f);
        assert_ptr_equal(dev_element(floats[i], room, 2),
                         (char *) room + 2 * dev_type_bytes(floats[i]));
        assert_true(dev_round(floats[i], 1.5f) == 1.5f);
    }
    assert_true(dev_round(DEV_BFLOAT16, 1.001f) == 1.0f && dev_round(DEV_FLOAT16, 1.001f) > 1.0f);
    assert_true(dev_get(DEV_UINT8, bytes, 1) == 200.0f && dev_get(DEV_INT8, small, 1) == -3.0f);
    assert_true(dev_get(DEV_INT32, ids, 1) == 70000.0f);
    assert_int_equal(dev_type_bytes(DEV_INT8), 1);
    assert_string_equal(dev_type_name(DEV_BFLOAT16), "bfloat16");
}

T_MAIN(cmocka_unit_test(float16_is_exact), cmocka_unit_test(float16_rounds_to_nearest),
       cmocka_unit_test(bfloat16_rounds_to_nearest), cmocka_unit_test(elements_of_all_types))
