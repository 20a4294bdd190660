/*
 * tests/unit/datagen/problems/test_problem_sentiment.c - reviews by file and by line; zero-based
 * labels.
 */
#include "tests/unit/datagen/problems/samples.h"

static void test_imdb_takes_good_ones_first_by_name(void **state)
{
    (void) state;
    s_put("aclImdb/train/neg/1.txt", " bad\n");
    s_put("aclImdb/train/pos/10_9.txt", "ten");
    s_put("aclImdb/train/pos/2_9.txt", "two\nlines ");
    s_put("aclImdb/test/pos/1.txt", "x");
    s_check("sentiment_imdb", DG_TRAIN, "ten>1\ntwo\nlines>1\nbad>0\n");
    s_check_contains("sentiment_imdb", DG_DEV, "no file 'aclImdb/test/neg/*'");
    s_put("aclImdb/test/neg/1.txt", "a\xff");
    s_check_contains("sentiment_imdb", DG_DEV, "the byte at offset 1 is not valid UTF-8");
}

static void test_yelp_is_cut_by_position(void **state)
{
    struct dg_options o = s_options();
    char *got;

    (void) state;
    s_put("yelp_review_full_csv/train.csv", "\"5\",\" na\xc3\xafve \"\"x\"\" \"\n\"1\",\"\"\n");
    s_check("sentiment_yelp_full", DG_TRAIN, "na\xc3\xafve \"\"x\"\">5\n>1\n");
    o.zero_based_labels = true;
    got = s_samples_with("sentiment_yelp_full", DG_TRAIN, &o);
    assert_string_equal(got, "na\xc3\xafve \"\"x\"\">4\n>0\n");
    t2_free(got);
    s_put("yelp_review_polarity_csv/test.csv", "\"3\",\"x\"\n");
    s_check_contains("sentiment_yelp_polarity", DG_DEV, "must be a label, 1 to 2");
}

T_MAIN(cmocka_unit_test(test_imdb_takes_good_ones_first_by_name),
       cmocka_unit_test(test_yelp_is_cut_by_position))
