/*
 * test_text_stream.c - samples out of pairs of text files and TSV files.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "datagen/stream.h"
#include "tests/support/t.h"

static const char *file_of(const char *name, const char *text)
{
    const char *path = t_tmp_path(name);

    t_write_file(path, text, strlen(text));
    return path;
}

static struct dg_stream *open_pair(const char *inputs, const char *targets, bool keep_bom)
{
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    dg_text_parts_add(&parts, inputs, targets);
    assert_int_equal(dg_text_stream_new(&parts, keep_bom, &s, &err), T2_OK);
    dg_text_parts_release(&parts);
    return s;
}

static void check_text(struct t2_slice s, const char *expected)
{
    assert_int_equal(s.len_bytes, strlen(expected));
    assert_memory_equal(s.data, expected, s.len_bytes);
}

static void check_next(struct dg_stream *s, const char *inputs, const char *targets)
{
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_null(sample.drop);
    check_text(sample.inputs, inputs);
    check_text(sample.targets, targets);
}

static void check_end(struct dg_stream *s, enum t2_status status, const char *message)
{
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(s->next(s, &sample, &err), status);
    if (message)
        t_assert_contains(err.message, message);
}

static void test_pair(void **state)
{
    struct dg_stream *s = open_pair(file_of("a.en", "one\n\n x\r\nlast"),
                                    file_of("a.de", "eins\nleer\n\xc2\x85y\n\n"), false);
    char sha256[65];

    (void) state;
    s->hash_on = true;
    check_next(s, "one", "eins");
    check_next(s, "", "leer");
    check_next(s, " x\r", "\xc2\x85y");
    check_next(s, "last", "");
    check_end(s, T2_EOF, NULL);
    assert_int_equal(s->files.n, 2);
    assert_string_equal(s->files.items[0].role, "inputs");
    assert_int_equal(s->files.items[0].lines, 4);
    assert_int_equal(s->files.items[0].bytes, 13);
    t2_sha256_of("one\n\n x\r\nlast", 13, sha256);
    assert_string_equal(s->files.items[0].sha256, sha256);
    assert_string_equal(s->files.items[1].role, "targets");
    dg_stream_free(s);
}

static void test_origin(void **state)
{
    struct dg_stream *s =
        open_pair(file_of("o.en", "ab\ncdef\ng\n"), file_of("o.de", "1\n2\n3\n"), false);
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(sample.inputs_origin.line, 3);
    assert_int_equal(sample.inputs_origin.offset, 8);
    assert_int_equal(sample.targets_origin.offset, 4);
    t_assert_contains(sample.inputs_origin.path, "o.en");
    dg_stream_free(s);
}

static void test_byte_order_mark(void **state)
{
    const char *en = file_of("bom.en", "\xef\xbb\xbfhello\n\xef\xbb\xbfinside\n");
    const char *de = file_of("bom.de", "hallo\ndrin\n");
    struct dg_stream *s = open_pair(en, de, false);

    (void) state;
    check_next(s, "hello", "hallo");
    check_next(s, "\xef\xbb\xbfinside", "drin");
    dg_stream_free(s);
    s = open_pair(en, de, true);
    check_next(s, "\xef\xbb\xbfhello", "hallo");
    dg_stream_free(s);
}

static void test_unequal(void **state)
{
    const char *three = file_of("three", "a\nb\nc\n"), *five = file_of("five", "1\n2\n3\n4\n5\n");
    struct dg_stream *s = open_pair(three, five, false);

    (void) state;
    check_next(s, "a", "1");
    check_next(s, "b", "2");
    check_next(s, "c", "3");
    check_end(s, T2_EFORMAT, "three' has 3 lines but '");
    dg_stream_free(s);

    s = open_pair(three, five, false);
    check_next(s, "a", "1");
    check_next(s, "b", "2");
    check_next(s, "c", "3");
    check_end(s, T2_EFORMAT, "five' has 5: line 4 of '");
    dg_stream_free(s);

    s = open_pair(five, three, false);
    check_next(s, "1", "a");
    check_next(s, "2", "b");
    check_next(s, "3", "c");
    check_end(s, T2_EFORMAT, "five' has 5 lines but '");
    dg_stream_free(s);
}

static void test_tsv(void **state)
{
    struct dg_stream *s =
        open_pair(file_of("t.tsv", "cat\tKatze\nalone\na\tb\tc\n\tx\n"), NULL, false);
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check_next(s, "cat", "Katze");
    assert_true(s->drop_blank);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_string_equal(sample.drop, "only one column");
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_string_equal(sample.drop, "more than two columns");
    memset(&sample, 0, sizeof sample);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_null(sample.drop); /* blank sides are found when the text is clean */
    check_text(sample.inputs, "");
    assert_int_equal(sample.targets_origin.offset, 23);
    dg_stream_free(s);
}

static void test_several_parts(void **state)
{
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    (void) state;
    dg_text_parts_add(&parts, file_of("p1.en", "a\n"), file_of("p1.de", "A\n"));
    dg_text_parts_add(&parts, file_of("p2.en", ""), file_of("p2.de", ""));
    dg_text_parts_add(&parts, file_of("p3.tsv", "b\tB"), NULL);
    assert_int_equal(dg_text_stream_new(&parts, false, &s, &err), T2_OK);
    dg_text_parts_release(&parts);
    check_next(s, "a", "A");
    check_next(s, "b", "B");
    check_end(s, T2_EOF, NULL);
    dg_stream_free(s);
}

static void test_files_that_are_none(void **state)
{
    struct dg_stream *s = open_pair(t_tmp_path("absent"), t_tmp_path("absent2"), false);
    const char *folder = t_tmp_path("folder");

    (void) state;
    check_end(s, T2_ENOTFOUND, "absent'");
    dg_stream_free(s);
    assert_int_equal(mkdir(folder, 0777), 0);
    s = open_pair(folder, folder, false);
    check_end(s, T2_EIO, "directory");
    dg_stream_free(s);
    assert_int_equal(mkfifo(t_tmp_path("pipe"), 0666), 0);
    s = open_pair(t_tmp_path("pipe"), folder, false);
    check_end(s, T2_EUSAGE, "pipe' is a pipe, but the text is read twice");
    dg_stream_free(s);
    s = open_pair("-", folder, false);
    check_end(s, T2_EUSAGE, "'-' is a pipe");
    dg_stream_free(s);
}

static void test_describe(void **state)
{
    struct dg_stream *s = open_pair(file_of("d.en", "abc\n"), t_tmp_path("nowhere"), false);
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    (void) state;
    assert_int_equal(s->describe(s, &sizes, &err), T2_ENOTFOUND);
    t_assert_contains(t2_buf_cstr(&sizes.text), "d.en' (4 B)\n");
    t_assert_contains(t2_buf_cstr(&sizes.text), "nowhere' (missing)\n");
    t_assert_contains(err.message, "nowhere");
    dg_input_sizes_release(&sizes);
    dg_stream_free(s);
}

T_MAIN(cmocka_unit_test(test_pair), cmocka_unit_test(test_origin),
       cmocka_unit_test(test_byte_order_mark), cmocka_unit_test(test_unequal),
       cmocka_unit_test(test_tsv), cmocka_unit_test(test_several_parts),
       cmocka_unit_test(test_files_that_are_none), cmocka_unit_test(test_describe))
