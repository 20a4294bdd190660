/*
 * Tests of train/runs/experiment_paths.c.
 */
#include "train/runs/experiment_paths.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/experiment/experiments.h"
#include "train/experiment/params_override.h"

static struct t2_err err;

/* train, validation: input_path as YAML; the result as "problem dir", with "test" behind it. */
static enum t2_status find(const char *train, const char *validation, const char *tfds, char *out,
                           size_t n)
{
    const struct exp_experiment *e = NULL;
    struct exp_config *c = NULL;
    char text[600], *problem, *dir;
    bool use_test = false;
    enum t2_status st;

    assert_int_equal(exp_find("image_classification", &e, &err), T2_OK);
    assert_int_equal(exp_new(e, &c, &err), T2_OK);
    snprintf(text, sizeof text,
             "{task: {train_data: {input_path: %s, tfds_name: '%s'}, "
             "validation_data: {input_path: %s}}}",
             train, tfds, validation);
    assert_int_equal(exp_override(c, text, &err), T2_OK);
    st = tr_experiment_paths(c, true, true, &problem, &dir, &use_test, &err);
    snprintf(out, n, "%s %s%s", problem ? problem : "-", dir ? dir : "-", use_test ? " test" : "");
    t2_free(problem);
    t2_free(dir);
    exp_config_free(c);
    return st;
}

static void check(const char *train, const char *validation, const char *expected)
{
    char out[300];

    if (find(train, validation, "", out, sizeof out) != T2_OK)
        fail_msg("%s: %s", train, err.message);
    assert_string_equal(out, expected);
}

static void test_names(void **state)
{
    (void) state;
    check("''", "''", "- -");
    check("d/translate_x-train-00000-of-00001", "''", "translate_x d");
    check("d/x-train-00000-of-00001", "d/x-test-00000-of-00001", "x d test");
    check("/x-train-0", "''", "x /");
    check("x-train-0", "x-dev-0", "x .");
    check("d/train-00000-of-00002", "d/validation-00000-of-00001", "pictures d");
    check("[d/x-train-0, d/x-train-1]", "''", "x d");
    check("'d/x-train-0,d/x-train-1'", "''", "x d");
    check("d/a-train-wreck-train-0", "''", "a d");
    check("''", "d/x-dev-0", "x d");
}

static void test_patterns(void **state)
{
    char pattern[300], expected[300];
    const char *path = t_tmp_path("x-train-00000-of-00001");
    size_t n = strlen(path) - strlen("-00000-of-00001");

    (void) state;
    t_write_file(path, "x", 1);
    snprintf(pattern, sizeof pattern, "%.*s*", (int) n, path);
    snprintf(expected, sizeof expected, "x %.*s", (int) (strrchr(path, '/') - path), path);
    check(pattern, "''", expected);
}

static void check_refused(const char *train, const char *validation, const char *tfds,
                          enum t2_status status, const char *message)
{
    char out[300];

    assert_int_equal(find(train, validation, tfds, out, sizeof out), status);
    assert_string_equal(out, "- -");
    t_assert_contains(err.message, message);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("no/x-train*", "''", "", T2_ENOTFOUND,
                  "task.train_data.input_path: 'no/x-train*' does not match any files");
    check_refused("hdfs://b/x", "''", "", T2_EUNSUPPORTED, "only gs://, s3:// and https://");
    check_refused("gs://b/x", "''", "", T2_EUSAGE, "names no shards of a data set");
    check_refused("d/x", "''", "", T2_EUSAGE, "'d/x' names no shards of a data set");
    check_refused("d/x-training", "''", "", T2_EUSAGE, "names no shards");
    check_refused("d/x-dev-0", "''", "", T2_EUSAGE, "task.train_data.input_path names dev shards");
    check_refused("''", "d/x-train-0", "", T2_EUSAGE, "names train shards");
    check_refused("d/x-train-0", "d/y-dev-0", "", T2_EUSAGE,
                  "of two data sets, 'd/x' and 'd/y': they must be splits of one");
    check_refused("[d/x-train-0, e/x-train-1]", "''", "", T2_EUSAGE, "are not of one data set");
    check_refused("d/x-train-0", "''", "mnist", T2_EUSAGE,
                  "task.train_data.input_path and task.train_data.tfds_name are both given");
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_patterns),
       cmocka_unit_test(test_refused))
