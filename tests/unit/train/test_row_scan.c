/*
 * tests/unit/train/test_row_scan.c - the best ids of a row against sorting all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/decode/row_scan.h"

enum { MAX_VOCAB = 5000 };

static float logits[MAX_VOCAB], work[MAX_VOCAB];
static struct dec_candidate sorted[MAX_VOCAB], best[MAX_VOCAB];

static int by_score(const void *a, const void *b)
{
    const struct dec_candidate *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The same float32 expression for every id, and a full sort.  The sum may differ in its last bits,
 * so the one that dec_row_best used is taken back from its best score. */
static void check_best(int32_t vocab, int32_t n, float alive, float penalty)
{
    float lse;
    double sum = 0;
    int32_t top = 0;

    assert_true(dec_row_best(logits, vocab, alive, penalty, n, work, best));
    for (int32_t i = 0; i < vocab; i++)
        top = logits[i] > logits[top] ? i : top;
    for (int32_t i = 0; i < vocab; i++)
        sum += exp((double) logits[i] - (double) logits[top]);
    assert_true(dec_row_argmax(logits, vocab, work, &top, &lse));
    lse = logits[top] - lse; /* exact up to a rounding; the search below settles it */
    assert_true(fabs((double) lse - ((double) logits[top] + log(sum))) < 2e-6);
    for (float ulp = nextafterf(lse, -INFINITY); ulp <= nextafterf(lse, INFINITY);
         ulp = nextafterf(ulp, INFINITY)) {
        for (int32_t i = 0; i < vocab; i++)
            sorted[i] = (struct dec_candidate){(logits[i] - ulp + alive) / penalty, i};
        qsort(sorted, (size_t) vocab, sizeof *sorted, by_score);
        if (memcmp(sorted, best, (size_t) n * sizeof *best) == 0)
            return;
    }
    for (int32_t i = 0; i < n; i++)
        if (sorted[i].id != best[i].id)
            fail_msg("vocab %d, n %d, alive %g: place %d is %d (%.9g), expected %d (%.9g)", vocab,
                     n, (double) alive, i, best[i].id, (double) best[i].score, sorted[i].id,
                     (double) sorted[i].score);
}

static void test_best(void **state)
{
    static const int32_t vocabs[] = {2, 3, 8, 60, 63, 64, 65, 130, 1000, 4999};

    (void) state;
    for (size_t i = 0; i < sizeof vocabs / sizeof *vocabs; i++) {
        for (int32_t n = 1; n <= 16 && n <= vocabs[i]; n++) {
            t_fill(logits, (size_t) vocabs[i], (uint64_t) (vocabs[i] * 100 + n));
            for (int32_t v = 0; v < vocabs[i]; v++)
                logits[v] *= 8;
            check_best(vocabs[i], n, 0, 1);
            check_best(vocabs[i], n, -13.25f, 1.7f);
        }
    }
}

static void test_ties_go_to_the_lower_id(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        t_fill(logits, 1000, seed);
        for (int32_t v = 0; v < 1000; v++)
            logits[v] = roundf(logits[v] * 3);
        check_best(1000, 8, -2, 1.3f);
    }
    /* log-probabilities that only become equal by rounding */
    t_fill(logits, 1000, 77);
    check_best(1000, 8, -1e7f, 1);
    for (int32_t v = 0; v < 1000; v++)
        logits[v] = 4;
    assert_true(dec_row_best(logits, 1000, 0, 1, 8, work, best));
    for (int32_t i = 0; i < 8; i++)
        assert_int_equal(best[i].id, i);
}

static void test_argmax(void **state)
{
    float log_prob;
    int32_t id;

    (void) state;
    for (int32_t at = 0; at < 300; at += 7) {
        t_fill(logits, 300, 5);
        logits[at] = 9;
        logits[299] = 9;
        assert_true(dec_row_argmax(logits, 300, work, &id, &log_prob));
        assert_int_equal(id, at);
        assert_true(log_prob < 0 && log_prob > -1);
    }
    logits[0] = 0;
    logits[1] = 0;
    assert_true(dec_row_argmax(logits, 2, work, &id, &log_prob));
    assert_int_equal(id, 0);
    assert_true(fabsf(log_prob + 0.69314718f) < 1e-6f);
}

static void test_not_finite(void **state)
{
    static const float odd[] = {NAN, INFINITY};
    float log_prob;
    int32_t id;

    (void) state;
    for (int i = 0; i < 2; i++) {
        for (int32_t at = 0; at < 100; at += 9) {
            t_fill(logits, 100, 5);
            logits[at] = odd[i];
            assert_false(dec_row_best(logits, 100, 0, 1, 4, work, best));
            assert_false(dec_row_argmax(logits, 100, work, &id, &log_prob));
        }
    }
    /* a masked id is not an error */
    t_fill(logits, 100, 5);
    logits[17] = -INFINITY;
    assert_true(dec_row_best(logits, 100, 0, 1, 4, work, best));
}

static void test_forced(void **state)
{
    (void) state;
    dec_row_forced(2, 6, -4, 2, 4, best);
    assert_int_equal(best[0].id, 2);
    assert_true(best[0].score == -2);
    assert_int_equal(best[1].id, 0);
    assert_int_equal(best[2].id, 1);
    assert_int_equal(best[3].id, 3);
    assert_true(best[3].score == -5e8f);
}

T_MAIN(cmocka_unit_test(test_best), cmocka_unit_test(test_ties_go_to_the_lower_id),
       cmocka_unit_test(test_argmax), cmocka_unit_test(test_not_finite),
       cmocka_unit_test(test_forced))
