/*
 * test_plugin.c - what is no plug-in; tests/e2e/datagen_plugin.sh compiles real ones.
 */
#include "datagen/plugin.h"

#include <sys/stat.h>

#include "tests/support/t.h"

static void test_no_object(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_plugin_load(t_tmp_path("absent.so"), &err), T2_EFORMAT);
    t_assert_contains(err.message, "cannot be loaded");
    t_write_file(t_tmp_path("text.so"), "text", 4);
    assert_int_equal(dg_plugin_load(t_tmp_path("text.so"), &err), T2_EFORMAT);
    t_assert_contains(err.message, "text.so' cannot be loaded");
    assert_int_equal(mkfifo(t_tmp_path("pipe.so"), 0600), 0);
    assert_int_equal(dg_plugin_load(t_tmp_path("pipe.so"), &err), T2_EFORMAT);
    t_assert_contains(err.message, "pipe.so' is not a regular file");
}

T_MAIN(cmocka_unit_test(test_no_object))
