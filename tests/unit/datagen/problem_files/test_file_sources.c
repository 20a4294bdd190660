/*
 * tests/unit/datagen/problem_files/test_file_sources.c - what is downloaded, and what is wrong with
 * it.
 */
#include "datagen/problem_files/file_sources.h"

#include "tests/unit/datagen/problem_files/problem_text.h"

#define TRANSLATION(files, from)                                                                   \
    "kind: translation\nvocab_size: 9\nfiles: " files "\n"                                         \
    "train: [{from: " from ", members: [x, y]}]\ndev: [{from: " from ", members: [x, y]}]\n"

static void test_files(void **state)
{
    struct dg_problem_set *set =
        t_set(TRANSLATION("{a: {url: ['http://h/a.tgz', 'http://m/a.tgz'], size: 9, about: 8, "
                          "text_factor: 0.5, sha256: "
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, "
                          "type: gzip, licence: L}}",
                          "a"));
    const struct dg_source_file *f = dg_problem_set_at(set, 0)->sources[0];

    (void) state;
    assert_null(f->name);
    assert_string_equal(f->urls[1], "http://m/a.tgz");
    assert_null(f->urls[2]);
    assert_int_equal(f->size_bytes, 9);
    assert_int_equal(f->about_bytes, 8);
    assert_true(f->text_factor == 0.5);
    assert_int_equal(f->kind, DG_KIND_GZIP);
    assert_string_equal(f->licence, "L");
    assert_int_equal(strlen(f->sha256), 64);
    assert_null(dg_problem_set_at(set, 0)->sources[1]);
    dg_problem_set_free(set);
}

static void test_gone(void **state)
{
    struct dg_problem_set *set = t_set(TRANSLATION("{a: {file: f.tgz, gone: ask for it}}", "a"));
    const struct dg_source_file *f = dg_problem_set_at(set, 0)->sources[0];

    (void) state;
    assert_string_equal(f->name, "f.tgz");
    assert_string_equal(f->gone, "ask for it");
    assert_null(f->urls);
    dg_problem_set_free(set);
}

static void test_refused(void **state)
{
    static const struct t_refused cases[] = {
        {TRANSLATION("{a: 1}", "a"), "files.a must be a mapping with url"},
        {TRANSLATION("{a: {file: x}}", "a"), "files.a must be a mapping with url, or gone"},
        {TRANSLATION("{a: {gone: x}}", "a"), "files.a: '' does not end in a file name"},
        {TRANSLATION("{a: {url: 'http://h/'}}", "a"), "does not end in a file name"},
        {TRANSLATION("{a: {url: 'gs://b/x'}}", "a"), "only a local path will do"},
        {TRANSLATION("{a: {url: x, sha256: ABC}}", "a"), "files.a.sha256 must be 64 hexadecimal"},
        {TRANSLATION("{a: {url: x, type: rar}}", "a"), "files.a.type must be gzip, bzip2"},
        {TRANSLATION("{a: {url: x, members: y}}", "a"), "files.a.members is not known; there are"},
        {TRANSLATION("{ab: {url: x}}", "abc"), "'abc' is none of its files; did you mean 'ab'?"},
        {"train: x\nsources: {}\n", "sources must be a list of mappings with url"},
        {"train: x\nsources: [{file: y}]\n", "sources must be a list of mappings with url"},
        {"train: x\nsources: [{url: y, gone: z}]\n", "sources.gone is not known"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_gone), cmocka_unit_test(test_refused))
