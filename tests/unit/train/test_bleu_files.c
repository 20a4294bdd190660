/*
 * tests/unit/train/test_bleu_files.c - scores by hand, smoothing, brevity, lines and their errors.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/bleu.h"

static enum t2_status score(const char *hypothesis, const char *reference, struct ev_bleu *bleu,
                            struct t2_err *err)
{
    static const bool cased[] = {false};
    const char *h = t_tmp_path("hypothesis"), *r = t_tmp_path("reference");

    t_write_file(h, hypothesis, strlen(hypothesis));
    t_write_file(r, reference, strlen(reference));
    return ev_bleu_files(h, r, cased, 1, bleu, err);
}

static void check(const char *hypothesis, const char *reference, double want)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_bleu bleu;

    if (score(hypothesis, reference, &bleu, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (!(fabs(bleu.score - want) < 1e-5))
        fail_msg("'%s' against '%s': %.9g, expected %.9g", hypothesis, reference, bleu.score, want);
}

static void test_by_hand(void **state)
{
    (void) state;
    check("a b c d e\n", "a b c d e\n", 100);
    /* 5/6, 4/5, 3/4, 2/3; nothing shorter than the reference */
    check("a b c d e x\n", "a b c d e\n", 100 * pow(5. / 6 * 4 / 5 * 3 / 4 * 2 / 3, .25));
    /* all right but short: exp(1 - 6/5) */
    check("a b c d e\n", "a b c d e f\n", 100 * exp(1 - 6. / 5));
    /* no 3-gram, no 4-gram: 1/(2*3), 1/(4*2) */
    check("a b x c d\n", "a b y c d\n", 100 * pow(4. / 5 * 2 / 4 / 6 / 8, .25));
}

/* Orders without any n-gram, and nothing right at all. */
static void test_short_corpora(void **state)
{
    (void) state;
    check("a b\n", "a b\n", 100);
    check("x y z w\n", "a b c d\n", 100 * pow(1. / 8 / 12 / 16 / 16, .25));
    check("\n", "a b c d\n", 0);
    /* 1/(2*1), still the mean of four; no brevity without a reference */
    check("a\n", "\n", 100 * pow(0.5, .25));
    check("\n", "\n", 0);
}

static void test_lines(void **state)
{
    (void) state;
    /* a line end more or less, carriage returns */
    check("a b c d\ne f g h", "a b c d\ne f g h\n", 100);
    check("a b c d\r\n", "a b c d\n", 100);
    /* other line ends of Unicode do not end a line */
    check("a b\u2028c d\n", "a b c d\n", 100);
}

static void check_error(const char *hypothesis, const char *reference, const char *part,
                        const char *other_part)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_bleu bleu;

    assert_int_equal(score(hypothesis, reference, &bleu, &err), T2_EFORMAT);
    t_assert_contains(err.message, part);
    t_assert_contains(err.message, other_part);
}

static void test_errors(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    static const bool cased[] = {false};
    struct ev_bleu bleu;

    (void) state;
    check_error("a\nb\nc\n", "a\nb\n", "hypothesis' has 3 lines", "reference' has 2: line 3 of");
    check_error("a\n", "a\nb\nc\nd\n", "reference' has 4 lines", "hypothesis' has 1: line 2 of");
    check_error("", "a\n", "reference' has 1 line,", "has 0: line 1 of");
    check_error("", "", "are empty", "nothing to score");
    check_error("ok\na\xff\n", "ok\nb\n", "hypothesis': line 2, byte 2", "0xff");
    check_error("ok\na\n", "ok\n\xc3\n", "reference': line 2, byte 1", "0xc3");
    assert_int_equal(ev_bleu_files(t_tmp_path("none"), t_tmp_path("reference"), cased, 1, &bleu,
                                   &err),
                     T2_ENOTFOUND);
}

static void test_corpus(void **state)
{
    const struct t2_slice h[] = {t2_slice_of("A b c d"), t2_slice_of("e")};
    const struct t2_slice r[] = {t2_slice_of("a b c d"), t2_slice_of("e")};
    struct ev_bleu_sum *s = ev_bleu_sum_new(true);
    struct ev_bleu bleu;

    (void) state;
    for (size_t i = 0; i < 2; i++)
        ev_bleu_sum_add(s, h[i], r[i]);
    ev_bleu_sum_score(s, &bleu);
    ev_bleu_sum_free(s);
    assert_true(fabs(bleu.score - 100) < 1e-9);
    assert_int_equal(bleu.n_segments, 2);
}

T_MAIN(cmocka_unit_test(test_by_hand), cmocka_unit_test(test_short_corpora),
       cmocka_unit_test(test_lines), cmocka_unit_test(test_errors), cmocka_unit_test(test_corpus))
