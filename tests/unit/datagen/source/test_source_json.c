/*
 * test_source_json.c - a JSON member of a source, and its hash.
 */
#include "datagen/source/source_json.h"

#include "tests/unit/datagen/problems/samples.h"

static void test_read(void **state)
{
    static const struct dg_source_file file = {.name = "a.zip"};
    static const struct dg_source source = {.file = &file, .sign = "x.json"};
    struct dg_options o = s_options();
    struct dg_input_files files = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    char *path = NULL;

    (void) state;
    assert_int_equal(dg_source_json(&source, "x.json", &o, "numbers", NULL, &doc, NULL, &err),
                     T2_ENOTFOUND);
    err = (struct t2_err) T2_ERR_INIT;
    s_put("x.json", "[1, 2]");
    assert_int_equal(dg_source_json(&source, "x.json", &o, "numbers", &files, &doc, &path, &err),
                     T2_OK);
    assert_int_equal(t2_json_size(t2_json_root(doc)), 2);
    assert_int_equal(files.n, 1);
    assert_int_equal(files.items[0].bytes, 6);
    assert_string_equal(files.items[0].role, "numbers");
    t_assert_contains(path, "x.json");
    t2_json_free(doc);
    t2_free(path);
    dg_input_files_release(&files);
    o.max_memory = 16 * 6 - 1;
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(dg_source_json(&source, "x.json", &o, "numbers", NULL, &doc, NULL, &err),
                     T2_ENOMEM);
    t_assert_contains(err.message, "is parsed as a whole: its 6 B take more than --max_memory");
    o.max_memory = 0;
    s_put("x.json", "[1, ");
    assert_int_equal(dg_source_json(&source, "x.json", &o, "numbers", NULL, &doc, NULL, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "x.json");
    assert_null(doc);
}

T_MAIN(cmocka_unit_test(test_read))
