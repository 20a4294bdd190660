/* Tests of train/runs/plugins.c. */
#include "train/runs/plugins.h"

#include <string.h>
#include <sys/stat.h>

#include "tests/support/t.h"

static void test_none(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    bool any = true;

    (void) state;
    assert_int_equal(tr_load_plugins(NULL, &any, &err), T2_OK);
    assert_false(any);
    any = true;
    assert_int_equal(tr_load_plugins("", &any, &err), T2_OK);
    assert_false(any);
    assert_int_equal(tr_need_plugins(t_tmp_path("absent"), &err), T2_OK);
}

static void test_wrong(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    bool any;

    (void) state;
    assert_int_equal(mkdir(t_tmp_path("usr"), 0777), 0);
    t_write_file(t_tmp_path("usr/x.so"), "text", 4);
    assert_int_equal(tr_load_plugins(t_tmp_path("usr"), &any, &err), T2_EFORMAT);
    assert_ptr_equal(strstr(err.message, "--t2t_usr_dir: '"), err.message);
}

T_MAIN(cmocka_unit_test(test_none), cmocka_unit_test(test_wrong))
