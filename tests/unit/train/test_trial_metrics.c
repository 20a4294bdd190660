/*
 * tests/unit/train/test_trial_metrics.c - evaluations in metrics.jsonl, whole and in pieces.
 */
#include "train/tune/trial_metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static const char *dir_with(const char *name, const char *metrics)
{
    const char *dir = t_tmp_path(name);
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(dir, "metrics.jsonl");

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(path, metrics, strlen(metrics));
    t2_free(path);
    return dir;
}

static const char lines[] =
    "{\"kind\": \"train\", \"step\": 10, \"loss\": 9}\n"
    "{\"kind\": \"eval\", \"step\": 10, \"split\": \"dev\", \"loss\": 3.5, \"accuracy\": 0.5, "
    "\"batches\": 2, \"sequences\": 3, \"target_tokens\": 4, \"seconds\": 5}\n"
    "garbage\n"
    "{\"kind\": \"eval\", \"step\": 20, \"loss\": 3, \"accuracy\": null}\n"
    "{\"kind\": \"eval\", \"step\": 10, \"loss\": 3.25, \"accuracy\": 0.75}\n"
    "{\"kind\": \"eval\", \"step\": 20, \"loss\": 2.5, \"accuracy\": null}\n"
    "{\"kind\": \"eval\", \"step\": 30, \"lo";

static void test_at(void **state)
{
    const char *dir = dir_with("at", lines);
    struct t2_err err = T2_ERR_INIT;
    double value;

    (void) state;
    assert_int_equal(tune_metric_at(dir, "loss", 10, &value, &err), T2_OK);
    assert_true(value == 3.25); /* the later of two */
    assert_int_equal(tune_metric_at(dir, "accuracy", 20, &value, &err), T2_OK);
    assert_true(isnan(value));
    assert_int_equal(tune_metric_at(dir, "loss", 30, &value, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has no evaluation at step 30");
    assert_int_equal(tune_metric_at(dir, "bleu", 10, &value, &err), T2_EUSAGE);
    assert_string_equal(err.message, "the evaluations of these trials have no 'bleu' "
                                     "(--autotune_objective); there are loss, accuracy");
    /* what is no metric, though it is a number */
    assert_int_equal(tune_metric_at(dir_with("others", "{\"kind\": \"eval\", \"step\": 1, "
                                                       "\"seconds\": 5, \"loss\": 1}\n"),
                                    "seconds", 1, &value, &err),
                     T2_EUSAGE);
    assert_int_equal(tune_metric_at("/nowhere", "loss", 10, &value, &err), T2_ENOTFOUND);
}

static void test_curve(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_point *points;
    size_t n;

    (void) state;
    assert_int_equal(tune_metric_curve(dir_with("curve", lines), "loss", &points, &n, &err), T2_OK);
    assert_int_equal(n, 2); /* what came before the run was continued is gone */
    assert_int_equal(points[0].step, 10);
    assert_true(points[0].value == 3.25);
    assert_true(points[1].value == 2.5);
    t2_free(points);
    assert_int_equal(tune_metric_curve(dir_with("curve", lines), "accuracy", &points, &n, &err),
                     T2_OK);
    assert_int_equal(n, 1);
    t2_free(points);
    assert_int_equal(tune_metric_curve("/nowhere", "loss", &points, &n, &err), T2_OK);
    assert_int_equal(n, 0);
    t2_free(points);
}

T_MAIN(cmocka_unit_test(test_at), cmocka_unit_test(test_curve))
