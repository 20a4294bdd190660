/* Temporary files: bytes come back, no name is left, the disk is asked. */
#include "tfrecord/external_file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "tests/support/t.h"

static void test_there_and_back(void **state)
{
    const char *dir = t_tmp_path("there");
    struct tfr_external_file *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {NULL, 0, 0};
    char back[6] = "";
    (void) state;

    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(tfr_external_file_new(dir, &f, &err), T2_OK);
    assert_int_equal(tfr_external_file_append(f, "abc", 3, &err), T2_OK);
    assert_int_equal(tfr_external_file_append(f, "defgh", 5, &err), T2_OK);
    assert_int_equal(tfr_external_file_bytes(f), 8);
    assert_int_equal(tfr_external_file_read(f, 2, back, 5, &err), T2_OK);
    assert_string_equal(back, "cdefg");
    assert_int_equal(tfr_external_file_read(f, 6, back, 5, &err), T2_EIO);
    t_assert_contains(err.message, "cannot read a temporary file in");
    tfr_external_file_forget(f, 0, 4);
    assert_int_equal(tfr_external_file_read(f, 6, back, 2, &err), T2_OK);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 0);
    t2_strs_release(&names);
    tfr_external_file_free(f);
}

static void test_fails(void **state)
{
    struct tfr_external_file *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(tfr_external_file_new(t_tmp_path("absent"), &f, &err), T2_ENOTFOUND);
    assert_null(f);
    tfr_external_file_free(f);
    assert_int_equal(tfr_external_need(t_tmp_path(""), UINT64_MAX, "the test", &err), T2_EIO);
    t_assert_contains(err.message, "the test needs about");
    assert_int_equal(tfr_external_need(t_tmp_path(""), 1, "the test", &err), T2_OK);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_fails))
