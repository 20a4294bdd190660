/*
 * Tests of train/eval/corpus_bleu.c: the score of several segments is sacreBLEU's of them all.
 */
#include "train/eval/corpus_bleu.h"

#include <math.h>

#include "tests/support/t.h"

static struct t2_err err;

static void add(struct ev_corpus_bleu *b, const char *hypothesis, const char *reference)
{
    if (ev_corpus_bleu_add(b, hypothesis, reference, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static struct ev_corpus_bleu *new_bleu(void)
{
    struct ev_corpus_bleu *b;

    if (ev_corpus_bleu_new(&b, &err) != T2_OK)
        fail_msg("%s", err.message);
    return b;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g, expected %.12g", value, expected);
}

/* sacrebleu.corpus_bleu(hypotheses, [references]).score of release 2.6.0 */
static void test_corpus(void **state)
{
    struct ev_corpus_bleu *b = new_bleu();

    (void) state;
    assert_true(isnan(ev_corpus_bleu_score(b)));
    add(b, "The cat sat on the mat.", "The cat is sitting on the mat.");
    add(b, "A dog, a house and 1,000 trees!", "A dog, a house and 1,000 trees.");
    near(ev_corpus_bleu_score(b), 68.0283235099);
    add(b, "", "Nothing was said.");
    near(ev_corpus_bleu_score(b), 52.9805116205);
    ev_corpus_bleu_free(b);
}

/* Segments of several ranks, in any order. */
static void test_sums(void **state)
{
    struct ev_corpus_bleu *b[2] = {new_bleu(), new_bleu()};
    double sums[EV_CORPUS_BLEU_SUMS];

    (void) state;
    add(b[1], "The cat sat on the mat.", "The cat is sitting on the mat.");
    add(b[0], "", "Nothing was said.");
    add(b[0], "A dog, a house and 1,000 trees!", "A dog, a house and 1,000 trees.");
    ev_corpus_bleu_sums(b[1], sums);
    ev_corpus_bleu_add_sums(b[0], sums);
    near(ev_corpus_bleu_score(b[0]), 52.9805116205);
    ev_corpus_bleu_free(b[0]);
    ev_corpus_bleu_free(b[1]);
}

static void test_all_right(void **state)
{
    struct ev_corpus_bleu *b = new_bleu();

    (void) state;
    add(b, "one two three four five", "one two three four five");
    near(ev_corpus_bleu_score(b), 100);
    ev_corpus_bleu_free(b);
}

T_MAIN(cmocka_unit_test(test_corpus), cmocka_unit_test(test_sums), cmocka_unit_test(test_all_right))
