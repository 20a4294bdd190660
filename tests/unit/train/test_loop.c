/*
 * Tests of train/runs/loop.c: straight = interrupted and continued, bit for bit; threads; reports;
 * what is never saved; what happens when saving fails.
 */
#include "train/runs/loop.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json.h"
#include "base/log.h"
#include "base/signals.h"
#include "tests/unit/train/small_run.h"
#include "train/runs/evaluate.h"

static struct t2_err err;

static void train_ok(const char *data, const char *dir, const char *overrides, int64_t steps,
                     int num_threads)
{
    struct tr_run *r = small_run(data, dir, overrides, steps, num_threads);

    if (tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(r->state.step, steps);
    assert_int_equal(r->saved_step, steps);
    tr_run_free(r);
}

static void same_files(const char *a_dir, const char *b_dir, const char *name)
{
    char *a_path = t2_path_join(a_dir, name), *b_path = t2_path_join(b_dir, name), *a, *b;
    size_t n, m;

    a = t_read_file(a_path, &n);
    b = t_read_file(b_path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
    t2_free(a_path);
    t2_free(b_path);
}

static void same_checkpoints(const char *a, const char *b, const char *step)
{
    char *model = t2_asprintf("model-%s.safetensors", step);
    char *optimizer = t2_asprintf("optimizer-%s.safetensors", step);

    same_files(a, b, model);
    same_files(a, b, optimizer);
    t2_free(model);
    t2_free(optimizer);
}

static void test_straight_and_continued_are_equal(void **state)
{
    const char *data = t_tmp_path("data"), *a = t_tmp_path("a"), *b = t_tmp_path("b"),
               *c = t_tmp_path("c");

    (void) state;
    small_data(data);
    train_ok(data, a, "", 11, 1);
    for (int64_t step = 1; step <= 11; step += 5) /* 1, 6, 11 */
        train_ok(data, b, "", step, 1 + (int) step % 2);
    same_checkpoints(a, b, "11");
    train_ok(data, c, "", 11, 2);
    same_checkpoints(a, c, "11");
    same_checkpoints(a, c, "8");
}

/* The lines of metrics.jsonl of one kind: how many, and the value of `key` in the last. */
static int metric(const char *dir, const char *kind, const char *key, double *last)
{
    char *path = t2_path_join(dir, "metrics.jsonl"), *text, *line;
    size_t n;
    int count = 0;

    line = text = t_read_file(path, &n);
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        struct t2_json_doc *doc = NULL;

        assert_int_equal(t2_json_parse(line, length, path, &doc, &err), T2_OK);
        if (strcmp(t2_json_as_string(t2_json_get(t2_json_root(doc), "kind"), ""), kind) == 0) {
            count++;
            *last = t2_json_as_double(t2_json_get(t2_json_root(doc), key), -1);
        }
        t2_json_free(doc);
        line += length + 1;
    }
    free(text);
    t2_free(path);
    return count;
}

static void test_reports_checkpoints_evaluations(void **state)
{
    const char *data = t_tmp_path("data2"), *dir = t_tmp_path("reports");
    int64_t *steps;
    size_t n;
    double last;

    (void) state;
    small_data(data);
    train_ok(data, dir, "", 19, 1);
    assert_int_equal(metric(dir, "train", "step", &last), 10); /* 2, 4, ... 18, 19 */
    assert_true(last == 19);
    assert_int_equal(metric(dir, "train", "steps", &last), 10);
    assert_true(last == 1); /* 18 -> 19 */
    (void) metric(dir, "train", "loss", &last);
    assert_true(last > 0 && last < 10);
    assert_int_equal(metric(dir, "eval", "step", &last), 5); /* 4, 8, 12, 16, 19 */
    assert_true(last == 19);
    (void) metric(dir, "eval", "sequences", &last);
    assert_true(last == 41); /* every one, once */
    assert_int_equal(ckpt_list(dir, &steps, &n, &err), T2_OK);
    assert_int_equal(n, 3);
    assert_int_equal(steps[0], 12);
    assert_int_equal(steps[2], 19);
    t2_free(steps);
    /* nothing left to train: evaluates */
    train_ok(data, dir, "", 19, 1);
    assert_int_equal(metric(dir, "eval", "step", &last), 6);
}

static void test_it_learns(void **state)
{
    const char *data = t_tmp_path("data3"), *dir = t_tmp_path("learns");
    struct tr_run *r;
    struct ev_scores before, after;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "learning_rate_constant=1.0", 40, 1);
    assert_int_equal(tr_evaluate(r, &before, &err), T2_OK);
    assert_int_equal(before.n_sequences, 41);
    r->options.local_eval_frequency = 1000;
    assert_int_equal(tr_train(r, &err), T2_OK);
    assert_int_equal(tr_evaluate(r, &after, &err), T2_OK);
    assert_true(after.loss < before.loss - 0.3);
    assert_true(after.neg_log_perplexity > before.neg_log_perplexity);
    r->options.eval_steps = 1;
    assert_int_equal(tr_evaluate(r, &after, &err), T2_OK);
    assert_int_equal(after.n_batches, 1);
    tr_run_free(r);
}

static void test_what_is_not_finite_is_not_saved(void **state)
{
    const char *data = t_tmp_path("data4"), *dir = t_tmp_path("nan");
    struct ev_scores scores;
    struct tr_run *r;
    int64_t *steps;
    size_t n;

    (void) state;
    small_data(data);
    train_ok(data, dir, "", 4, 1);
    r = small_run(data, dir, "learning_rate_constant=1e30", 100, 1);
    r->options.local_eval_frequency = 1;
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "the checkpoint of step ");
    tr_run_free(r);
    /* whatever is there is finite and can be continued */
    assert_int_equal(ckpt_list(dir, &steps, &n, &err), T2_OK);
    assert_true(n >= 1);
    t2_free(steps);
    r = small_run(data, dir, "", 100, 1);
    assert_int_equal(tr_evaluate(r, &scores, &err), T2_OK);
    assert_true(isfinite(scores.loss));
    {
        const struct gr_params *p = mdl_params(r->model);
        float bad = INFINITY;

        r->dev->upload_now(r->dev, p->values + p->variables[0].offset, &bad, sizeof bad);
    }
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is intact");
    t_assert_contains(err.message, "--allow_hparams_change");
    {
        char *name = t2_asprintf("%s/not-finite-%d.json", dir, (int) r->state.step + 1);

        assert_true(t2_exists(name));
        t2_free(name);
    }
    tr_run_free(r);
}

/* A slot that is not finite though the variables are: the step is not written, and the checkpoint
 * that is called intact can be continued. */
static void test_slots_that_are_not_finite_are_not_saved(void **state)
{
    const char *data = t_tmp_path("data6"), *dir = t_tmp_path("slots");
    const float bad = NAN;
    struct opt_slot s;
    struct tr_run *r;

    (void) state;
    small_data(data);
    train_ok(data, dir, "", 4, 1);
    r = small_run(data, dir, "", 5, 1);
    for (size_t i = 0; i < opt_slot_count(r->opt); i++) {
        s = opt_slot_at(r->opt, i);
        r->dev->upload_now(r->dev, s.values + s.n - 1, &bad, sizeof bad);
    }
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is not finite");
    t_assert_contains(err.message, "the checkpoint of step 4 is intact");
    tr_run_free(r);
    train_ok(data, dir, "", 8, 1);
}

static void test_saving_fails(void **state)
{
    const char *data = t_tmp_path("data5"), *dir = t_tmp_path("full");
    struct rlimit was, limit;
    struct tr_run *r;
    enum t2_status st;

    (void) state;
    small_data(data);
    train_ok(data, dir, "", 4, 1);
    r = small_run(data, dir, "", 8, 1);
    r->options.log_step_count_steps = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    limit = was;
    limit.rlim_cur = 5000; /* as when the disk is full */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    st = tr_train(r, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(st, T2_EIO);
    t_assert_contains(err.message, "step 8 could not be saved (the checkpoint of step 4 is intact");
    tr_run_free(r);
    train_ok(data, dir, "", 8, 1); /* the same command again */
}

static void test_estimate(void **state)
{
    const char *data = t_tmp_path("data6"), *dir = t_tmp_path("estimate");
    struct tr_run *r;
    double seconds, tokens;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 8, 1);
    assert_int_equal(tr_estimate(r, &seconds, &tokens, &err), T2_OK);
    assert_true(seconds > 0 && tokens > 0);
    tr_run_free(r);
}

/* Last: the flag that the signal sets stays set. */
static void test_interrupted(void **state)
{
    const char *data = t_tmp_path("data7"), *dir = t_tmp_path("interrupted");
    struct tr_run *r;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 1000, 1);
    t2_signals_install();
    raise(SIGINT);
    assert_int_equal(tr_train(r, &err), T2_EINTERRUPTED);
    t_assert_contains(err.message, "interrupted after step 1, which is saved");
    assert_int_equal(r->saved_step, 1);
    tr_run_free(r);
}

static int quiet(void **state)
{
    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_and_continued_are_equal),
        cmocka_unit_test(test_reports_checkpoints_evaluations),
        cmocka_unit_test(test_it_learns),
        cmocka_unit_test(test_what_is_not_finite_is_not_saved),
        cmocka_unit_test(test_slots_that_are_not_finite_are_not_saved),
        cmocka_unit_test(test_saving_fails),
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_interrupted),
    };

    return cmocka_run_group_tests(tests, quiet, NULL);
}
