/*
 * test_dump_parts.c - parts as `split --line-bytes` makes them: of the archive, of the text, of
 * split files.
 */
#include "datagen/problems/dump_parts.h"

#include "tests/support/problem_check.h"

static const struct dg_source_file file = {.name = "d.xml.gz"};
static const struct dg_source source = {.file = &file, .sign = "d.xml"};
static const struct dg_dump dump = {&source, "d.xml", 10, 3};

/* Parts of ten bytes: "0123456\n", "abc\nde\n", a line that is too long ... */
static const char text[] = "0123456\nabc\nde\nthis is too long\nx\nlast";
static const char *const parts[] = {"0123456\n", "abc\nde\n", "this is to", "o long\nx\n", "last"};

static void check(const char *folder, bool dev, const char *expected)
{
    struct dg_options options = pc_options(folder);
    struct dg_dump_reader *r = NULL;
    struct dg_input_files files = {0};
    struct t2_buf part = {0}, all = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    if (dg_dump_prepare(&dump, &options, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dg_dump_open(&dump, dev, &options, &r, &err), T2_OK);
    assert_int_equal(dg_dump_n_dev(r), 2);
    while ((st = dg_dump_next(r, &part, &err)) == T2_OK)
        t2_buf_printf(&all, "%s|", t2_buf_cstr(&part));
    assert_int_equal(st, T2_EOF);
    dg_dump_note(r, &files);
    assert_true(files.n > 0);
    assert_string_equal(t2_buf_cstr(&all), expected);
    dg_input_files_release(&files);
    t2_buf_release(&part);
    t2_buf_release(&all);
    dg_dump_free(r);
}

static void check_both(const char *folder)
{
    struct t2_buf train = {0}, dev = {0};

    t2_buf_printf(&dev, "%s|%s|", parts[0], parts[3]);
    t2_buf_printf(&train, "%s|%s|%s|", parts[1], parts[2], parts[4]);
    check(folder, true, t2_buf_cstr(&dev));
    check(folder, false, t2_buf_cstr(&train));
    t2_buf_release(&train);
    t2_buf_release(&dev);
}

static void test_archive(void **state)
{
    struct t2_buf gz = {0};

    (void) state;
    pc_gzip(&gz, text, strlen(text));
    pc_put("gz", "d.xml.gz", gz.data, gz.len_bytes);
    check_both("gz");
    assert_true(t2_exists(t_tmp_path("gz/d.xml-dev-00001")));
    assert_false(t2_exists(t_tmp_path("gz/d.xml")));
    t2_buf_release(&gz);
}

static void test_text(void **state)
{
    (void) state;
    pc_put_text("plain", "d.xml", text);
    check_both("plain");
}

static void test_split_files(void **state)
{
    struct dg_options options;

    (void) state;
    for (size_t i = 0; i < 5; i++) {
        char *name = t2_asprintf("d.xml-part-0000%zu", i);
        pc_put_text("split", name, parts[i]);
        t2_free(name);
    }
    check_both("split");
    assert_false(t2_exists(t_tmp_path("split/d.xml-parts")));
    options = pc_options("split");
    assert_int_equal(dg_dump_split_files(&dump, &options), 5);
    options = pc_options("plain");
    assert_int_equal(dg_dump_split_files(&dump, &options), 0);
}

static void test_failures(void **state)
{
    struct dg_options options = pc_options("bad");
    struct dg_dump_reader *r = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_dump_prepare(&dump, &options, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "d.xml");
    pc_put_text("bad", "d.xml-parts", "many\n");
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(dg_dump_open(&dump, true, &options, &r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "number of parts");
}

T_MAIN(cmocka_unit_test(test_archive), cmocka_unit_test(test_text),
       cmocka_unit_test(test_split_files), cmocka_unit_test(test_failures))
