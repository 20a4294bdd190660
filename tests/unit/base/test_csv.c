/*
 * tests/unit/base/test_csv.c - rows and fields, what is refused, and that written rows are read the
 * same.
 */
#include "base/csv.h"

#include <string.h>

#include "base/file.h"
#include "tests/support/t.h"

static const char path[] = "test_csv.tmp";

/* Rows as "a|b/c|d/"; a failure's message behind "!". */
static const char *rows(const char *text, size_t n_text, char separator, bool quotes,
                        struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    const struct t2_slice *f;
    struct t2_csv *c;
    enum t2_status st;
    size_t n;

    t2_buf_clear(out);
    assert_int_equal(t2_write_file(path, text, n_text, &err), T2_OK);
    assert_int_equal(t2_csv_new(path, separator, quotes, &c, &err), T2_OK);
    while ((st = t2_csv_next(c, &f, &n, &err)) == T2_OK) {
        for (size_t i = 0; i < n; i++) {
            if (i)
                t2_buf_push(out, '|');
            t2_buf_append(out, f[i].data, f[i].len_bytes);
        }
        t2_buf_push(out, '/');
    }
    if (st != T2_EOF)
        t2_buf_printf(out, "!%s", err.message);
    t2_csv_free(c);
    assert_int_equal(t2_remove(path, &err), T2_OK);
    return t2_buf_cstr(out);
}

static void test_rows(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"\n", "/"},
        {"a,b\nc,d", "a|b/c|d/"},
        {"a,b\r\n,\r\n", "a|b/|/"},
        {"\xef\xbb\xbfx,y\n\xef\xbb\xbf\n", "x|y/\xef\xbb\xbf/"},
        {"\"a,\"\"\r\nb\",\"\"\n", "a,\"\r\nb|/"},
        {" \"x\" ,y\"z\n", " \"x\" |y\"z/"},
        {"\"\n\n\"\n", "\n\n/"},
        {"a,\"b\"\r\n", "a|b/"},
        {"\"x\"y\n", "!'test_csv.tmp': line 1: text follows a closing quote"},
        {"a\n\"x\n\ny",
         "a/!'test_csv.tmp': line 2: a quote is opened in this row and never closed"},
        {"a\rb\n",
         "!'test_csv.tmp': line 1: a carriage return ends no line (line ends of CR alone? "
         "tr '\\r' '\\n')"},
        {"\xff\xfe",
         "!'test_csv.tmp': line 1: the file is UTF-16; convert it first: iconv -f UTF-16 "
         "-t UTF-8"},
    };
    struct t2_buf out = {0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(rows(cases[i].text, strlen(cases[i].text), ',', true, &out),
                            cases[i].want);
    assert_string_equal(rows("\"a\"\t,\n", 6, '\t', false, &out), "\"a\"|,/");
    t2_buf_release(&out);
}

static void test_written_rows_come_back(void **state)
{
    static const char *const fields[] = {
        "",   "a",   " ", "\"",   ",",    "\t",           "\r\n",
        "\n", "x y", "é", "\"\"", "a\"b", "\xef\xbb\xbf", "\xff\xfe!"};
    enum { N = sizeof fields / sizeof *fields };
    struct t2_buf file = {0}, want = {0}, out = {0};

    (void) state;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < N; k++) {
            t2_csv_put(&file, t2_slice_of(fields[i]), ',');
            t2_buf_push(&file, ',');
            t2_csv_put(&file, t2_slice_of(fields[k]), ',');
            t2_buf_push(&file, '\n');
            t2_buf_printf(&want, "%s|%s/", fields[i], fields[k]);
        }
    }
    assert_string_equal(rows(t2_buf_cstr(&file), file.len_bytes, ',', true, &out),
                        t2_buf_cstr(&want));
    t2_buf_clear(&file);
    t2_csv_put(&file, t2_slice_of("a,b\"c"), ',');
    assert_string_equal(t2_buf_cstr(&file), "\"a,b\"\"c\"");
    t2_buf_release(&file);
    t2_buf_release(&want);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_written_rows_come_back))
