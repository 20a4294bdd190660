/*
 * Tests of train/ckpt/protected.c: reasons, replacement, damaged lines.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "train/ckpt/checkpoint.h"

static struct t2_err err;

static bool is(const char *dir, int64_t step)
{
    bool yes;

    assert_int_equal(ckpt_is_protected(dir, step, &yes, &err), T2_OK);
    return yes;
}

static void test_protect(void **state)
{
    const char *dir = t_tmp_path("kept");
    char *path = t2_path_join(dir, "kept.txt");
    const int64_t first[] = {10, 20}, second[] = {30}, both[] = {20};

    (void) state;
    assert_false(is(dir, 10)); /* no folder */
    assert_int_equal(ckpt_protect(dir, "best", first, 2, true, &err), T2_OK);
    assert_int_equal(ckpt_protect(dir, "hours", both, 1, false, &err), T2_OK);
    assert_true(is(dir, 10) && is(dir, 20) && !is(dir, 30));
    assert_int_equal(ckpt_protect(dir, "best", second, 1, true, &err), T2_OK);
    assert_true(!is(dir, 10) && is(dir, 20) && is(dir, 30));
    assert_int_equal(t2_write_file(path, "best\nx\nhours 5 7\n\nbest 8", 24, &err), T2_OK);
    assert_true(is(dir, 5) && is(dir, 8) && !is(dir, 7));
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_protect))
