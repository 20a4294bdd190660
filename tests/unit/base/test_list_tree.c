/* test_list_tree.c - files below a folder: order, dots, links in circles. */
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/list_tree.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_order(void **state)
{
    static const char *const files[] = {"b/2.jpg", "b/10.jpg", "a.jpg", ".hidden", "b/.git/x", "c"};
    struct t2_strs paths = {NULL, 0, 0};
    char *root = t2_strdup(t_tmp_path("tree"));

    (void) state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = t2_path_join(root, files[i]), *dir = t2_path_dir(path);
        assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
        t_write_file(path, "x", 1);
        t2_free(dir);
        t2_free(path);
    }
    assert_int_equal(t2_list_tree(root, &paths, &err), T2_OK);
    assert_int_equal(paths.n, 4);
    assert_string_equal(paths.items[0], "a.jpg");
    assert_string_equal(paths.items[1], "b/10.jpg");
    assert_string_equal(paths.items[3], "c");
    t2_strs_release(&paths);
    char *link = t2_path_join(root, "b/up");
    assert_int_equal(symlink("..", link), 0);
    assert_int_equal(t2_list_tree(root, &paths, &err), T2_EIO);
    t_assert_contains(err.message, "a link leads back up");
    t2_strs_release(&paths);
    assert_int_equal(t2_list_tree("nowhere", &paths, &err), T2_ENOTFOUND);
    t2_free(link);
    t2_free(root);
}

T_MAIN(cmocka_unit_test(test_order))
