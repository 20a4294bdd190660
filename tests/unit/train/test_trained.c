/*
 * tests/unit/train/test_trained.c - which checkpoint is meant.  Opening one is tested from the
 * outside, in tests/cli/t2t-decoder.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "train/trained/trained.h"

static void check(const char *output_dir, const char *path, const char *want_dir, int64_t want_step)
{
    struct t2_err err = T2_ERR_INIT;
    char *dir;
    int64_t step;

    if (tr_find_checkpoint(output_dir, path, &dir, &step, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(dir, want_dir);
    assert_int_equal(step, want_step);
    t2_free(dir);
}

static void test_find(void **state)
{
    char folder[512];
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check("run", "", "run", -1);
    check("run", "1200", "run", 1200);
    check("run", "0", "run", 0);
    check("run", "other/state-7.json", "other", 7);
    check("", "other/model-1000.safetensors", "other", 1000);
    check("", "a-b/model.ckpt-50", "a-b", 50); /* as the original names them */
    check("", "/x-1/y/optimizer-3.safetensors", "/x-1/y", 3);
    check("run", "model-9.safetensors", "run", 9);
    check("", "model-9.safetensors", ".", 9);
    snprintf(folder, sizeof folder, "%s", t_tmp_path("averaged-5"));
    assert_int_equal(t2_make_dirs(folder, &err), T2_OK);
    check("run", folder, folder, -1); /* a folder: its newest */
}

static void check_error(const char *output_dir, const char *path, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    char *dir;
    int64_t step;

    assert_int_equal(tr_find_checkpoint(output_dir, path, &dir, &step, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
    assert_null(dir);
}

static void test_errors(void **state)
{
    (void) state;
    check_error("", "", "--output_dir (of the training run) or --checkpoint_path is needed");
    check_error("", "1200", "is needed");
    check_error("run", "-5", "steps begin at 0");
    check_error("run", "model", "neither a step nor a file");
    check_error("run", "run/model-x.safetensors", "neither a step nor a file");
    check_error("run", "run/model-7x", "neither a step nor a file");
    check_error("run", "run/model-99999999999999999999.json", "neither a step nor a file");
}

static void test_open_nothing(void **state)
{
    struct tr_trained_options o = {.output_dir = t_tmp_path("no_run"),
                                   .checkpoint_path = "",
                                   .data_dir = "",
                                   .problem = "",
                                   .model = "",
                                   .hparams_set = "",
                                   .hparams = "",
                                   .device = ""};
    struct t2_err err = T2_ERR_INIT;
    struct tr_trained t;

    (void) state;
    assert_int_equal(tr_trained_open(&o, &t, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "no_run");
    tr_trained_close(&t); /* nothing to do, no harm */
    o.average = 1001;
    assert_int_equal(tr_trained_open(&o, &t, &err), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_find), cmocka_unit_test(test_errors),
       cmocka_unit_test(test_open_nothing))
