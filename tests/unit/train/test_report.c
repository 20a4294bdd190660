/*
 * Tests of train/eval/report.c: the metrics, the keys, what a continued run keeps of the file.
 */
#include "train/eval/report.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "tests/support/t.h"
#include "train/eval/value_scores.h"

static struct t2_err err;

static void test_scores(void **state)
{
    const struct mdl_loss a = {.numerator = 30,
                               .denominator = 10,
                               .n_correct = 4,
                               .n_top5 = 7,
                               .log_prob = -25,
                               .n_sequences_correct = 1};
    const struct mdl_loss b = {.numerator = 20,
                               .denominator = 40,
                               .n_correct = 36,
                               .n_top5 = 38,
                               .log_prob = -15,
                               .n_sequences_correct = 2};
    struct ev_sums sums = {0};
    struct ev_scores s;

    (void) state;
    ev_sums_add(&sums, &a, &(struct mdl_batch){.batch = 3});
    ev_sums_add(&sums, &b, &(struct mdl_batch){.batch = 5});
    s = ev_sums_scores(&sums);
    assert_true(s.loss == (3.0 + 0.5) / 2); /* over batches */
    assert_true(s.accuracy == 40.0 / 50);   /* over tokens */
    assert_true(s.accuracy_top5 == 45.0 / 50);
    assert_true(s.accuracy_per_sequence == 3.0 / 8);
    assert_true(s.neg_log_perplexity == -40.0 / 50);
    assert_int_equal(s.n_batches, 2);
    assert_int_equal(s.n_sequences, 8);
    assert_true(fabs(s.perplexity - exp(0.8)) < 1e-12);
    assert_true(s.text.bytes == 0);
    sums.text = (struct ev_text_counts){.words = 32, .bytes = 160};
    s = ev_sums_scores(&sums);
    assert_true(fabs(s.word_perplexity - exp(40.0 / 32)) < 1e-12);
    assert_true(fabs(s.byte_perplexity - exp(0.25)) < 1e-12);
    assert_true(fabs(s.bits_per_byte - 0.25 / log(2.0)) < 1e-12);
    s = ev_sums_scores(&(struct ev_sums){0});
    assert_true(isnan(s.loss) && isnan(s.accuracy));
}

/* What only a language model's lines have. */
static void test_text_keys(void **state)
{
    static const char *const keys[] = {"\"perplexity\"",      "\"word_perplexity\"",
                                       "\"byte_perplexity\"", "\"bits_per_byte\"",
                                       "\"target_words\"",    "\"target_bytes\""};
    const char *dir = t_tmp_path("text_keys");
    char *path = t2_path_join(dir, "metrics.jsonl"), *text;
    struct ev_eval_line line = {.step = 3,
                                .split = "dev",
                                .scores = {.perplexity = 2.5, .text = {.words = 7, .bytes = 30}}};
    struct ev_report *r;
    size_t n;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (int of_text = 0; of_text < 2; of_text++) {
        if (!of_text)
            line.scores.text.bytes = 0;
        assert_int_equal(ev_report_open(dir, -1, NULL, NULL, &r, &err), T2_OK);
        assert_int_equal(ev_report_eval(r, &line, &err), T2_OK);
        ev_report_close(r);
        text = t_read_file(path, &n);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            assert_true(!strstr(text, keys[i]) == !of_text);
        if (of_text)
            t_assert_contains(text, "\"perplexity\": 2.5, ");
        free(text);
        line.scores.text.bytes = 30;
    }
    t2_free(path);
}

static struct ev_train_line train_line(int64_t step)
{
    return (struct ev_train_line){.step = step,
                                  .train_steps = 100,
                                  .loss = 2.5,
                                  .loss_mean = 2.75,
                                  .n_steps = 10,
                                  .learning_rate = 1e-3,
                                  .gradient_norm = (double) NAN,
                                  .target_tokens = 1234,
                                  .samples = 77};
}

static void write_steps(const char *dir, int64_t at, int64_t from, int64_t to)
{
    struct ev_report *r = NULL;

    if (ev_report_open(dir, at, NULL, NULL, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int64_t i = from; i <= to; i++) {
        struct ev_train_line t = train_line(i);
        struct ev_eval_line e = {.step = i, .split = "dev", .scores.ids.wanted = UINT_MAX};

        assert_int_equal(ev_report_train(r, &t, &err), T2_OK);
        assert_int_equal(ev_report_eval(r, &e, &err), T2_OK);
    }
    ev_report_close(r);
}

/* Path of metrics.jsonl in a fresh folder. */
static char *metrics_in(const char *name, const char **dir)
{
    *dir = t_tmp_path(name);
    assert_int_equal(t2_make_dirs(*dir, &err), T2_OK);
    return t2_path_join(*dir, "metrics.jsonl");
}

/* A score of targets that are no ids. */
static bool is_of_values(const char *name)
{
    for (enum ev_value_kind kind = EV_REALS; kind <= EV_LABEL_SETS; kind++) {
        const struct ev_value_means m = {.kind = kind, .asked = UINT_MAX};
        const char *score;
        double value;

        for (int i = 0; (score = ev_value_score(&m, i, &value)); i++)
            if (strcmp(score, name) == 0)
                return true;
    }
    return false;
}

static void test_keys(void **state)
{
    static const char *const train_keys[] = {
        "kind",          "step",          "loss",
        "loss_mean",     "steps",         "learning_rate",
        "gradient_norm", "target_tokens", "target_tokens_per_s",
        "stall",         "save_s",        "eval_s",
        "samples",       "epoch",         "wall_s",
        "eta_s",         "memory"};
    static const char *const eval_keys[] = {"kind",
                                            "step",
                                            "split",
                                            "loss",
                                            "accuracy",
                                            "accuracy_top5",
                                            "accuracy_per_sequence",
                                            "neg_log_perplexity",
                                            "approx_bleu_score",
                                            "rouge_2_fscore",
                                            "rouge_L_fscore",
                                            "edit_distance",
                                            "word_error_rate",
                                            "approx_sari_score",
                                            "image_rmse",
                                            "disc_mol_neg_log_perplexity",
                                            "sacrebleu_score",
                                            "masked_neg_log_perplexity",
                                            "batches",
                                            "sequences",
                                            "target_tokens",
                                            "seconds"};
    const char *dir;
    char *path = metrics_in("keys", &dir);
    size_t n;
    char *text, *second;
    struct t2_json_doc *doc;

    (void) state;
    write_steps(dir, 0, 7, 7);
    text = t_read_file(path, &n);
    second = strchr(text, '\n') + 1;
    assert_int_equal(t2_json_parse(text, (size_t) (second - text), path, &doc, &err), T2_OK);
    for (size_t i = 0; i < sizeof train_keys / sizeof *train_keys; i++)
        assert_non_null(t2_json_get(t2_json_root(doc), train_keys[i]));
    assert_int_equal(t2_json_size(t2_json_root(doc)), sizeof train_keys / sizeof *train_keys);
    assert_string_equal(t2_json_as_string(t2_json_get(t2_json_root(doc), "kind"), ""), "train");
    assert_int_equal(t2_json_type(t2_json_get(t2_json_root(doc), "gradient_norm")), T2_JSON_NULL);
    t2_json_free(doc);
    assert_int_equal(t2_json_parse(second, strlen(second), path, &doc, &err), T2_OK);
    for (size_t i = 0; i < sizeof eval_keys / sizeof *eval_keys; i++)
        assert_non_null(t2_json_get(t2_json_root(doc), eval_keys[i]));
    assert_int_equal(t2_json_size(t2_json_root(doc)), sizeof eval_keys / sizeof *eval_keys);
    n = 7; /* kind, step, counts */
    for (int i = 0; ev_score_names[i]; i++) {
        bool here = t2_json_get(t2_json_root(doc), ev_score_names[i]) != NULL;

        assert_true(here != is_of_values(ev_score_names[i]));
        n += here;
    }
    assert_int_equal(n, sizeof eval_keys / sizeof *eval_keys);
    t2_json_free(doc);
    free(text);
    t2_free(path);
}

static void test_a_continued_run_drops_what_came_after(void **state)
{
    const char *dir, *straight_dir;
    char *path = metrics_in("cont", &dir), *straight = metrics_in("straight", &straight_dir);
    char *a, *b, *cut;
    size_t n, m;

    (void) state;
    write_steps(straight_dir, 0, 1, 9);
    write_steps(dir, 0, 1, 7);
    a = t_read_file(path, &n);
    t_write_file(path, a, n - 5); /* the last line is cut short */
    free(a);
    write_steps(dir, 4, 5, 9); /* continues at step 4 */
    a = t_read_file(path, &n);
    b = t_read_file(straight, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);

    cut = t2_path_join(dir, "other.jsonl");
    t_write_file(path, "", 0);
    write_steps(dir, 4, 5, 5);
    t_write_file(path, "no json\n{\"step\":1}\n[]\n", 22);
    write_steps(dir, 4, 1, 0);
    a = t_read_file(path, &n);
    assert_string_equal(a, "{\"step\":1}\n");
    free(a);
    t2_free(cut);
    t2_free(path);
    t2_free(straight);
}

static void count_lines(void *context, const char *line)
{
    assert_null(strchr(line, '\n'));
    ++*(int *) context;
}

static void test_lines_are_also_emitted(void **state)
{
    const char *dir;
    char *path = metrics_in("emit", &dir);
    struct ev_train_line t = train_line(1);
    struct ev_report *r;
    int n = 0;

    (void) state;
    assert_int_equal(ev_report_open(dir, 0, count_lines, &n, &r, &err), T2_OK);
    assert_int_equal(ev_report_train(r, &t, &err), T2_OK);
    assert_int_equal(n, 1);
    ev_report_close(r);
    ev_report_close(NULL);
    t2_free(path);
}

static void test_a_file_that_cannot_be_written(void **state)
{
    const char *dir;
    char *path = metrics_in("full", &dir);
    struct ev_train_line t = train_line(1);
    struct rlimit was, limit;
    struct ev_report *r;
    enum t2_status st;

    (void) state;
    assert_int_equal(ev_report_open(dir, 0, NULL, NULL, &r, &err), T2_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    limit = was;
    limit.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0); /* as when the disk is full */
    st = ev_report_train(r, &t, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(st, T2_EIO);
    t_assert_contains(err.message, path);
    ev_report_close(r);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(ev_report_open(dir, 0, NULL, NULL, &r, &err), T2_EIO);
    assert_null(r);
    t2_free(path);
}

static int quiet(void **state)
{
    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    return 0;
}

/* Samples stand before the line of their evaluation: without it they go, too. */
static void test_unfinished_evaluation(void **state)
{
    const char *dir;
    char *path = metrics_in("unfinished", &dir), *text;
    struct ev_report *r;
    size_t n;

    (void) state;
    for (int finished = 0; finished < 2; finished++) {
        assert_int_equal(ev_report_open(dir, 0, NULL, NULL, &r, &err), T2_OK);
        assert_int_equal(ev_report_last_eval(r), -1);
        assert_int_equal(ev_report_sample(r, 4, "a", "b", "c", &err), T2_OK);
        if (finished)
            assert_int_equal(ev_report_eval(r, &(struct ev_eval_line){.step = 4, .split = "dev"},
                                            &err),
                             T2_OK);
        ev_report_close(r);
        assert_int_equal(ev_report_open(dir, 4, NULL, NULL, &r, &err), T2_OK);
        assert_int_equal(ev_report_last_eval(r), finished ? 4 : -1);
        ev_report_close(r);
        text = t_read_file(path, &n);
        assert_int_equal(strstr(text, "sample") != NULL, finished);
        t2_free(text);
    }
    t2_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_text_keys),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_a_continued_run_drops_what_came_after),
        cmocka_unit_test(test_lines_are_also_emitted),
        cmocka_unit_test(test_unfinished_evaluation),
        cmocka_unit_test(test_a_file_that_cannot_be_written),
    };

    return cmocka_run_group_tests(tests, quiet, NULL);
}
