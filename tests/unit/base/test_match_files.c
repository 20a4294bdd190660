/*
 * test_match_files.c - patterns of names.
 */
#include "base/match_files.h"

#include "base/file.h"
#include "tests/support/t.h"

static void check(const char *pattern, const char *expected)
{
    struct t2_strs paths = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf names = {0};

    assert_int_equal(t2_match_files(t_tmp_path(pattern), &paths, &err), T2_OK);
    for (size_t i = 0; i < paths.n; i++)
        t2_buf_printf(&names, "%s%s", i ? " " : "", t2_path_base(paths.items[i]));
    assert_string_equal(t2_buf_cstr(&names), expected);
    t2_buf_release(&names);
    t2_strs_release(&paths);
}

static void test_match(void **state)
{
    static const char *const names[] = {"d[1]/b.tsv", "d[1]/a.tsv", "d[1]/a.txt", "d[1]/.c.tsv",
                                        "d[1]/B.tsv.incomplete"};
    struct t2_strs paths = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("d[1]/dir.tsv"), &err), T2_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        t_write_file(t_tmp_path(names[i]), "x", 1);
    check("d[1]/*.tsv", "a.tsv b.tsv");
    check("d[1]/*", "a.tsv a.txt b.tsv");
    check("d[1]/[ab].t?v", "a.tsv b.tsv");
    check("d[1]/z*", "");
    assert_int_equal(t2_match_files(t_tmp_path("none/*"), &paths, &err), T2_ENOTFOUND);
    assert_true(t2_is_pattern("a*") && t2_is_pattern("a?") && t2_is_pattern("[a]"));
    assert_false(t2_is_pattern("a.tsv"));
}

T_MAIN(cmocka_unit_test(test_match))
