/* Tests of train/ckpt/checkpoint_check.c: names, shapes, types, numbers that a checkpoint must not
 * have.  What of it ends a restore is in test_checkpoint_restore.c. */
#include "train/ckpt/checkpoint_check.h"

#include <math.h>

#include "tests/support/t.h"

static const float numbers[] = {1, -2, 3, INFINITY};

static void refused(const struct ckpt_tensor *t, const char *message)
{
    static const int64_t dims[] = {2, 2};
    const struct ckpt_wanted w = {"v", 2, dims};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(ckpt_check_tensor("x", t, &w, &err), T2_EFORMAT);
    t_assert_contains(err.message, message);
}

static void test_tensors(void **state)
{
    const struct ckpt_tensor wide = {"v", CKPT_F32, 2, {2, 3}, 24, numbers};
    const struct ckpt_tensor ints = {"v", CKPT_I32, 2, {2, 2}, 16, numbers};

    (void) state;
    refused(NULL, "'x' holds no 'v', which the model has");
    refused(&wide, "'v' has shape [2, 3]; the model has [2, 2]");
    refused(&ints, "'v' is of type I32, not F32");
}

static void test_values(void **state)
{
    const struct ckpt_tensor tensors[] = {{"a", CKPT_F32, 1, {3}, 12, numbers},
                                          {"b", CKPT_F32, 1, {1}, 4, numbers + 3},
                                          {"moving_variance", CKPT_F32, 1, {1}, 4, numbers},
                                          {"n/moving_variance", CKPT_F32, 1, {1}, 4, numbers + 1}};
    const char *path = t_tmp_path("values");
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;

    (void) state;
    assert_int_equal(ckpt_write(path, tensors, 4, NULL, NULL, 0, NULL, &err), T2_OK);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_check_values("x", f, "a", 3, 1, &err), T2_OK);
    assert_int_equal(ckpt_check_values("x", f, "a", 3, 2, &err), T2_EFORMAT);
    t_assert_contains(err.message, "element 1 of 'a' is -2, where nothing is below 0");
    assert_int_equal(ckpt_check_values("x", f, "b", 1, 0, &err), T2_EFORMAT);
    t_assert_contains(err.message, "element 0 of 'b' is infinite");
    assert_int_equal(ckpt_check_values("x", f, "n/moving_variance", 1, 0, &err), T2_EFORMAT);
    ckpt_close(f);
}

T_MAIN(cmocka_unit_test(test_tensors), cmocka_unit_test(test_values))
