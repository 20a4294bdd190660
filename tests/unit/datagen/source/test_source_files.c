/*
 * tests/unit/datagen/source/test_source_files.c - the same text and hash out of an archive and
 * unpacked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "datagen/source/source_files.h"
#include "tests/unit/datagen/source/archives.h"

static const struct t_member members[] = {
    {"Set/train.tsv", "a\tb\nc\td\n", NULL, NULL},
    {"Set/dev.tsv", "e\tf", NULL, NULL},
};

static const struct dg_source_file zip_file = {.name = "Set.zip"};
static const struct dg_source zip = {.file = &zip_file, .folder = "work", .sign = "Set"};
static const struct dg_source_file plain_file = {.name = "plain.json", .gone = "it is gone"};
static const struct dg_source plain = {.file = &plain_file, .is_plain = true};

static struct dg_options options_here(void)
{
    struct dg_options o = {.tmp_dir = t_tmp_path(".")};

    return o;
}

/* "line;line;<bytes> <sha>" */
static char *reading(const struct dg_source *source, const char *member)
{
    struct dg_options o = options_here();
    struct dg_source_text t;
    struct dg_input_files files = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    struct t2_slice line;
    enum t2_status st = dg_source_open(source, member, &o, true, &t, &err);

    if (st != T2_OK)
        return t2_strdup(err.message);
    while ((st = dg_source_line(&t, &line, &err)) == T2_OK)
        t2_buf_printf(&out, "%.*s;", (int) line.len_bytes, (const char *) line.data);
    assert_int_equal(st, T2_EOF);
    dg_source_note(&t, "rows", &files);
    t2_buf_printf(&out, "%d lines %d bytes %.8s", (int) files.items[0].lines,
                  (int) files.items[0].bytes, files.items[0].sha256);
    assert_string_equal(files.items[0].path, t.path);
    dg_source_close(&t);
    dg_input_files_release(&files);
    return t2_buf_detach(&out);
}

static void test_archive_and_folder_agree(void **state)
{
    char *packed, *loose;

    (void) state;
    mkdir(t_tmp_path("work"), 0777);
    t_write_archive(t_tmp_path("work/Set.zip"), "zip", "none", NULL, members, 2);
    packed = reading(&zip, "Set/train.tsv");
    t_assert_contains(packed, "a\tb;c\td;2 lines 8 bytes ");
    mkdir(t_tmp_path("work/Set"), 0777);
    t_write_file(t_tmp_path("work/Set/train.tsv"), members[0].content, strlen(members[0].content));
    remove(t_tmp_path("work/Set.zip"));
    loose = reading(&zip, "Set/train.tsv");
    assert_string_equal(packed, loose);
    t2_free(packed);
    t2_free(loose);
    loose = reading(&zip, "Set/dev.tsv");
    t_assert_contains(loose, "Set/dev.tsv' is missing, and its archive too");
    t2_free(loose);
}

static void test_member_is_missing(void **state)
{
    char *said;

    (void) state;
    t_write_archive(t_tmp_path("work/Set.zip"), "zip", "none", NULL, members, 1);
    said = reading(&zip, "Set/dev.tsv");
    t_assert_contains(said, "has no member 'Set/dev.tsv'");
    t2_free(said);
}

static void test_plain_file_and_rest(void **state)
{
    struct dg_options o = options_here();
    struct dg_source_text t;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    t_write_file(t_tmp_path("plain.json"), "{}\n", 3);
    assert_int_equal(dg_source_open(&plain, NULL, &o, false, &t, &err), T2_OK);
    assert_int_equal(dg_source_rest(&t, 3, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "{}\n");
    dg_source_close(&t);
    assert_int_equal(dg_source_open(&plain, NULL, &o, false, &t, &err), T2_OK);
    assert_int_equal(dg_source_rest(&t, 2, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "more than 2 bytes");
    dg_source_close(&t);
    t2_buf_release(&text);
}

static void test_fetch_asks_only_for_what_is_absent(void **state)
{
    const struct dg_source *const both[] = {&zip, &plain};
    struct dg_options o = options_here();
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_sources_fetch(both, 2, &o, &err), T2_OK);
    remove(t_tmp_path("plain.json"));
    assert_int_equal(dg_sources_fetch(both, 2, &o, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "it is gone");
}

T_MAIN(cmocka_unit_test(test_archive_and_folder_agree), cmocka_unit_test(test_member_is_missing),
       cmocka_unit_test(test_plain_file_and_rest),
       cmocka_unit_test(test_fetch_asks_only_for_what_is_absent))
