/*
 * tests/unit/train/test_resample.c - scores and estimates that sacreBLEU 2.6 with NumPy 2.4 gives
 * for statistics made here, on 1 and 3 threads; sums beyond 2^24.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/eval/resample.h"
#include "train/eval/sacrebleu.h"
#include "train/eval/significance.h"

enum { N = 12, MANY = 100, TRIALS = 50 };

static double first[N * EV_BLEU_STATS], second[N * EV_BLEU_STATS];
static struct ev_metric *metric;

static void make(void)
{
    struct ev_sacrebleu_options o = {.smoothing = EV_SMOOTH_EXP};
    struct t2_err err = T2_ERR_INIT;
    struct ev_tokenizer *t;

    assert_int_equal(ev_tokenizer_new("none", NULL, NULL, &t, &err), T2_OK);
    metric = ev_sacrebleu_new(&o, t);
    for (int i = 0; i < N; i++) {
        const double a[] = {5 + i % 3, 6,         4 - i % 2, 3,         2,
                            i % 2,     5 + i % 3, 4 + i % 3, 3 + i % 3, 2 + i % 3};
        const double b[] = {5, 6, 4 - i % 3, 3 - i % 3, 1, 0, 5, 4, 3, 2};

        for (int k = 0; k < EV_BLEU_STATS; k++) {
            first[i * EV_BLEU_STATS + k] = a[k];
            second[i * EV_BLEU_STATS + k] = b[k];
        }
    }
}

static double score_of(const double *stats)
{
    double sums[EV_BLEU_STATS] = {0};

    for (int i = 0; i < N; i++)
        for (int k = 0; k < EV_BLEU_STATS; k++)
            sums[k] += stats[i * EV_BLEU_STATS + k];
    return metric->kind->score(metric, sums, EV_SUMS_PYTHON).v;
}

static enum t2_status resample(const double *stats, size_t n_samples, struct t2_pool *pool,
                               struct ev_number *scores)
{
    struct t2_err err = T2_ERR_INIT;

    return ev_resample(metric, &stats, 1, N, n_samples, 12345, pool, &scores, &err);
}

static void check_resamples(struct t2_pool *pool)
{
    static const double want[] = {40.5243400284035, 33.19887257882441, 39.01390441556941,
                                  36.8106791147192, 44.39323730155757};
    struct ev_number scores[MANY], copy[MANY];
    struct ev_estimate e;

    assert_int_equal(resample(first, 5, pool, scores), T2_OK);
    for (int i = 0; i < 5; i++)
        assert_true(scores[i].v == want[i]);
    assert_int_equal(resample(first, MANY, pool, scores), T2_OK);
    for (int i = 0; i < MANY; i++)
        copy[i] = scores[i];
    e = ev_estimate_exact(scores, MANY);
    assert_true(e.mean == 40.38734898851774);
    assert_true(e.interval == 5.865971203263641);
    e = ev_estimate_numpy(copy, MANY);
    assert_true(e.mean == 40.38734898851775);
    assert_true(e.interval == 5.865971203263641);
}

static void check_tests(struct t2_pool *pool)
{
    const double *const stats[] = {first, second};
    struct ev_number a[TRIALS], b[TRIALS], *const scores[] = {a, b};
    struct t2_err err = T2_ERR_INIT;
    double real = score_of(first) - score_of(second);
    struct ev_estimate e;

    assert_true(score_of(second) == 17.491650626361256);
    assert_int_equal(ev_randomise(metric, first, second, N, TRIALS, 12345, pool, a, &err), T2_OK);
    assert_true(ev_p_randomised(a, TRIALS, real) == 0.0196078431372549);
    assert_int_equal(ev_resample(metric, stats, 2, N, TRIALS, 12345, pool, scores, &err), T2_OK);
    assert_true(ev_p_bootstrap(a, b, TRIALS, real) == 0.0196078431372549);
    e = ev_estimate_numpy(b, TRIALS);
    assert_true(e.mean == 17.30298702794669);
    assert_true(e.interval == 1.6963096397157145);
}

static void test_recorded(void **state)
{
    (void) state;
    make();
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        struct t2_pool *pool = t2_pool_new(n_threads);

        check_resamples(pool);
        check_tests(pool);
        t2_pool_free(pool);
    }
    ev_metric_free(metric);
}

/* A metric of one statistic, its sum. */
static struct ev_number the_sum(const struct ev_metric *m, const double *stats, enum ev_sums sums)
{
    (void) m;
    return (struct ev_number){stats[0], sums == EV_SUMS_FLOAT32};
}

static void test_large_sums(void **state)
{
    const struct ev_metric_kind kind = {.score = the_sum};
    const struct ev_metric one = {&kind, 1};
    const double stats[] = {16777216, 16777216, 1, 1, 1, 1, 1};
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_err err = T2_ERR_INIT;
    const double *of_one = stats;
    struct ev_number score, *at = &score;

    (void) state;
    /* numpy.random.default_rng(3).choice(7, 7) is 5 0 1 1 1 5 6: each 1 behind the first large
     * number is lost */
    assert_int_equal(ev_resample(&one, &of_one, 1, 7, 1, 3, pool, &at, &err), T2_OK);
    assert_true(score.is_float32);
    assert_true(score.v == 67108864);
    t2_pool_free(pool);
}

/* Counts are added as whole numbers: the same as halves of twice as many, which are not. */
static void test_counts(void **state)
{
    const struct ev_metric_kind kind = {.score = the_sum};
    const struct ev_metric one = {&kind, 1};
    double a[MANY], b[MANY], half_a[MANY], half_b[MANY];
    struct ev_number whole[TRIALS], halves[TRIALS];
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;
    bool differ = false;

    (void) state;
    for (int i = 0; i < MANY; i++) {
        a[i] = i * 7 % 31;
        b[i] = i * 11 % 29 - 3;
        half_a[i] = a[i] / 2;
        half_b[i] = b[i] / 2;
    }
    assert_int_equal(ev_randomise(&one, a, b, MANY, TRIALS, 3, pool, whole, &err), T2_OK);
    assert_int_equal(ev_randomise(&one, half_a, half_b, MANY, TRIALS, 3, pool, halves, &err),
                     T2_OK);
    for (int i = 0; i < TRIALS; i++) {
        assert_true(whole[i].v == 2 * halves[i].v);
        differ |= whole[i].v != whole[0].v;
    }
    assert_true(differ);
    a[0] = 1e9; /* whole, and too large */
    half_a[0] = a[0] / 2;
    assert_int_equal(ev_randomise(&one, a, b, MANY, TRIALS, 3, pool, whole, &err), T2_OK);
    assert_int_equal(ev_randomise(&one, half_a, half_b, MANY, TRIALS, 3, pool, halves, &err),
                     T2_OK);
    for (int i = 0; i < TRIALS; i++)
        assert_true(whole[i].v == 2 * halves[i].v);
    t2_pool_free(pool);
}

static struct ev_number each_its_weight(const struct ev_metric *m, const double *stats,
                                        enum ev_sums sums)
{
    double sum = 0;

    (void) sums;
    for (int k = 0; k < m->n_stats; k++)
        sum += (k + 1) * stats[k];
    return (struct ev_number){sum, false};
}

/* Resampling counts how many times a row of small counts was drawn: the same as halves of twice as
 * many, which it adds as floats. */
static void test_times_drawn(void **state)
{
    enum { ROWS = 700, MOST_STATS = 33, SYSTEMS = 7 };
    const struct ev_metric_kind kind = {.score = each_its_weight};
    const int n_stats[] = {1, 10, 16, 17, 33}, most[] = {1, 100, 256, 20000};
    double *counts = t2_alloc(SYSTEMS * ROWS * MOST_STATS, sizeof *counts);
    double *halves = t2_alloc(SYSTEMS * ROWS * MOST_STATS, sizeof *halves);
    struct ev_number of_counts[SYSTEMS][4], of_halves[SYSTEMS][4];
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < 5 * 4 * SYSTEMS; i++) {
        size_t n_systems = i % SYSTEMS + 1, n = (size_t) n_stats[i / SYSTEMS % 5];
        int largest = most[i / SYSTEMS / 5];
        const struct ev_metric metric_of_n = {&kind, (int) n};
        const double *a[SYSTEMS], *b[SYSTEMS];
        struct ev_number *to_a[SYSTEMS], *to_b[SYSTEMS];

        for (size_t k = 0; k < n_systems * ROWS * n; k++) {
            counts[k] =
                k == 5 ? largest : (double) (t_hash64(i * 7777777 + k) % (uint64_t) largest);
            halves[k] = counts[k] / 2;
        }
        for (size_t s = 0; s < n_systems; s++) {
            a[s] = &counts[s * ROWS * n];
            b[s] = &halves[s * ROWS * n];
            to_a[s] = of_counts[s];
            to_b[s] = of_halves[s];
        }
        assert_int_equal(ev_resample(&metric_of_n, a, n_systems, ROWS, 4, i, pool, to_a, &err),
                         T2_OK);
        assert_int_equal(ev_resample(&metric_of_n, b, n_systems, ROWS, 4, i, pool, to_b, &err),
                         T2_OK);
        for (size_t s = 0; s < n_systems; s++)
            for (int k = 0; k < 4; k++)
                assert_true(of_counts[s][k].v == 2 * of_halves[s][k].v);
    }
    t2_pool_free(pool);
    t2_free(counts);
    t2_free(halves);
}

/* More draws than a count of 16 bits holds, and statistics that are equal in both systems. */
static void test_many_rows(void **state)
{
    enum { ROWS = 70000, STATS = 3, SYSTEMS = 2, SAMPLES = 2 };
    const struct ev_metric_kind kind = {.score = each_its_weight};
    const struct ev_metric metric_of_three = {&kind, STATS};
    double *stats[2 * SYSTEMS];
    const double *given[2 * SYSTEMS];
    struct ev_number scores[2 * SYSTEMS][SAMPLES], *to[2 * SYSTEMS];
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t s = 0; s < 2 * SYSTEMS; s++) {
        stats[s] = t2_alloc(ROWS * STATS, sizeof *stats[s]);
        given[s] = stats[s];
        to[s] = scores[s];
        for (size_t i = 0; i < ROWS * STATS; i++) { /* the last two systems: halves */
            double x = (double) (i % STATS == 1 ? i % 91 : (i * 7 + s % SYSTEMS) % 83);

            stats[s][i] = s < SYSTEMS ? x : x / 2;
        }
    }
    for (size_t half = 0; half < 2; half++)
        assert_int_equal(ev_resample(&metric_of_three, given + half * SYSTEMS, SYSTEMS, ROWS,
                                     SAMPLES, 7, pool, to + half * SYSTEMS, &err),
                         T2_OK);
    for (size_t s = 0; s < SYSTEMS; s++)
        for (int i = 0; i < SAMPLES; i++)
            assert_true(scores[s][i].v == 2 * scores[SYSTEMS + s][i].v);
    assert_true(scores[0][0].v != scores[1][0].v);
    for (size_t s = 0; s < 2 * SYSTEMS; s++)
        t2_free(stats[s]);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_recorded), cmocka_unit_test(test_counts),
       cmocka_unit_test(test_times_drawn), cmocka_unit_test(test_many_rows),
       cmocka_unit_test(test_large_sums))
