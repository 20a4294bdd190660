/* Tests of train/device/rules/noise_draw.h: the distribution, and that each number has a name of
 * its own. */
#include "train/device/rules/noise_draw.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tests/support/t.h"

enum { N = 20000 };

static float a[N], b[N];

static struct dev_noise stream(uint64_t seed, uint32_t step, enum dev_noise_kind kind)
{
    uint32_t key[2];

    t2_rng_key(seed, T2_RNG_NOISE, key);
    return dev_noise_of(key, (uint32_t[]){step, 0}, kind);
}

static const float *draw(float *to, struct dev_noise d, int64_t first)
{
    memset(to, 0, N * sizeof *to);
    dev_add_noise(d, first, 1.0F, to, N);
    return to;
}

/* A normal distribution cut at 2: mean 0, deviation 0.87963. */
static void test_distribution(void **state)
{
    double sum = 0, squares = 0, largest = 0;

    (void) state;
    draw(a, stream(3, 7, DEV_NOISE_GRADIENT), 0);
    for (int i = 0; i < N; i++) {
        sum += (double) a[i];
        squares += (double) a[i] * (double) a[i];
        largest = fmax(largest, fabs((double) a[i]));
    }
    assert_true(largest < 2.0 && largest > 1.99);
    assert_true(fabs(sum / N) < 4 * 0.88 / sqrt(N));
    assert_true(fabs(sqrt(squares / N) - 0.87963) < 0.015);
}

static void test_names(void **state)
{
    (void) state;
    draw(a, stream(3, 7, DEV_NOISE_GRADIENT), 0);
    assert_memory_equal(a, draw(b, stream(3, 7, DEV_NOISE_GRADIENT), 0), sizeof a);
    assert_memory_not_equal(a, draw(b, stream(4, 7, DEV_NOISE_GRADIENT), 0), sizeof a);
    assert_memory_not_equal(a, draw(b, stream(3, 8, DEV_NOISE_GRADIENT), 0), sizeof a);
    assert_memory_not_equal(a, draw(b, stream(3, 7, DEV_NOISE_WEIGHT), 0), sizeof a);
}

/* Number i is the same wherever a piece begins, and drawn alone; neighbours, which share a block of
 * random words, differ. */
static void test_each_number_alone(void **state)
{
    struct dev_noise d = stream(3, 7, DEV_NOISE_WEIGHT);

    (void) state;
    draw(a, d, 0);
    draw(b, d, 1001);
    assert_memory_equal(a + 1001, b, (N - 1001) * sizeof *a);
    for (int i = N - 1; i >= 0; i -= 7)
        assert_true(dev_noise_draw(&d, (uint64_t) i) == a[i]);
    for (int i = 1; i < N; i++)
        assert_true(a[i] != a[i - 1]);
    draw(b, d, INT64_C(1) << 33); /* half of it, the block's number, is 1 in the second word */
    assert_memory_not_equal(a, b, sizeof a);
}

static void test_scale_and_sum(void **state)
{
    (void) state;
    draw(a, stream(3, 7, DEV_NOISE_WEIGHT), 5);
    for (int i = 0; i < N; i++)
        b[i] = 10.0F;
    dev_add_noise(stream(3, 7, DEV_NOISE_WEIGHT), 5, 0.5F, b, N);
    for (int i = 0; i < N; i++)
        a[i] = 10.0F + 0.5F * a[i];
    t_assert_close(b, a, N, 1e-6, 0);
}

T_MAIN(cmocka_unit_test(test_distribution), cmocka_unit_test(test_names),
       cmocka_unit_test(test_each_number_alone), cmocka_unit_test(test_scale_and_sum))
