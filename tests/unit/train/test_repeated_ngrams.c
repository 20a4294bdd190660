/* Tests of train/decode/repeated_ngrams.c. */
#include "train/decode/repeated_ngrams.h"

#include "tests/support/t.h"

static void test_sizes(void **state)
{
    static const int32_t ids[] = {5, 6, 7, 5, 6};

    (void) state;
    assert_false(dec_repeats_ngram(ids, 5, 7, 0));
    assert_true(dec_repeats_ngram(ids, 5, 7, 1));
    assert_false(dec_repeats_ngram(ids, 5, 8, 1));
    assert_true(dec_repeats_ngram(ids, 5, 7, 2));
    assert_false(dec_repeats_ngram(ids, 5, 5, 2));
    assert_true(dec_repeats_ngram(ids, 5, 7, 3));
    assert_false(dec_repeats_ngram(ids, 5, 7, 4));
}

/* Nothing, too little, and a pair that overlaps itself. */
static void test_edges(void **state)
{
    static const int32_t same[] = {4, 4, 4};

    (void) state;
    assert_false(dec_repeats_ngram(same, 0, 4, 1));
    assert_false(dec_repeats_ngram(same, 1, 4, 2));
    assert_true(dec_repeats_ngram(same, 2, 4, 2));
    assert_false(dec_repeats_ngram(same, 2, 4, 3));
    assert_true(dec_repeats_ngram(same, 3, 4, 3));
    assert_false(dec_repeats_ngram(same, 3, 4, 9));
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_edges))
