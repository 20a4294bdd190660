/*
 * tests/unit/train/test_chrf.c - statistics, scores and signatures that sacreBLEU 2.6's class CHRF
 * gives.
 */
#include "tests/support/metric_check.h"
#include "train/eval/chrf.h"

static const char *const first[] = {"the cat sat on the mat",
                                    "a cat sat down there on the mat today", NULL};
static const char *const second[] = {"he said that", "so he said", NULL};

static void check_score(const struct ev_metric *m, const double *stats, enum ev_sums sums,
                        double want)
{
    struct ev_number got = m->kind->score(m, stats, sums);

    if (got.is_float32 ? (float) got.v != (float) want : got.v != want)
        fail_msg("%.17g, expected %.17g", got.v, want);
}

/* Falling numbers as sums of a resample. */
static void check_falling(const struct ev_metric *m, double want)
{
    double stats[64];

    for (int i = 0; i < m->n_stats; i++)
        stats[i] = m->n_stats - 1 - i;
    check_score(m, stats, EV_SUMS_FLOAT32, want);
}

static void test_characters(void **state)
{
    static const double a[] = {15, 17, 14, 14, 16, 12, 13, 15, 10, 12, 14, 8, 11, 13, 7, 10, 12, 6},
                        b[] = {8, 8, 8, 7, 7, 6, 6, 6, 4, 5, 5, 3, 4, 4, 2, 3, 3, 1},
                        sum[] = {23, 26, 22, 21, 23, 18, 19, 21, 14,
                                 17, 19, 11, 15, 17, 9,  13, 15, 7};
    struct ev_chrf_options o = {.char_order = 6, .beta = 2};
    struct ev_metric *m = ev_chrf_new(&o);

    (void) state;
    t_check_stats(m, "the cat sat on a mat", first, a);
    t_check_stats(m, "he said so", second, b);
    check_score(m, sum, EV_SUMS_PYTHON, 65.92325853568808);
    check_falling(m, (double) 71.12075f);
    t_check_signature(m, "chrF2", "case:mixed|eff:yes|nc:6|nw:0|space:no|",
                      "c:mixed|e:yes|nc:6|nw:0|s:no|");
    ev_metric_free(m);
}

static void test_words(void **state)
{
    static const double a[] = {15, 17, 14, 14, 16, 12, 13, 15, 10, 12, 14, 8,
                               11, 13, 7,  10, 12, 6,  6,  6,  5,  5,  5,  3};
    static const char *const marks[] = {"(hi there!", NULL}, *const one[] = {"!", NULL};
    static const double single[] = {1, 1, 1, 1, 1, 1};
    struct ev_chrf_options o = {
        .char_order = 6, .word_order = 2, .beta = 2, .lower_case = true, .eps_smoothing = true};
    struct ev_metric *m = ev_chrf_new(&o);

    (void) state;
    t_check_stats(m, "THE cat sat on a mat", first, a);
    check_falling(m, (double) 76.85544f);
    t_check_signature(m, "chrF2++", "case:lc|eff:no|nc:6|nw:2|space:no|",
                      "c:lc|e:no|nc:6|nw:2|s:no|");
    ev_metric_free(m);
    o = (struct ev_chrf_options){.char_order = 1, .word_order = 1, .beta = 2};
    m = ev_chrf_new(&o);
    /* of "(hi" the last character is no mark, so the first goes; "(a)" loses its last only */
    t_check_stats(m, "(a) hi", marks, (const double[]){5, 9, 3, 3, 4, 1});
    t_check_stats(m, "!", one, single);
    ev_metric_free(m);
}

static void test_white_space(void **state)
{
    static const double a[] = {20, 22, 19, 19, 21, 17};
    struct ev_chrf_options o = {.char_order = 2, .beta = 3, .whitespace = true};
    struct ev_metric *m = ev_chrf_new(&o);

    (void) state;
    t_check_stats(m, "the cat sat on a mat", first, a);
    check_falling(m, (double) 36.585365f);
    ev_metric_free(m);
}

/* No n-gram of an order in the reference: the hypothesis' do not count either. */
static void test_nothing(void **state)
{
    static const char *const one[] = {"x", NULL}, *const empty[] = {"", NULL};
    static const double a[] = {2, 1, 0, 0, 0, 0}, none[6] = {0};
    struct ev_chrf_options o = {.char_order = 2, .beta = 2};
    struct ev_metric *m = ev_chrf_new(&o);

    (void) state;
    t_check_stats(m, "ab", one, a);
    t_check_stats(m, "ab", empty, none);
    t_check_stats(m, "", empty, none);
    check_score(m, none, EV_SUMS_PYTHON, 0);
    ev_metric_free(m);
}

T_MAIN(cmocka_unit_test(test_characters), cmocka_unit_test(test_words),
       cmocka_unit_test(test_white_space), cmocka_unit_test(test_nothing))
