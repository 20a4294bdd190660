/*
 * tests/unit/train/test_dropout_bits.c - dropout masks: the rate is right, places are independent.
 */
#include "train/device/dropout_bits.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

/* Share of kept elements among n beginning with `first`. */
static double kept(const struct dev_dropout *d, uint64_t first, int n)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += dev_dropout_factor(d, first + (uint64_t) i) != 0.0f;
    return (double) count / n;
}

static void test_threshold(void **state)
{
    (void) state;
    assert_int_equal(dev_dropout_threshold(0.0), 0);
    assert_int_equal(dev_dropout_threshold(-1.0), 0);
    assert_int_equal(dev_dropout_threshold(0.5), 32768);
    assert_int_equal(dev_dropout_threshold(0.1), 6554);
    assert_int_equal(dev_dropout_threshold(1.0), 65536);
}

/* A mask whose step, site and key are made from the seed, for the host. */
static struct dev_dropout mask(double rate, uint64_t seed)
{
    static struct dev_step steps[32];
    static size_t n;
    struct dev_step *step = &steps[n++];

    assert_true(n <= sizeof steps / sizeof *steps);
    step->dropout_key[0] = (uint32_t) t_hash64(seed);
    step->dropout_key[1] = (uint32_t) t_hash64(seed + 1);
    step->dropout_step[0] = (uint32_t) t_hash64(seed + 2) % 1000;
    step->dropout_step[1] = (uint32_t) (t_hash64(seed + 3) % 8) << 16;
    return (struct dev_dropout){.step = step,
                                .site = (uint32_t) t_hash64(seed + 4) % 50,
                                .threshold = dev_dropout_threshold(rate),
                                .scale = rate > 0.0 ? (float) (1.0 / (1.0 - rate)) : 1.0f};
}

/* Within four standard deviations of a binomial, in windows anywhere in the mask. */
static void test_rate(void **state)
{
    static const double rates[] = {0.01, 0.1, 0.3, 0.5, 0.9};
    enum { N = 40000 };

    (void) state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct dev_dropout d = mask(rates[i], 100 + seed);
            double expected = 1.0 - (double) d.threshold / 65536.0;
            double sigma = sqrt(expected * (1.0 - expected) / N);

            assert_true(fabs(kept(&d, seed * 1000003, N) - expected) < 4.0 * sigma);
            assert_true(fabs(expected - (1.0 - rates[i])) < 1e-5);
        }
}

/* The mean of what is kept is the mean of what was there. */
static void test_scale(void **state)
{
    enum { N = 60000 };
    struct dev_dropout d = mask(0.3, 7);
    double sum = 0.0;

    (void) state;
    for (int i = 0; i < N; i++) {
        float f = dev_dropout_factor(&d, (uint64_t) i);

        assert_true(f == 0.0f || f == d.scale);
        sum += (double) f;
    }
    assert_true(fabs(sum / N - 1.0) < 4.0 * sqrt(0.3 / 0.7 / N));
}

static void test_no_dropout_and_all(void **state)
{
    struct dev_dropout none = mask(0.0, 1), all = none;

    (void) state;
    all.threshold = dev_dropout_threshold(1.0);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(dev_dropout_factor(&none, i) == 1.0f);
        assert_true(dev_dropout_factor(&all, i) == 0.0f);
    }
}

/* Share of the elements at which two masks agree: half of them when they are independent. */
static double agreement(const struct dev_dropout *a, const struct dev_dropout *b, uint64_t shift)
{
    enum { N = 20000 };
    int same = 0;

    for (uint64_t i = 0; i < N; i++)
        same += (dev_dropout_factor(a, i) != 0.0f) == (dev_dropout_factor(b, i + shift) != 0.0f);
    return (double) same / N;
}

static void test_masks_are_independent(void **state)
{
    static const uint64_t shifts[] = {1, 2, 8, 15, 16, 17, 32, 64, 127, 128, 129, 256, 2048};
    struct dev_dropout d = mask(0.5, 3), other;
    struct dev_step step;
    const double four_sigma = 4.0 * 0.5 / sqrt(20000.0);

    (void) state;
    assert_true(agreement(&d, &d, 0) == 1.0);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        assert_true(fabs(agreement(&d, &d, shifts[i]) - 0.5) < four_sigma);
    other = d;
    other.site += 1;
    assert_true(fabs(agreement(&d, &other, 0) - 0.5) < four_sigma);
    other = d;
    other.step = &step;
    step = *d.step;
    step.dropout_step[0] += 1;
    assert_true(fabs(agreement(&d, &other, 0) - 0.5) < four_sigma);
    step = *d.step;
    step.dropout_step[1] += 1u << 16;
    assert_true(fabs(agreement(&d, &other, 0) - 0.5) < four_sigma);
    step = *d.step;
    step.dropout_key[0] += 1;
    assert_true(fabs(agreement(&d, &other, 0) - 0.5) < four_sigma);
    step = *d.step;
    step.dropout_key[1] += 1;
    assert_true(fabs(agreement(&d, &other, 0) - 0.5) < four_sigma);
}

/* The bits are part of the reproducibility contract: a checkpoint that is continued draws the masks
 * it would have drawn. */
static void test_bits_are_philox(void **state)
{
    static const struct dev_step step = {.dropout_key = {0x1234, 0x5678},
                                         .dropout_step = {9, 1u << 16}};
    struct dev_dropout d = {.step = &step, .site = 4, .threshold = 20000, .scale = 2.0f};

    (void) state;
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t counter[4] = {(uint32_t) (i / 128 * 16 + i % 16), 9, 4, 1u << 16}, out[4];
        uint16_t halves[8];

        t2_philox(counter, step.dropout_key, out);
        for (int w = 0; w < 4; w++) {
            halves[2 * w] = (uint16_t) out[w];
            halves[2 * w + 1] = (uint16_t) (out[w] >> 16);
        }
        d.threshold = halves[i / 16 % 8] ? halves[i / 16 % 8] : 1u;
        assert_true((dev_dropout_factor(&d, i) != 0.0f) == (halves[i / 16 % 8] != 0));
        d.threshold += 1; /* the same bits are below it now */
        assert_true(dev_dropout_factor(&d, i) == 0.0f);
    }
}

T_MAIN(cmocka_unit_test(test_threshold), cmocka_unit_test(test_rate), cmocka_unit_test(test_scale),
       cmocka_unit_test(test_no_dropout_and_all), cmocka_unit_test(test_masks_are_independent),
       cmocka_unit_test(test_bits_are_philox))
