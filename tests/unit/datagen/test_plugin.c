/*
 * test_plugin.c - what is no plug-in; tests/e2e/datagen_plugin.sh compiles real ones.
 */
#include "datagen/plugin.h"

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
}

T_MAIN(cmocka_unit_test(test_no_object))
