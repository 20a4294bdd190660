/*
 * tests/unit/train/test_scores_text.c - the lines of an evaluation.
 */
#include "train/eval/scores_text.h"

#include "tests/support/t.h"

static void check(const struct ev_scores *s, bool images, const char *expected)
{
    struct t2_buf text = {0};

    ev_scores_text(s, 7, "dev", images, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_lines(void **state)
{
    struct ev_scores s = {.loss = 1.5,
                          .accuracy = 0.25,
                          .accuracy_top5 = 0.75,
                          .accuracy_per_sequence = 0.125,
                          .neg_log_perplexity = -2,
                          .n_sequences = 3,
                          .n_tokens = 9};

    (void) state;
    check(&s, true,
          "step 7 dev: loss = 1.500000, accuracy = 0.250000, accuracy_top5 = 0.750000, "
          "neg_log_perplexity = -2.000000, images = 3\n");
    check(&s, false,
          "step 7 dev: loss = 1.500000, accuracy = 0.250000, accuracy_per_sequence = 0.125000, "
          "neg_log_perplexity = -2.000000, sequences = 3\n");
    s.text.words = 4;
    s.text.bytes = 20;
    s.perplexity = 8;
    s.word_perplexity = 16;
    s.byte_perplexity = 2;
    s.bits_per_byte = 1;
    check(&s, false,
          "step 7 dev: loss = 1.500000, accuracy = 0.250000, accuracy_per_sequence = 0.125000, "
          "neg_log_perplexity = -2.000000, sequences = 3\n"
          "step 7 dev: perplexity = 8.000000, word_perplexity = 16.000000, byte_perplexity = "
          "2.000000, bits_per_byte = 1.000000, ids = 9, words = 4, bytes = 20\n");
}

T_MAIN(cmocka_unit_test(test_lines))
