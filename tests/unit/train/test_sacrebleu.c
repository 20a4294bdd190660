/*
 * tests/unit/train/test_sacrebleu.c - statistics, scores and signatures that sacreBLEU 2.6's class
 * BLEU gives, in all three arithmetics.
 */
#include <math.h>

#include "tests/support/metric_check.h"
#include "train/eval/sacrebleu.h"

static struct ev_metric *bleu(struct ev_sacrebleu_options o)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_tokenizer *t;

    assert_int_equal(ev_tokenizer_new("13a", NULL, NULL, &t, &err), T2_OK);
    return ev_sacrebleu_new(&o, t);
}

static void test_statistics(void **state)
{
    static const char *const first[] = {"the cat sat on the mat",
                                        "a cat sat down there on the mat today", NULL};
    static const char *const second[] = {"he said that", "so he said", NULL};
    static const char *const third[] = {"x", "", NULL};
    static const double a[] = {6, 6, 6, 3, 2, 1, 6, 5, 4, 3}, b[] = {3, 3, 3, 1, 0, 0, 3, 2, 1, 0},
                        c[EV_BLEU_STATS] = {0};
    struct ev_metric *m = bleu((struct ev_sacrebleu_options){.smoothing = EV_SMOOTH_EXP});

    (void) state;
    t_check_stats(m, "the cat sat on a mat", first, a);
    t_check_stats(m, "he said so", second, b);
    t_check_stats(m, "", third, c);
    t_check_signature(m, "BLEU", "case:mixed|eff:no|tok:13a|smooth:exp|",
                      "c:mixed|e:no|tok:13a|s:exp|");
    ev_metric_free(m);
    ev_metric_free(NULL);
}

static void check_score(struct ev_sacrebleu_options o, const double *stats, enum ev_sums sums,
                        double want)
{
    struct ev_number got = ev_sacrebleu_score(&o, stats, sums, NULL);

    assert_false(got.is_float32);
    if (got.v != want)
        fail_msg("%.17g, expected %.17g", got.v, want);
}

static void test_scores(void **state)
{
    static const double corpus[] = {9, 9, 9, 4, 2, 1, 9, 7, 5, 3},
                        few[] = {3, 4, 2, 1, 0, 0, 3, 2, 1, 0}, none[EV_BLEU_STATS] = {4, 4};
    const struct ev_sacrebleu_options exponential = {.smoothing = EV_SMOOTH_EXP,
                                                     .smooth_value = (double) NAN};
    struct ev_sacrebleu_options add = {.smoothing = EV_SMOOTH_ADD_K, .smooth_value = 2};

    (void) state;
    check_score(exponential, corpus, EV_SUMS_PYTHON, 52.53819788848318);
    check_score(exponential, few, EV_SUMS_PYTHON, 0);
    check_score(exponential, none, EV_SUMS_PYTHON, 0);
    check_score(add, corpus, EV_SUMS_PYTHON, 69.14415692838826);
    check_score(add, few, EV_SUMS_FLOAT32, 54.44460492761848);
    check_score(add, few, EV_SUMS_INT64, 54.4446059660669);
    add.smooth_value = 2.5; /* an array of whole numbers drops the half */
    check_score(add, few, EV_SUMS_INT64, 54.4446059660669);
}

static void test_effective_order(void **state)
{
    static const double few[] = {3, 3, 3, 1, 0, 0, 3, 2, 1, 0};
    struct ev_sacrebleu_options o = {.smoothing = EV_SMOOTH_EXP, .effective_order = true};
    struct ev_bleu_parts parts;

    (void) state;
    /* 3/3, 1/2, half of 0/1; no order 4 */
    assert_true(fabs(ev_sacrebleu_score(&o, few, EV_SUMS_PYTHON, &parts).v -
                     100 * cbrt(1.0 / 2 / 2)) < 1e-9);
    assert_true(parts.brevity_penalty == 1);
    assert_true(parts.precisions[2] == 50);
    assert_true(parts.precisions[3] == 0);
}

static void test_signatures(void **state)
{
    struct ev_metric *m = bleu((struct ev_sacrebleu_options){.lower_case = true,
                                                             .smoothing = EV_SMOOTH_FLOOR,
                                                             .smooth_value = (double) NAN});

    (void) state;
    t_check_signature(m, "BLEU", "case:lc|eff:no|tok:13a|smooth:floor[0.10]|",
                      "c:lc|e:no|tok:13a|s:floor[0.10]|");
    ev_metric_free(m);
}

T_MAIN(cmocka_unit_test(test_statistics), cmocka_unit_test(test_scores),
       cmocka_unit_test(test_effective_order), cmocka_unit_test(test_signatures))
