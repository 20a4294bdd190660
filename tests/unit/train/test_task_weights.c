/*
 * Tests of train/models/task_weights.c: the sum that its header promises, for losses put together
 * by hand, and batches without some of the problems.
 */
#include "train/models/task_weights.h"

#include <math.h>

#include "tests/support/t.h"

enum { L = 5, WORDS = 90, TRANSLATE = 91, LABELS = 92 };

static const struct mdl_task_weights three = {WORDS, 3, 0.75};

/* Sum of weights times losses over the number of ids. */
static double loss_of(const struct mdl_task_weights *w, const int32_t *ids, int64_t B,
                      const double *losses)
{
    float weights[8 * L];
    double sum = 0.0;
    int n = 0;

    mdl_task_weights(w, ids, B, L, weights);
    for (int64_t i = 0; i < B * L; i++) {
        n += ids[i] != 0;
        sum += (double) weights[i] * losses[i];
        assert_true(ids[i] != 0 || weights[i] == 0.0f);
    }
    return n > 0 ? sum / n : 0.0;
}

/* clang-format off */
static const int32_t mixed[] = {
    WORDS,     5,         6,         7,      1,
    WORDS,     8,         1,         0,      0,
    11,        12,        TRANSLATE, 13,     1,
    11,        TRANSLATE, 14,        15,     1,
    21,        22,        23,        LABELS, 95,
};
static const double mixed_losses[] = {
    1,  2,  3,  4,  5,
    6,  7,  8,  99, 99,
    10, 20, 30, 40, 50,
    60, 70, 80, 90, 100,
    3,  5,  7,  9,  11,
};
/* clang-format on */

static void test_formula(void **state)
{
    const double a = (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8) / 8.0;
    const double b1 = (10 + 20 + 30 + 60 + 70) / 5.0, c1 = (40 + 50 + 80 + 90 + 100) / 5.0;
    const double b2 = (3 + 5 + 7 + 9) / 4.0, c2 = 11;
    const double expected = (a + 0.25 * b1 + 0.75 * c1 + 0.25 * b2 + 0.75 * c2) / 3.0;

    (void) state;
    assert_true(fabs(loss_of(&three, mixed, 5, mixed_losses) - expected) < 1e-4);
}

static void test_missing(void **state)
{
    static const int32_t words[] = {WORDS, 5, 6, 7, 1}, nobody[] = {5, 6, 7, 8, 1};
    static const int32_t cut[] = {5, 6, 7, TRANSLATE, 0}, one[] = {5, TRANSLATE, 8, 1, 0};
    static const double losses[] = {2, 4, 6, 8, 10};

    (void) state;
    assert_true(fabs(loss_of(&three, words, 1, losses) - 6.0) < 1e-5); /* the plain mean */
    assert_true(loss_of(&three, nobody, 1, losses) == 0.0);
    assert_true(loss_of(&three, cut, 1, losses) == 0.0);
    assert_true(fabs(loss_of(&three, one, 1, losses) - (0.25 * 3.0 + 0.75 * 7.0)) < 1e-5);
}

T_MAIN(cmocka_unit_test(test_formula), cmocka_unit_test(test_missing))
