/*
 * Tests of train/runs/best_export.c: which checkpoint gets into the folder of the best one, alone,
 * and what info.json says; also when the run died before it was written.
 */
#include "train/runs/best_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/train/small_run.h"
#include "train/runs/loop.h"

static struct t2_err err;

static void train(const char *data, const char *dir, int64_t steps, bool is_lower)
{
    struct tr_run *r = small_run(data, dir, "learning_rate_constant=0.5", steps, 1);

    r->options.best_subdir = "best";
    r->options.best_metric = "validation_loss";
    r->options.best_is_lower = is_lower;
    if (tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
}

/* The one step that the folder has; info.json must say it, too. */
static int64_t exported(const char *dir)
{
    char *best = t2_path_join(dir, "best"), *info = t2_path_join(best, "info.json"), *text;
    int64_t *steps, step;
    char says[64];
    size_t n;

    assert_int_equal(ckpt_list(best, &steps, &n, &err), T2_OK);
    assert_int_equal(n, 1);
    step = steps[0];
    text = t_read_file(info, &n);
    snprintf(says, sizeof says, "    \"best_ckpt_global_step\": %lld", (long long) step);
    t_assert_contains(text, says);
    t_assert_contains(text, "{\n    \"validation_loss\": ");
    t_assert_contains(text, ",\n    \"accuracy\": ");
    assert_null(strstr(text, "cls_accuracy")); /* of BERT */
    assert_int_equal(text[n - 1], '\n');
    free(text);
    t2_free(steps);
    t2_free(info);
    t2_free(best);
    return step;
}

/* The loss falls all the time: the lowest is the last one, the highest the first. */
static void test_which(void **state)
{
    const char *data = t_tmp_path("data"), *lower = t_tmp_path("lower");
    const char *higher = t_tmp_path("higher");

    (void) state;
    small_data(data);
    train(data, lower, 24, true);
    assert_int_equal(exported(lower), 24);
    train(data, higher, 24, false);
    assert_int_equal(exported(higher), 4);
    train(data, higher, 32, false); /* what was before counts */
    assert_int_equal(exported(higher), 4);
}

/* What a kill between checkpoint and info.json leaves is made good when the run goes on. */
static void test_killed(void **state)
{
    const char *data = t_tmp_path("data2"), *dir = t_tmp_path("killed");

    (void) state;
    small_data(data);
    train(data, dir, 8, true);
    assert_int_equal(unlink(t_tmp_path("killed/best/info.json")), 0);
    train(data, dir, 8, true);
    assert_int_equal(exported(dir), 8);
}

static void test_metrics(void **state)
{
    (void) state;
    assert_string_equal(tr_garden_metric_key("validation_loss"), "loss");
    assert_string_equal(tr_garden_metric_key("top_5_accuracy"), "accuracy_top5");
    assert_string_equal(tr_garden_metric_key("sacrebleu_score"), "sacrebleu_score");
    assert_null(tr_garden_metric_key("mean_iou"));
}

T_MAIN(cmocka_unit_test(test_which), cmocka_unit_test(test_killed), cmocka_unit_test(test_metrics))
