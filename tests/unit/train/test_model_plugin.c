/*
 * tests/unit/train/test_model_plugin.c - what is found in a folder of plug-ins; objects themselves
 * are compiled and loaded by tests/e2e/train_plugin.sh.
 */
#include "train/models/model_plugin.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static const char *folder(const char *name)
{
    const char *dir = t_tmp_path(name);

    assert_int_equal(mkdir(dir, 0777), 0);
    return dir;
}

static void test_nothing(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    int n = 1;

    (void) state;
    assert_int_equal(mdl_load_plugins(t_tmp_path("absent"), &n, &err), T2_OK);
    assert_int_equal(n, 0);
    n = 1;
    assert_int_equal(mdl_load_plugins(folder("empty"), &n, &err), T2_OK);
    assert_int_equal(n, 0);
}

static void refused(const char *dir, const char *words)
{
    struct t2_err err = T2_ERR_INIT;
    int n;

    assert_int_equal(mdl_load_plugins(dir, &n, &err), T2_EFORMAT);
    assert_int_equal(n, 0);
    if (!strstr(err.message, words))
        fail_msg("'%s' does not say '%s'", err.message, words);
}

static void test_no_object(void **state)
{
    const char *dir = folder("text");
    char *path = t2_path_join(dir, "a.so");

    (void) state;
    t_write_file(path, "text", 4);
    refused(dir, "a.so' cannot be loaded");
    t2_free(path);
    dir = folder("dir");
    path = t2_path_join(dir, "b.so");
    assert_int_equal(mkdir(path, 0777), 0);
    refused(dir, "b.so' is not a regular file");
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_nothing), cmocka_unit_test(test_no_object))
