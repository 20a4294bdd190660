/*
 * tests/unit/datagen/source/test_vocab_lines.c - which lines of which files are taken.
 */
#include "datagen/source/vocab_lines.h"

#include <string.h>

#include "base/log.h"
#include "tests/support/t.h"
#include "tests/unit/base/gzip_bytes.h"

/* The lines taken, joined by '|'. */
static const char *taken(const char *const *names, size_t n, uint64_t budget, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    struct dg_stream *s = NULL;
    struct t2_strs paths = {0};
    enum t2_status st;

    t2_log_set_level(T2_LOG_ERROR);
    t2_buf_clear(out);
    for (size_t i = 0; i < n; i++)
        t2_strs_push(&paths, t_tmp_path(names[i]));
    assert_int_equal(dg_vocab_lines_new(&paths, budget, 0, &s, &err), T2_OK);
    t2_strs_release(&paths);
    while ((st = s->next(s, &sample, &err)) == T2_OK)
        t2_buf_printf(out, "%.*s|", (int) sample.targets.len_bytes,
                      (const char *) sample.targets.data);
    if (st != T2_EOF)
        t2_buf_printf(out, "!%s", err.message);
    dg_stream_free(s);
    return t2_buf_cstr(out);
}

static void write_text(const char *name, const char *text)
{
    t_write_file(t_tmp_path(name), text, strlen(text));
}

static void test_budget(void **state)
{
    static const char *const files[] = {"a", "b"};
    struct t2_buf out = {0};

    (void) state;
    /* 24 bytes, 14 code points without CR and blanks at the ends */
    write_text("a", " \xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\r\n\nbbbb\nccccc\n");
    write_text("b", "x\ny");
    assert_string_equal(taken(files, 2, 13, &out),
                        " \xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\r||bbbb|ccccc|x|y|");
    assert_string_equal(taken(files, 2, 12, &out), "|ccccc|x|y|"); /* every second line */
    write_text("a", "aaaa\nbbbb\ncccc\n");
    assert_string_equal(taken(files, 2, 8, &out), "aaaa|bbbb|x|y|"); /* used up */
    assert_string_equal(taken(files, 2, 9, &out),
                        "aaaa|bbbb|cccc|x|y|"); /* one left: one line more */
    t2_buf_release(&out);
}

/* floor(bytes / budget / 2) lines are passed over before each one that is taken. */
static void test_skip(void **state)
{
    static const char *const plain[] = {"plain"}, *const packed[] = {"packed.gz"};
    struct t2_buf out = {0}, gzip = {0};
    char text[41] = "";

    (void) state;
    for (int i = 0; i < 20; i++)
        memcpy(text + 2 * i, (char[]){(char) ('a' + i), '\n'}, 2);
    write_text("plain", text);
    gzip_member(&gzip, text, 40);
    t_write_file(t_tmp_path("packed.gz"), gzip.data, gzip.len_bytes);
    assert_string_equal(taken(plain, 1, 21, &out), "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|");
    assert_string_equal(taken(plain, 1, 20, &out), "b|d|f|h|j|l|n|p|r|t|");
    assert_string_equal(taken(plain, 1, 10, &out), "c|f|i|l|o|r|");
    assert_string_equal(taken(plain, 1, 3, &out), "g|n|");
    assert_string_equal(taken(packed, 1, 10, &out), "c|f|i|l|o|r|"); /* of the unpacked size */
    t2_buf_release(&gzip);
    t2_buf_release(&out);
}

static void test_absent(void **state)
{
    static const char *const absent[] = {"absent"};
    struct t2_buf out = {0};

    (void) state;
    t_assert_contains(taken(absent, 1, 10, &out), "absent");
    assert_string_equal(taken(absent, 0, 10, &out), "");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_budget), cmocka_unit_test(test_skip), cmocka_unit_test(test_absent))
