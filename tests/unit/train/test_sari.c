/*
 * Tests of train/eval/sari.c, by hand; tests/unit/train/test_id_scores.c has the original's own.
 */
#include "train/eval/sari.h"

#include <math.h>

#include "tests/support/t.h"

static double sari(const int32_t *source, int32_t n_source, const int32_t *said, int32_t n_said,
                   const int32_t *right, int32_t n_right)
{
    struct ev_words *words = ev_words_new();
    double value = ev_sari(words, (struct ev_id_row){source, n_source},
                           (struct ev_id_row){said, n_said}, (struct ev_id_row){right, n_right});

    ev_words_free(words);
    return value;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Words 1 2 3 4 become 1 2 5; said is 1 5 6. */
static void test_by_hand(void **state)
{
    static const int32_t source[] = {1, 2, 3, 4}, said[] = {1, 5, 6}, right[] = {1, 2, 5};
    /* order 1: kept 1 of {1}, should {1, 2}: F 2/3; added {5, 6}, should {5}: F 2/3; left out
     * {2, 3, 4}, rightly {3, 4}: 2/3.  Order 2: kept none, should {12}: 0; added {15, 56}, should
     * {25}: 0; left out {12, 23, 34}, rightly two: 2/3.  Order 3: nothing kept, and nothing to: 1;
     * added {156}, should {125}: 0; left out both rightly: 1.  Order 4: 1, 1, 1. */
    double expected = (2.0 / 3 + 2.0 / 3 + 2.0 / 3 + 0 + 0 + 2.0 / 3 + 1 + 0 + 1 + 3) / 12;

    (void) state;
    near(sari(source, 4, said, 3, right, 3), expected);
}

/* Padding is nowhere; what is there twice is there once. */
static void test_padding_and_repetition(void **state)
{
    static const int32_t source[] = {1, 2, 3, 4}, said[] = {1, 5, 6}, right[] = {1, 2, 5};
    static const int32_t source_0[] = {0, 1, 2, 0, 3, 4, 0}, said_0[] = {1, 0, 0, 5, 6};
    static const int32_t twice[] = {7, 7, 7, 7, 7};
    double value;

    (void) state;
    near(sari(source_0, 7, said_0, 5, right, 3), sari(source, 4, said, 3, right, 3));
    value = sari(twice, 5, twice, 4, twice, 4);
    near(value, 1.0);
    near(sari(twice, 0, twice, 0, twice, 0), 1.0);
}

T_MAIN(cmocka_unit_test(test_by_hand), cmocka_unit_test(test_padding_and_repetition))
