/*
 * tests/unit/train/test_id_scores.c - scores of ids; the numbers are those of Tensor2Tensor's own
 * functions over the same ids (bench/check_eval_scores.py).
 */
#include "train/eval/id_scores.h"

#include <math.h>

#include "tests/support/metric_cases.h"

enum { MOST = 100, ALL = EV_APPROX_BLEU | EV_ROUGE_IDS | EV_EDIT_DISTANCE | EV_WORD_ERROR_RATE };

static struct t2_err err;

/* batch() of the script. */
static void fill(int32_t rows, int32_t length, bool of_bytes, int32_t *predictions, int32_t *labels)
{
    static const int32_t bytes[] = {0, 1, 2, 34, 99, 100, 34, 101, 258, 300, 3};

    assert_true(rows * length <= MOST);
    for (int32_t i = 0; i < rows * length; i++) {
        int32_t row = i / length, column = i % length;
        int32_t said = (i * i * 5 + i * 3 + 1) % 11, right = i % 4 == 0 ? (i * 7 + 2) % 11 : said;

        if (column >= length - row % 4 && column > 0)
            right = 0;
        predictions[i] = of_bytes ? bytes[said] : said;
        labels[i] = of_bytes ? bytes[right] : right;
    }
}

static void add_rows(struct ev_id_scorer *s, struct ev_id_rows rows)
{
    if (ev_id_scorer_add(s, &rows, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void add(struct ev_id_scorer *s, int32_t rows, int32_t length, bool of_bytes)
{
    int32_t predictions[MOST], labels[MOST];

    fill(rows, length, of_bytes, predictions, labels);
    add_rows(s, (struct ev_id_rows){rows, length, 0, predictions, labels, NULL});
}

static struct ev_id_means three_batches(bool of_bytes)
{
    struct ev_id_scorer *s = ev_id_scorer_new(ALL);
    struct ev_id_means m;

    add(s, 4, 9, of_bytes);
    add(s, 3, 1, of_bytes);
    add(s, 5, 17, of_bytes);
    m = ev_id_scorer_means(s);
    ev_id_scorer_free(s);
    return m;
}

static void check(double value, double expected)
{
    if (!(fabs(value - expected) < 2e-7))
        fail_msg("%.9g, expected %.9g", value, expected);
}

static void test_ids(void **state)
{
    struct ev_id_means m = three_batches(false);

    (void) state;
    check(m.approx_bleu_score, 0.586020052);
    check(m.rouge_2_fscore, 0.387087584);
    check(m.rouge_L_fscore, 0.683660209);
    check(m.edit_distance, 0.366336644);
}

/* Ids of bytes: padding, ends, NUL, blanks side by side, what is above a byte. */
static void test_bytes(void **state)
{
    struct ev_id_means m = three_batches(true);

    (void) state;
    check(m.approx_bleu_score, 0.619566679);
    check(m.rouge_2_fscore, 0.413583368);
    check(m.rouge_L_fscore, 0.70076257);
    check(m.edit_distance, 0.336633652);
    check(m.word_error_rate, 0.782608688);
}

/* Only what is asked for; nothing without a batch, or without a word. */
static void test_nothing(void **state)
{
    struct ev_id_scorer *s = ev_id_scorer_new(EV_ROUGE_IDS);
    struct ev_id_means m = ev_id_scorer_means(NULL);

    (void) state;
    assert_int_equal(m.wanted, 0);
    assert_true(isnan(m.approx_bleu_score) && isnan(m.word_error_rate));
    m = ev_id_scorer_means(s);
    assert_true(isnan(m.rouge_2_fscore));
    add(s, 4, 9, false);
    m = ev_id_scorer_means(s);
    assert_int_equal(m.wanted, EV_ROUGE_IDS);
    assert_true(m.rouge_2_fscore > 0 && isnan(m.approx_bleu_score) && isnan(m.edit_distance));
    ev_id_scorer_free(s);
    s = ev_id_scorer_new(ALL);
    add_rows(s, (struct ev_id_rows){0});
    assert_true(isnan(ev_id_scorer_means(s).approx_bleu_score));
    add_rows(s, (struct ev_id_rows){1, 2, 0, (int32_t[]){5, 6}, (int32_t[]){0, 0}, NULL});
    m = ev_id_scorer_means(s);
    assert_true(isnan(m.edit_distance) && isnan(m.word_error_rate));
    ev_id_scorer_free(s);
}

static int32_t *whole_numbers(const double *x, int64_t n)
{
    int32_t *ids = t2_alloc((size_t) n, sizeof *ids);

    for (int64_t i = 0; i < n; i++)
        ids[i] = (int32_t) x[i];
    return ids;
}

/* One batch, as recorded. */
static void check_recorded(const struct t_metric_case *c)
{
    struct ev_id_scorer *s = ev_id_scorer_new(ev_id_score_bit(c->metric));
    int32_t *predictions = whole_numbers(c->predictions, c->rows * c->columns);
    int32_t *labels = whole_numbers(c->labels, c->rows * c->columns);
    int32_t *inputs = whole_numbers(c->inputs, c->n_inputs);
    struct ev_id_means m;
    double value;

    add_rows(s, (struct ev_id_rows){.rows = (int32_t) c->rows,
                                    .length = (int32_t) c->columns,
                                    .inputs_length = (int32_t) (c->n_inputs / c->rows),
                                    .predictions = predictions,
                                    .labels = labels,
                                    .inputs = inputs});
    m = ev_id_scorer_means(s);
    assert_string_equal(ev_id_score(&m, 0, &value), c->metric);
    t_metric_near(c, value);
    assert_null(ev_id_score(&m, 1, &value));
    ev_id_scorer_free(s);
    t2_free(predictions);
    t2_free(labels);
    t2_free(inputs);
}

static void test_recorded(void **state)
{
    (void) state;
    assert_true(t_metric_cases("ids", check_recorded) > 10);
}

/* tf.metrics.mean: SARI is of all rows alike, the root of a batch counts as often as it has ids. */
static void test_batches(void **state)
{
    struct ev_id_scorer *s = ev_id_scorer_new(EV_APPROX_SARI | EV_IMAGE_RMSE);
    int32_t right[] = {5, 6, 7}, wrong[] = {8, 9, 10}, none[] = {0, 0, 0};
    struct ev_id_means m;

    (void) state;
    add_rows(s, (struct ev_id_rows){1, 3, 3, right, right, right});
    add_rows(s, (struct ev_id_rows){1, 1, 3, wrong, right, none});
    m = ev_id_scorer_means(s);
    check(m.image_rmse, (3 * 0.0 + 1 * 3.0) / 4);
    /* Order 1: keeps nothing, adds wrongly, leaves out nothing; orders 2 to 4 have no n-grams. */
    check(m.approx_sari_score, (1 + (2 + 0 + 3 * 3) / 12.0) / 2);
    ev_id_scorer_free(s);
    assert_int_equal(ev_id_score_bit("rmse"), 0);
}

T_MAIN(cmocka_unit_test(test_ids), cmocka_unit_test(test_bytes), cmocka_unit_test(test_nothing),
       cmocka_unit_test(test_recorded), cmocka_unit_test(test_batches))
