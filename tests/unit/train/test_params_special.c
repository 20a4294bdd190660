/*
 * Tests of train/graph/params_special.c: filters that pass on, filters that whiten; in pieces.
 */
#include "train/graph/params_special.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static void test_dirac(void **state)
{
    enum { IN = 3, OUT = 5, N = 9 * IN * OUT };
    static const int64_t dims[] = {3, 3, IN, OUT};
    float x[N], pieces[N];

    (void) state;
    for (int i = 0; i < N; i++)
        x[i] = pieces[i] = 7;
    gr_init_dirac(dims, 0, N, x);
    for (int i = 0; i < N; i++) {
        int o = i % OUT, c = i / OUT % IN, pixel = i / OUT / IN;

        assert_true(x[i] == (o >= IN ? 7 : c == o && pixel == 4 ? 1 : 0));
    }
    for (int at = 0; at < N; at += 13)
        gr_init_dirac(dims, at, N - at < 13 ? N - at : 13, pieces + at);
    assert_memory_equal(x, pieces, sizeof x);
}

static void test_whiten(void **state)
{
    enum { N = 12 * 24 };
    static const int64_t dims[] = {2, 2, 3, 24};
    float x[N];

    (void) state;
    gr_init_whiten(dims, 0, 100, x);
    gr_init_whiten(dims, 100, N - 100, x + 100);
    for (int a = 0; a < 12; a++)
        for (int b = 0; b <= a; b++) {
            double dot = 0, square = 0;

            for (int i = 0; i < 12; i++) {
                dot += (double) x[i * 24 + a] * (double) x[i * 24 + b];
                square += (double) x[i * 24 + a] * (double) x[i * 24 + a];
                assert_true(x[i * 24 + a] == -x[i * 24 + a + 12]);
            }
            assert_true(a == b || fabs(dot) < 1e-5);
            if (a == 0)
                assert_true(fabs(square - 1 / 9.963) < 1e-5);
        }
    for (int i = 0; i < 12; i++) /* brightness: all alike */
        assert_true(fabsf(x[i * 24] - x[0]) < 1e-6f);
}

T_MAIN(cmocka_unit_test(test_dirac), cmocka_unit_test(test_whiten))
