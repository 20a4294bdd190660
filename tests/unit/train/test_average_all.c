/* Tests of train/ckpt/average_all.c: which means are written, and what they are. */
#include "train/ckpt/average_all.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"

/* "1-2 2-3 " */
static void note(void *context, int64_t first, int64_t last)
{
    char *text = context;

    snprintf(text + strlen(text), 256 - strlen(text), "%lld-%lld ", (long long) first,
             (long long) last);
}

static void save_steps(struct run *r, const char *dir, int64_t n)
{
    run_new(r, "adam", 4);
    for (int64_t step = 1; step <= n; step++) {
        run_fill(r, (uint64_t) step);
        run_save(r, dir, step, 0);
    }
}

static void test_sliding_window(void **state)
{
    const char *dir = t_tmp_path("run"), *out = t_tmp_path("out/deeper");
    char text[256] = "", *flags;
    struct ckpt_average_all a = {
        .model_dir = dir, .output_dir = out, .n = 2, .written = note, .context = text};
    struct t2_err err = T2_ERR_INIT;
    struct stat mean, newest;
    struct ckpt_state s;
    struct run r, averaged;
    size_t n;

    (void) state;
    save_steps(&r, dir, 4);
    t_write_file(t_tmp_path("run/flags.txt"), "--n=1\n", 6);
    if (ckpt_average_all(&a, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(text, "1-2 2-3 3-4 ");
    assert_steps(out, "2 3 4");
    for (int64_t last = 2; last <= 4; last++) {
        assert_int_equal(ckpt_restore_average(dir, last, 2, &r.params, &err), T2_OK);
        run_new(&averaged, "adam", 4);
        assert_int_equal(ckpt_restore(out, last, &averaged.params, NULL, &err), T2_OK);
        assert_equal_runs(&r, &averaged);
        run_release(&averaged);
    }
    assert_int_equal(ckpt_load_state(out, 3, &s, NULL, &err), T2_OK);
    assert_string_equal(s.problem, run_state(3).problem);
    assert_int_equal(stat(t_tmp_path("run/model-3.safetensors"), &newest), 0);
    assert_int_equal(stat(t_tmp_path("out/deeper/model-3.safetensors"), &mean), 0);
    assert_true(newest.st_mtim.tv_sec == mean.st_mtim.tv_sec &&
                newest.st_mtim.tv_nsec == mean.st_mtim.tv_nsec);
    flags = t_read_file(t_tmp_path("out/deeper/flags.txt"), &n);
    assert_string_equal(flags, "--n=1\n");
    free(flags);
    run_release(&r);
}

static void test_min_steps(void **state)
{
    char text[256] = "";
    struct ckpt_average_all a = {.model_dir = t_tmp_path("min"),
                                 .output_dir = t_tmp_path("min_out"),
                                 .n = 2,
                                 .min_steps = 3,
                                 .written = note,
                                 .context = text};
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    save_steps(&r, a.model_dir, 5);
    assert_int_equal(ckpt_average_all(&a, &err), T2_OK);
    assert_string_equal(text, "3-4 4-5 ");
    run_release(&r);
}

static void test_too_few(void **state)
{
    struct ckpt_average_all a = {.model_dir = t_tmp_path("few"),
                                 .output_dir = t_tmp_path("few_out"),
                                 .n = 3};
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    save_steps(&r, a.model_dir, 2);
    assert_int_equal(ckpt_average_all(&a, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "few' has 2 checkpoints; a mean of 3 needs as many");
    a.wait_seconds = 0.6; /* nobody writes one */
    assert_int_equal(ckpt_average_all(&a, &err), T2_ENOTFOUND);
    assert_false(t2_exists(a.output_dir));
    run_release(&r);
}

static void test_shapes_differ(void **state)
{
    struct ckpt_average_all a = {.model_dir = t_tmp_path("mixed"),
                                 .output_dir = t_tmp_path("mixed_out"),
                                 .n = 2};
    struct t2_err err = T2_ERR_INIT;
    struct run r, other;

    (void) state;
    save_steps(&r, a.model_dir, 1);
    run_new(&other, "adam", 6);
    run_save(&other, a.model_dir, 2, 0);
    assert_int_equal(ckpt_average_all(&a, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'model/kernel' has shape [3, 4]; the model has [3, 6]");
    run_release(&other);
    run_release(&r);
}

T_MAIN(cmocka_unit_test(test_sliding_window), cmocka_unit_test(test_min_steps),
       cmocka_unit_test(test_too_few), cmocka_unit_test(test_shapes_differ))
