/*
 * test_line_stream.c - lines of plain files, of patterns, with and without LF at the end; CR; what
 * is told.
 */
#include "datagen/problems/line_stream.h"

#include "tests/support/problem_check.h"

static const struct dg_source_file file_a = {.name = "a.txt"};
static const struct dg_source a = {.file = &file_a, .is_plain = true};
static const struct dg_source_file file_b = {.name = "b.tgz"};
static const struct dg_source b = {.file = &file_b, .sign = "b"};

static void read_all(const struct dg_line_files *files, const struct dg_line_rule *rule,
                     struct t2_buf *text, struct dg_input_files *read)
{
    struct dg_options options = pc_options("tmp");
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    enum t2_status st;

    assert_int_equal(dg_line_stream_new(files, rule, NULL, &options, &s, &err), T2_OK);
    s->hash_on = read != NULL;
    while ((st = s->next(s, &sample, &err)) == T2_OK) {
        t2_buf_printf(text, "%d:", (int) sample.targets_origin.line);
        pc_print(&sample, text);
        memset(&sample, 0, sizeof sample);
    }
    if (st != T2_EOF)
        t2_buf_printf(text, "error: %s\n", err.message);
    if (read) {
        *read = s->files;
        memset(&s->files, 0, sizeof s->files);
    }
    dg_stream_free(s);
}

static void test_files(void **state)
{
    static const struct dg_line_files files[] = {{&a, NULL},
                                                 {&b, "b/*.txt"},
                                                 {&b, "b/2.txt"},
                                                 {NULL, NULL}};
    static const char *const members[] = {"b/2.txt", "two\n",   "b/1.txt", "one\nand",
                                          "b/3",     "three\n", NULL};
    struct t2_buf text = {0};
    struct dg_input_files read = {0};

    (void) state;
    pc_put_text("tmp", "a.txt", "x\ry \n\n z");
    pc_put_tgz("tmp", "b.tgz", members);
    read_all(files, &dg_rule_lines, &text, &read);
    assert_string_equal(t2_buf_cstr(&text), "1:xy \n2:\n3: z\n1:one\n2:and\n1:two\n1:two\n");
    assert_int_equal(read.n, 3);
    assert_int_equal(read.items[0].lines, 3);
    dg_input_files_release(&read);
    t2_buf_clear(&text);
    read_all(files, &dg_rule_words, &text, NULL);
    assert_string_equal(t2_buf_cstr(&text), "1:xy\n3:z\n1:one\n2:and\n1:two\n1:two\n");
    t2_buf_clear(&text);
    read_all(files, &dg_rule_words_or_empty, &text, NULL);
    assert_string_equal(t2_buf_cstr(&text), "1:xy\n2:\n3:z\n1:one\n2:and\n1:two\n1:two\n");
    t2_buf_release(&text);
}

static void test_missing(void **state)
{
    static const struct dg_line_files files[] = {{&a, NULL}, {&b, "b/7.txt"}, {NULL, NULL}};
    static const struct dg_line_files pattern[] = {{&b, "c/*"}, {NULL, NULL}};
    static const char *const members[] = {"b/1.txt", "one\n", NULL};
    struct t2_buf text = {0};

    (void) state;
    pc_put_text("tmp", "a.txt", "x\n");
    pc_put_tgz("tmp", "b.tgz", members);
    read_all(files, &dg_rule_lines, &text, NULL);
    t_assert_contains(t2_buf_cstr(&text), "1:x\nerror: ");
    t_assert_contains(t2_buf_cstr(&text), "b/7.txt");
    t2_buf_clear(&text);
    read_all(pattern, &dg_rule_lines, &text, NULL);
    t_assert_contains(t2_buf_cstr(&text), "c/*");
    t2_buf_release(&text);
}

static void test_describe(void **state)
{
    static const struct dg_line_files files[] = {{&a, NULL}, {&b, "b/1.txt"}, {NULL, NULL}};
    struct dg_options options = pc_options("tmp");
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    (void) state;
    pc_put_text("tmp", "a.txt", "x\n");
    pc_put_text("tmp", "b/1.txt", "x\n");
    assert_int_equal(dg_line_stream_new(files, &dg_rule_lines, NULL, &options, &s, &err), T2_OK);
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text), "/a.txt\n");
    t_assert_contains(t2_buf_cstr(&sizes.text), "/b/1.txt");
    dg_input_sizes_release(&sizes);
    dg_stream_free(s);
}

static void test_words(void **state)
{
    struct t2_buf text = {0};

    (void) state;
    dg_join_words(t2_slice_of(" a\t\xe3\x80\x80"
                              "b  c "),
                  &text);
    assert_string_equal(t2_buf_cstr(&text), "a b c");
    assert_int_equal(dg_count_chars(t2_slice_of("a\xc3\xa4\xe3\x80\x80\xf0\x9f\x98\x80")), 4);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_missing),
       cmocka_unit_test(test_describe), cmocka_unit_test(test_words))
