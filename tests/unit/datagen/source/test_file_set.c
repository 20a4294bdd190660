/*
 * tests/unit/datagen/source/test_file_set.c - many files of a source, sorted; archive and folder
 * agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/source/source_files.h"
#include "tests/unit/datagen/source/archives.h"

static const struct t_member members[] = {
    {"top/x/b.txt", "bee", NULL, NULL},   {"top/x/a.txt", "", NULL, NULL},
    {"top/x/y/c.txt", "sea", NULL, NULL}, {"top/x/b.bin", "no", NULL, NULL},
    {"top/x/b.txt", "bees", NULL, NULL},
};

static const struct dg_source_file file = {.name = "top.tgz"};
static const struct dg_source source = {.file = &file, .sign = "top"};

/* "name=content;...<hash>" */
static char *listing(const char *pattern)
{
    struct dg_options o = {.tmp_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_files files = {0};
    struct dg_file_set *set;
    struct t2_buf out = {0};
    struct t2_slice content;

    if (dg_file_set_open(&source, &pattern, 1, &o, &set, &err) != T2_OK)
        return t2_strdup(err.message);
    for (size_t i = 0; i < dg_file_set_count(set); i++) {
        assert_int_equal(dg_file_set_content(set, i, &content, &err), T2_OK);
        assert_int_equal(dg_file_set_find(set, dg_file_set_name(set, i)), i);
        t2_buf_printf(&out, "%s=%.*s;", dg_file_set_name(set, i), (int) content.len_bytes,
                      (const char *) content.data);
    }
    assert_int_equal(dg_file_set_find(set, "none"), dg_file_set_count(set));
    assert_int_equal(dg_file_set_note(set, "top/x", "texts", &files, &err), T2_OK);
    t2_buf_printf(&out, "%.8s %d", files.items[0].sha256, (int) files.items[0].lines);
    dg_input_files_release(&files);
    dg_file_set_free(set);
    return t2_buf_detach(&out);
}

static void test_archive(void **state)
{
    char *got;

    (void) state;
    t_write_archive(t_tmp_path("top.tgz"), "ustar", "gzip", NULL, members, 5);
    got = listing("top/x/*.txt");
    t_assert_contains(got, "top/x/a.txt=;top/x/b.txt=bees;");
    assert_null(strstr(got, "sea"));
    t2_free(got);
    got = listing("top/**.txt");
    t_assert_contains(got, "b.txt=bees;top/x/y/c.txt=sea;");
    t2_free(got);
    got = listing("other/*");
    t_assert_contains(got, "has no file 'other/*'");
    t2_free(got);
}

static void test_folder_agrees(void **state)
{
    char *packed = listing("top/**.txt"), *loose;

    (void) state;
    mkdir(t_tmp_path("top"), 0777);
    mkdir(t_tmp_path("top/x"), 0777);
    mkdir(t_tmp_path("top/x/y"), 0777);
    for (size_t i = 0; i < 5; i++)
        t_write_file(t_tmp_path(members[i].name), members[i].content, strlen(members[i].content));
    remove(t_tmp_path("top.tgz"));
    loose = listing("top/**.txt");
    assert_string_equal(packed, loose);
    t2_free(packed);
    t2_free(loose);
    loose = listing("top/x/*.txt");
    t_assert_contains(loose, "top/x/a.txt=;top/x/b.txt=bees;");
    assert_null(strstr(loose, "sea"));
    t2_free(loose);
}

T_MAIN(cmocka_unit_test(test_archive), cmocka_unit_test(test_folder_agrees))
