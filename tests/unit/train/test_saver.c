/*
 * Tests of train/ckpt/saver.c: what is written beside is what ckpt_save would have written when it
 * was begun, whatever becomes of the variables meanwhile; errors come with the wait.
 */
#include "train/ckpt/saver.h"

#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"

static struct t2_err err;

static void same_file(const char *a, const char *b, const char *name)
{
    char *path[2] = {t2_path_join(a, name), t2_path_join(b, name)}, sha[2][65];
    uint64_t n;

    for (int i = 0; i < 2; i++) {
        if (t2_sha256_file(path[i], sha[i], &n, &err) != T2_OK)
            fail_msg("%s", err.message);
        t2_free(path[i]);
    }
    assert_string_equal(sha[0], sha[1]);
}

static struct ckpt_saver *new_saver_of(const char *dir, int keep, bool aside, struct run *r)
{
    struct ckpt_saver *s;

    if (ckpt_saver_new(dir, keep, &r->params, r->o, (struct opt_share){0, 1}, aside, &s, &err) !=
        T2_OK)
        fail_msg("%s", err.message);
    return s;
}

static struct ckpt_saver *new_saver(const char *dir, int keep, struct run *r)
{
    return new_saver_of(dir, keep, true, r);
}

static void begin(struct ckpt_saver *s, struct run *r, int64_t step)
{
    struct ckpt_state state = run_state(step);

    ckpt_saver_begin(s, &state, r->hp);
}

static void test_same_files(void **state)
{
    const char *at_once = t_tmp_path("at_once"), *beside = t_tmp_path("beside");
    struct ckpt_saver *s;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    run_fill(&r, 1);
    s = new_saver(beside, 2, &r);
    assert_true(ckpt_saver_done(s));
    assert_int_equal(ckpt_saver_wait(s, &err), T2_OK);
    for (int64_t step = 1; step <= 4; step++) {
        run_step(&r, step - 1);
        run_save(&r, at_once, step, 2);
        begin(s, &r, step);
        run_fill(&r, (int) step + 10); /* the copy is made */
        assert_int_equal(ckpt_saver_wait(s, &err), T2_OK);
        assert_true(ckpt_saver_done(s));
    }
    assert_steps(beside, "3 4");
    same_file(at_once, beside, "model-4.safetensors");
    same_file(at_once, beside, "optimizer-4.safetensors");
    same_file(at_once, beside, "state-4.json");
    ckpt_saver_free(s);
    run_release(&r);
}

/* Tensors of several pieces that threads copy, at once after the memory was asked for, and again.
 */
static void test_threads_copy(void **state)
{
    const char *at_once = t_tmp_path("large_at_once"), *beside = t_tmp_path("large_beside");
    struct ckpt_saver *s;
    struct run r;

    (void) state;
    run_new(&r, "adam", (5 << 20) / 3);
    dev_set_host_threads(r.dev, 3);
    run_step(&r, 0);
    s = new_saver(beside, 2, &r);
    for (int64_t step = 1; step <= 2; step++) {
        run_fill(&r, (int) step);
        run_save(&r, at_once, step, 2);
        begin(s, &r, step);
        run_fill(&r, (int) step + 10);
        assert_int_equal(ckpt_saver_wait(s, &err), T2_OK);
    }
    for (int step = 1; step <= 2; step++) {
        same_file(at_once, beside, step == 1 ? "model-1.safetensors" : "model-2.safetensors");
        same_file(at_once, beside,
                  step == 1 ? "optimizer-1.safetensors" : "optimizer-2.safetensors");
    }
    ckpt_saver_free(s);
    s = new_saver(beside, 2, &r); /* and goes before its memory is there */
    ckpt_saver_free(s);
    run_release(&r);
}

/* Without memory for copies all is there when a save has begun. */
static void test_without_copies(void **state)
{
    const char *at_once = t_tmp_path("plain"), *dir = t_tmp_path("without");
    struct ckpt_saver *s;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    run_fill(&r, 1);
    s = new_saver_of(dir, 2, false, &r);
    begin(s, &r, 3);
    assert_true(ckpt_saver_done(s));
    assert_steps(dir, "3");
    run_save(&r, at_once, 3, 2);
    assert_int_equal(ckpt_saver_wait(s, &err), T2_OK);
    same_file(at_once, dir, "optimizer-3.safetensors");
    ckpt_saver_free(s);
    run_release(&r);
}

static void test_free_waits(void **state)
{
    const char *dir = t_tmp_path("waits");
    struct ckpt_saver *s;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    s = new_saver(dir, 0, &r);
    begin(s, &r, 5);
    ckpt_saver_free(s);
    assert_steps(dir, "5");
    assert_int_equal(ckpt_restore(dir, 5, &r.params, r.o, &err), T2_OK);
    run_release(&r);
}

/* A folder stands where a file shall be. */
static void test_errors(void **state)
{
    const char *dir = t_tmp_path("errors");
    struct ckpt_saver *s;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    s = new_saver(dir, 0, &r);
    assert_int_equal(t2_make_dirs(t_tmp_path("errors/optimizer-5.safetensors/x"), &err), T2_OK);
    begin(s, &r, 5);
    assert_int_equal(ckpt_saver_wait(s, &err), T2_EIO);
    t_assert_contains(err.message, "checkpoint of step 5");
    assert_steps(dir, "");
    begin(s, &r, 6); /* it can be used again */
    assert_int_equal(ckpt_saver_wait(s, &err), T2_OK);
    assert_steps(dir, "6");
    ckpt_saver_free(s);
    run_release(&r);
}

T_MAIN(cmocka_unit_test(test_same_files), cmocka_unit_test(test_threads_copy),
       cmocka_unit_test(test_without_copies), cmocka_unit_test(test_free_waits),
       cmocka_unit_test(test_errors))
