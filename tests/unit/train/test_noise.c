/* Tests of train/optim/noise.c: the distribution, and that the numbers are named. */
#include "train/optim/noise.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

enum { N = 20000 };

static float a[N], b[N];

static const float *draw(float *to, uint64_t seed, int64_t step, enum opt_noise_kind kind,
                         int64_t piece)
{
    memset(to, 0, N * sizeof *to);
    opt_add_noise(seed, step, kind, piece, 1.0F, to, N);
    return to;
}

/* A normal distribution cut at 2: mean 0, deviation 0.87963. */
static void test_distribution(void **state)
{
    double sum = 0, squares = 0, largest = 0;

    (void) state;
    draw(a, 3, 7, OPT_NOISE_GRADIENT, 0);
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
    draw(a, 3, 7, OPT_NOISE_GRADIENT, 5);
    assert_memory_equal(a, draw(b, 3, 7, OPT_NOISE_GRADIENT, 5), sizeof a);
    assert_memory_not_equal(a, draw(b, 4, 7, OPT_NOISE_GRADIENT, 5), sizeof a);
    assert_memory_not_equal(a, draw(b, 3, 8, OPT_NOISE_GRADIENT, 5), sizeof a);
    assert_memory_not_equal(a, draw(b, 3, 7, OPT_NOISE_WEIGHT, 5), sizeof a);
    assert_memory_not_equal(a, draw(b, 3, 7, OPT_NOISE_GRADIENT, 6), sizeof a);
}

static void test_scale_and_sum(void **state)
{
    (void) state;
    draw(a, 3, 7, OPT_NOISE_WEIGHT, 5);
    for (int i = 0; i < N; i++)
        b[i] = 10.0F;
    opt_add_noise(3, 7, OPT_NOISE_WEIGHT, 5, 0.5F, b, N);
    for (int i = 0; i < N; i++)
        a[i] = 10.0F + 0.5F * a[i];
    t_assert_close(b, a, N, 1e-6, 0);
}

T_MAIN(cmocka_unit_test(test_distribution), cmocka_unit_test(test_names),
       cmocka_unit_test(test_scale_and_sum))
