/*
 * Tests of train/eval/answer_scores.c: what is compared of two answers; test_answer_spans.c
 * compares scores with the original's.
 */
#include <math.h>

#include "tests/support/t.h"
#include "train/eval/answer_scores.h"

static void test_words(void **state)
{
    (void) state;
    assert_true(ev_answer_is_exact("The Old ship.", "an old  SHIP"));
    assert_true(ev_answer_is_exact("a-the", "athe")); /* dashes go before articles are looked for */
    assert_false(ev_answer_is_exact("theory", "ory"));
    assert_true(ev_answer_is_exact("\xC3\x89t\xC3\xA9", "\xC3\xA9t\xC3\x89"));
    assert_true(ev_answer_is_exact("", "the"));
    assert_true(fabs(ev_answer_f1("old ship", "the old old wind") - 0.4) < 1e-15);
    assert_true(ev_answer_f1("", "the") == 0.0);
    assert_true(ev_answer_f1("wind", "ship") == 0.0);
    assert_true(ev_answer_f1("\xE2\x80\x94 a b", "b \xE2\x80\x94") == 1.0);
}

T_MAIN(cmocka_unit_test(test_words))
