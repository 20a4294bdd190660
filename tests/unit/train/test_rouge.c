/*
 * tests/unit/train/test_rouge.c - scores of one line by hand, in the three variants.
 */
#include <math.h>

#include "tests/support/t.h"
#include "train/eval/rouge.h"

static void score(enum ev_rouge_variant variant, const char *prediction, const char *target,
                  struct ev_rouge_score *scores)
{
    struct ev_rouge *r = ev_rouge_new(variant);

    ev_rouge_line(r, t2_slice_of("what was before"), t2_slice_of("leaves nothing"), scores);
    ev_rouge_line(r, t2_slice_of(prediction), t2_slice_of(target), scores);
    ev_rouge_free(r);
}

static void check(const struct ev_rouge_score *s, double precision, double recall, double f)
{
    if (!(fabs(s->precision - precision) < 1e-15 && fabs(s->recall - recall) < 1e-15 &&
          fabs(s->f - f) < 1e-12))
        fail_msg("%.15g %.15g %.15g, expected %.15g %.15g %.15g", s->precision, s->recall, s->f,
                 precision, recall, f);
}

/* Sets of n-grams; the smoothing of the denominators counts. */
static void test_tensor2tensor(void **state)
{
    struct ev_rouge_score s[EV_N_ROUGE];
    double b = 0.5 / (0.75 + 1e-12);

    (void) state;
    score(EV_ROUGE_T2T, "a a b c A x", "a b c d", s);
    check(&s[EV_ROUGE_1], 3.0 / 5, 3.0 / 4, 2 * (0.45 / (1.35 + 1e-8)));
    check(&s[EV_ROUGE_2], 2.0 / 5, 2.0 / 3, 2 * (4.0 / 15 / (16.0 / 15 + 1e-8)));
    check(&s[EV_ROUGE_L], 3.0 / 6, 3.0 / 4, (1 + b * b) * 0.375 / (0.75 + b * b * 0.5 + 1e-12));
    score(EV_ROUGE_T2T, "", "a", s);
    for (int k = 0; k < EV_N_ROUGE; k++)
        check(&s[k], 0, 0, 0);
    score(EV_ROUGE_T2T, "a", "", s);
    for (int k = 0; k < EV_N_ROUGE; k++)
        check(&s[k], 0, 0, 0);
}

static void test_package(void **state)
{
    struct ev_rouge_score s[EV_N_ROUGE];

    (void) state;
    /* as the package gives them */
    score(EV_ROUGE_SCORE, "Police killed the gunman, police say",
          "the gunmen were killed by police.", s);
    check(&s[EV_ROUGE_1], 0.5, 0.5, 0.5);
    check(&s[EV_ROUGE_2], 0, 0, 0);
    check(&s[EV_ROUGE_L], 1.0 / 3, 1.0 / 3, 1.0 / 3);
    /* n-grams count as often as both have them */
    score(EV_ROUGE_SCORE, "a a a b", "A-a c", s);
    check(&s[EV_ROUGE_1], 2.0 / 4, 2.0 / 3, 4.0 / 7);
    check(&s[EV_ROUGE_2], 1.0 / 3, 1.0 / 2, 2.0 / 5);
    score(EV_ROUGE_SCORE, "\u212a\u00e4b", "k b", s); /* the Kelvin sign is a k in lower case */
    check(&s[EV_ROUGE_L], 1, 1, 1);
    score(EV_ROUGE_SCORE, "\u4e2d\u6587", "\u4e2d\u6587", s); /* no word of ASCII */
    check(&s[EV_ROUGE_1], 0, 0, 0);
}

static void test_stems(void **state)
{
    struct ev_rouge_score s[EV_N_ROUGE];

    (void) state;
    score(EV_ROUGE_SCORE_STEMS, "Running dogs hoped filing", "runs dog hoping file", s);
    check(&s[EV_ROUGE_1], 1, 1, 1);
    score(EV_ROUGE_SCORE_STEMS, "was ties", "wa tie", s); /* three letters stay */
    check(&s[EV_ROUGE_1], 0.5, 0.5, 0.5);
}

T_MAIN(cmocka_unit_test(test_tensor2tensor), cmocka_unit_test(test_package),
       cmocka_unit_test(test_stems))
