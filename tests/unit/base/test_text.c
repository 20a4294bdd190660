/*
 * tests/unit/base/test_text.c - lines and bytes of plain and compressed files; damage and cuts.
 */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "tests/unit/base/gzip_bytes.h"
#include "tests/unit/base/in_child.h"

static struct t2_err err;

/* All lines joined by '|', each in brackets; the status that ended it. */
static enum t2_status lines_of(const char *path, struct t2_buf *lines)
{
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st = t2_in_new(path, &in, &err);
    uint64_t n = 0;

    t2_buf_clear(lines);
    if (st != T2_OK)
        return st;
    while ((st = t2_in_line(in, &line, &err)) == T2_OK) {
        t2_buf_push(lines, '[');
        t2_buf_append(lines, line.data, line.len_bytes);
        t2_buf_push(lines, ']');
        assert_int_equal(t2_in_line_number(in), ++n);
    }
    if (st == T2_EOF) {
        assert_int_equal(t2_in_line(in, &line, &err), T2_EOF);
        assert_int_equal(t2_in_line_number(in), n);
    }
    t2_in_free(in);
    return st;
}

static void check_lines(const void *content, size_t n, const char *expected)
{
    const char *path = t_tmp_path("lines");
    struct t2_buf lines = {0};

    t_write_file(path, content, n);
    assert_int_equal(lines_of(path, &lines), T2_EOF);
    assert_string_equal(t2_buf_cstr(&lines), expected);
    t2_buf_release(&lines);
}

static void test_plain_lines(void **state)
{
    (void) state;
    check_lines("", 0, "");
    check_lines("\n", 1, "[]");
    check_lines("a", 1, "[a]");
    check_lines("a\n", 2, "[a]");
    check_lines("a\n\nb", 4, "[a][][b]");
    check_lines("a\r\nb\x0b\x0c\xc2\x85"
                "c\n",
                9,
                "[a\r][b\x0b\x0c\xc2\x85"
                "c]");
}

static void test_gzip_lines(void **state)
{
    struct t2_buf z = {0};

    (void) state;
    gzip_member(&z, "a\nb", 3);
    check_lines(z.data, z.len_bytes, "[a][b]");
    gzip_member(&z, "", 0); /* several members, an empty one among them */
    gzip_member(&z, "c\nd\n", 4);
    check_lines(z.data, z.len_bytes, "[a][bc][d]");
    t2_buf_append(&z, "\0\0\0\0\0", 5); /* padding, as tapes have it */
    check_lines(z.data, z.len_bytes, "[a][bc][d]");
    gzip_member(&z, "e", 1);
    check_lines(z.data, z.len_bytes, "[a][bc][d][e]");
    t2_buf_clear(&z);
    gzip_member(&z, "", 0);
    check_lines(z.data, z.len_bytes, "");
    t2_buf_release(&z);
}

static void test_zlib_lines(void **state)
{
    struct t2_buf z = {0};

    (void) state;
    zlib_member(&z, "a\nb\n", 4);
    check_lines(z.data, z.len_bytes, "[a][b]");
    zlib_member(&z, "c", 1);
    check_lines(z.data, z.len_bytes, "[a][b][c]");
    t2_buf_release(&z);
}

/* "x^" is also a header of zlib. */
static void test_text_that_looks_compressed(void **state)
{
    struct t2_buf big = {0};

    (void) state;
    check_lines("x^2 + y^2\n", 10, "[x^2 + y^2]");
    check_lines("x", 1, "[x]");
    check_lines("x^", 2, "[x^]");
    check_lines("\x1f", 1, "[\x1f]");
    t2_buf_puts(&big, "x^");
    while (big.len_bytes < 300000)
        t2_buf_puts(&big, "\xE2\x82\xAC"); /* cut somewhere at the end of the first buffer */
    {
        struct t2_buf expected = {0};

        t2_buf_printf(&expected, "[%s]", t2_buf_cstr(&big));
        check_lines(big.data, big.len_bytes, t2_buf_cstr(&expected));
        t2_buf_release(&expected);
    }
    t2_buf_release(&big);
}

/* Lines of many lengths over many buffers; plain, gzip and in odd pieces give the same bytes. */
static void make_long_text(struct t2_buf *text)
{
    for (uint64_t i = 0; text->len_bytes < 1500000; i++) {
        size_t n = t_hash64(i) % 100;

        if (i % 1000 == 0)
            n = 400000;
        for (size_t k = 0; k < n; k++)
            t2_buf_push(text, (uint8_t) ('a' + (i + k) % 26));
        t2_buf_push(text, '\n');
    }
}

static void check_against(const char *path, const struct t2_buf *text)
{
    struct t2_in *in = NULL;
    const uint8_t *at = text->data;
    struct t2_slice line;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    assert_string_equal(t2_in_path(in), path);
    while (t2_in_line(in, &line, &err) == T2_OK) {
        if (line.len_bytes > 0)
            assert_memory_equal(line.data, at, line.len_bytes);
        at += line.len_bytes;
        assert_int_equal(*at, '\n');
        at++;
    }
    assert_int_equal(at - text->data, text->len_bytes);
    t2_in_free(in);
}

static bool says_no(const uint8_t *head, size_t n_bytes)
{
    (void) head;
    assert_true(n_bytes <= 12);
    return false;
}

static bool says_yes(const uint8_t *head, size_t n_bytes)
{
    (void) head;
    (void) n_bytes;
    return true;
}

/* Who knows the format decides what is compressed and what only begins like it. */
static void test_plain_when(void **state)
{
    static const uint8_t like_gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    const char *path = t_tmp_path("like");
    uint8_t got[32];
    struct t2_err problem = T2_ERR_INIT;
    (void) state;

    t_write_file(path, like_gzip, sizeof like_gzip);
    for (int plain = 0; plain < 2; plain++) {
        struct t2_in *in = NULL;
        size_t n = 0;
        assert_int_equal(t2_in_new(path, &in, &problem), T2_OK);
        t2_in_plain_when(in, 12, plain ? says_yes : says_no);
        enum t2_status st = t2_in_read(in, got, sizeof got, &n, &problem);
        assert_true(plain ? st == T2_OK && n == sizeof like_gzip : st != T2_OK || n == 0);
        t2_in_free(in);
    }
}

static void test_long_files(void **state)
{
    struct t2_buf text = {0}, z = {0};
    const char *plain = t_tmp_path("long"), *packed = t_tmp_path("long.gz");

    (void) state;
    make_long_text(&text);
    t_write_file(plain, text.data, text.len_bytes);
    check_against(plain, &text);
    gzip_member(&z, text.data, 700001);
    gzip_member(&z, text.data + 700001, text.len_bytes - 700001);
    t_write_file(packed, z.data, z.len_bytes);
    check_against(packed, &text);
    t2_buf_release(&text);
    t2_buf_release(&z);
}

static void test_read_pieces_and_hash(void **state)
{
    struct t2_buf text = {0}, z = {0}, got = {0};
    const char *path = t_tmp_path("pieces.gz");
    char hex[65], expected[65];
    uint64_t raw_bytes = 0;
    struct t2_in *in = NULL;
    size_t n = 1;

    (void) state;
    make_long_text(&text);
    gzip_member(&z, text.data, text.len_bytes);
    t_write_file(path, z.data, z.len_bytes);
    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    t2_in_hash_on(in);
    for (size_t want = 1; n > 0; want = want * 7 % 100003) {
        uint8_t *to = t2_buf_reserve(&got, want);

        assert_int_equal(t2_in_read(in, to, want, &n, &err), T2_OK);
        assert_true(n <= want);
        got.len_bytes += n;
    }
    assert_int_equal(got.len_bytes, text.len_bytes);
    assert_memory_equal(got.data, text.data, text.len_bytes);
    t2_in_sha256(in, hex, &raw_bytes);
    t2_sha256_of(z.data, z.len_bytes, expected);
    assert_string_equal(hex, expected);
    assert_int_equal(raw_bytes, z.len_bytes);
    assert_int_equal(t2_in_read(in, hex, 1, &n, &err), T2_OK);
    assert_int_equal(n, 0);
    t2_in_free(in);
    t2_in_free(NULL);
    t2_buf_release(&text);
    t2_buf_release(&z);
    t2_buf_release(&got);
}

static void check_size(const char *path, enum t2_status st, uint64_t want)
{
    uint64_t bytes = 99;

    assert_int_equal(t2_text_bytes(path, &bytes, &err), st);
    if (st == T2_OK)
        assert_int_equal(bytes, want);
}

static void test_size_of_text(void **state)
{
    struct t2_buf text = {0}, z = {0};

    (void) state;
    check_size(t_tmp_path("absent"), T2_ENOTFOUND, 0);
    t_write_file(t_tmp_path("size"), "", 0);
    check_size(t_tmp_path("size"), T2_OK, 0);
    make_long_text(&text);
    t_write_file(t_tmp_path("size"), text.data, text.len_bytes);
    check_size(t_tmp_path("size"), T2_OK, text.len_bytes);
    gzip_member(&z, text.data, text.len_bytes);
    gzip_member(&z, "abc", 3);
    t_write_file(t_tmp_path("size"), z.data, z.len_bytes);
    check_size(t_tmp_path("size"), T2_OK, text.len_bytes + 3);
    t_write_file(t_tmp_path("size"), z.data, z.len_bytes - 30);
    check_size(t_tmp_path("size"), T2_EFORMAT, 0);
    t2_buf_release(&text);
    t2_buf_release(&z);
}

static void test_read_of_nothing(void **state)
{
    const char *path = t_tmp_path("one");
    struct t2_in *in = NULL;
    size_t n = 7;
    char c;

    (void) state;
    t_write_file(path, "x", 1);
    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    assert_int_equal(t2_in_read(in, &c, 0, &n, &err), T2_OK);
    assert_int_equal(n, 0);
    assert_int_equal(t2_in_read(in, &c, 1, &n, &err), T2_OK);
    assert_int_equal(n, 1);
    t2_in_free(in);
}

static void check_damage(const void *content, size_t n, const char *message)
{
    char path[5000], expected[6000];
    struct t2_buf lines = {0};

    snprintf(path, sizeof path, "%s", t_tmp_path("damaged"));
    t_write_file(path, content, n);
    err.status = T2_OK;
    assert_int_equal(lines_of(path, &lines), T2_EFORMAT);
    assert_int_equal(err.status, T2_EFORMAT);
    snprintf(expected, sizeof expected, "'%s': %s", path, message);
    assert_string_equal(err.message, expected);
    t2_buf_release(&lines);
}

static void test_cut_short_anywhere(void **state)
{
    struct t2_buf z = {0};
    char message[100];

    (void) state;
    gzip_member(&z, "ab\ncd\n", 6);
    for (size_t n = 2; n < z.len_bytes; n++) {
        snprintf(message, sizeof message, "gzip data is cut short at offset %zu (member 1)", n);
        check_damage(z.data, n, message);
    }
    t2_buf_clear(&z);
    zlib_member(&z, "ab\ncd\n", 6);
    check_damage(z.data, z.len_bytes - 1, "zlib data is cut short at offset 16 (member 1)");
    t2_buf_release(&z);
}

static void test_damage(void **state)
{
    struct t2_buf z = {0};

    (void) state;
    gzip_member(&z, "ab\n", 3);
    z.data[16] ^= 1;
    check_damage(z.data, z.len_bytes,
                 "damaged gzip data near offset 22 (member 1): incorrect data check");
    z.data[16] ^= 1;
    gzip_member(&z, "ab\n", 3);
    z.data[26 + 2] = 7;
    check_damage(z.data, z.len_bytes,
                 "damaged gzip data near offset 30 (member 2): unknown compression method");
    z.len_bytes = 26;
    t2_buf_puts(&z, "garbage");
    check_damage(z.data, z.len_bytes, "bytes that are not gzip follow at offset 26");
    z.len_bytes = 26;
    t2_buf_append(&z, "\0\0x", 3);
    check_damage(z.data, z.len_bytes, "bytes that are not gzip follow at offset 28");
    t2_buf_clear(&z);
    zlib_member(&z, "ab\n", 3);
    t2_buf_puts(&z, "y");
    check_damage(z.data, z.len_bytes, "bytes that are not zlib follow at offset 14");
    check_damage("\x1f\x8bzz", 4,
                 "damaged gzip data near offset 4 (member 1): unknown compression method");
    t2_buf_release(&z);
}

static void test_no_file(void **state)
{
    struct t2_in *in = NULL;

    (void) state;
    assert_int_equal(t2_in_new("/nowhere/x", &in, &err), T2_ENOTFOUND);
    assert_string_equal(err.message, "'/nowhere/x': no such file");
    assert_int_equal(t2_in_new("/", &in, &err), T2_EIO);
    assert_string_equal(err.message, "'/' is a directory");
    assert_int_equal(t2_in_new("/dev/null/x", &in, &err), T2_EIO);
    assert_string_equal(err.message, "cannot open '/dev/null/x': Not a directory");
    assert_null(in);
}

/* A reader of stdin gets a typed line at once: nothing waits for more than two bytes. */
static void read_from_pipe(void *arg)
{
    int ends[2];
    struct t2_in *in;
    struct t2_slice line;

    (void) arg;
    alarm(20);
    if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0 || write(ends[1], "hi\n", 3) != 3)
        exit(1);
    if (t2_in_new("-", &in, &err) != T2_OK || t2_in_line(in, &line, &err) != T2_OK)
        exit(2);
    printf("%.*s\n", (int) line.len_bytes, (const char *) line.data);
    if (write(ends[1], "y", 1) != 1)
        exit(3);
    close(ends[1]);
    if (t2_in_line(in, &line, &err) != T2_OK)
        exit(4);
    printf("%.*s\n", (int) line.len_bytes, (const char *) line.data);
    if (t2_in_line(in, &line, &err) != T2_EOF)
        exit(5);
    t2_in_free(in);
}

static void test_stdin(void **state)
{
    const struct child *c = child_run(read_from_pipe, NULL);

    (void) state;
    assert_int_equal(c->exit_code, 0);
    assert_string_equal(c->out, "hi\ny\n");
}

/* A source that gives three bytes at a time, or fails. */
struct trickle {
    struct t2_slice left;
    bool fails;
};

static enum t2_status trickle_read(void *context, void *data, size_t len_bytes, size_t *n_read,
                                   struct t2_err *e)
{
    struct trickle *t = context;
    size_t n = t->left.len_bytes < 3 ? t->left.len_bytes : 3;

    assert_true(len_bytes >= 3);
    if (t->fails && n == 0)
        return t2_fail(e, T2_EIO, "the source broke");
    memcpy(data, t->left.data, n);
    t->left.data += n;
    t->left.len_bytes -= n;
    *n_read = n;
    return T2_OK;
}

static void test_source(void **state)
{
    struct t2_buf packed = {0};
    struct trickle t = {t2_slice_of("one\ntwo\n"), false};
    struct t2_slice line;
    struct t2_in *in;

    (void) state;
    t2_in_new_from("a tap", trickle_read, &t, &in);
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
    assert_true(t2_slice_eq(line, t2_slice_of("one")));
    assert_false(t2_in_is_compressed(in));
    t2_in_free(in);
    gzip_member(&packed, "three\n", 6);
    t = (struct trickle){t2_buf_slice(&packed), true};
    t2_in_new_from("a tap", trickle_read, &t, &in);
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
    assert_true(t2_slice_eq(line, t2_slice_of("three")));
    assert_true(t2_in_is_compressed(in));
    assert_int_equal(t2_in_line(in, &line, &err), T2_EIO);
    t_assert_contains(err.message, "the source broke");
    t2_in_free(in);
    t2_buf_release(&packed);
}

static void test_trailing_bytes(void **state)
{
    struct t2_buf packed = {0};
    struct t2_slice line;
    struct t2_in *in;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    gzip_member(&packed, "one\n", 4);
    t2_buf_puts(&packed, "rest");
    t_write_file(t_tmp_path("trailing.gz"), packed.data, packed.len_bytes);
    for (int tolerant = 0; tolerant < 2; tolerant++) {
        assert_int_equal(t2_in_new(t_tmp_path("trailing.gz"), &in, &err), T2_OK);
        if (tolerant) {
            t2_in_ignore_trailing(in);
            t2_in_fast(in);
        }
        assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
        assert_int_equal(t2_in_line(in, &line, &err), tolerant ? T2_EOF : T2_EFORMAT);
        t2_in_free(in);
    }
    t2_buf_release(&packed);
}

/* The second of three lines is of len bytes. */
static enum t2_status read_long(size_t len, uint64_t max_memory, const char **message)
{
    struct t2_buf text = {0};
    struct t2_slice line;
    struct t2_in *in;
    enum t2_status st;

    err = (struct t2_err) T2_ERR_INIT;
    t2_buf_puts(&text, "first\n");
    memset(t2_buf_reserve(&text, len), 'x', len);
    text.len_bytes += len;
    t2_buf_puts(&text, "\nlast\n");
    t_write_file(t_tmp_path("long"), text.data, text.len_bytes);
    assert_int_equal(t2_in_new(t_tmp_path("long"), &in, &err), T2_OK);
    t2_in_limit_line(in, max_memory);
    do {
        st = t2_in_line(in, &line, &err);
    } while (st == T2_OK);
    if (st == T2_EOF)
        assert_int_equal(t2_in_next_offset(in), text.len_bytes);
    t2_in_free(in);
    t2_buf_release(&text);
    *message = err.message;
    return st;
}

static void test_line_limit(void **state)
{
    const size_t mega = 1 << 20;
    const char *message;

    (void) state;
    assert_int_equal(read_long(2 * mega, 2 * T2_LINE_SHARE * mega, &message), T2_EOF);
    assert_int_equal(read_long(2 * mega + 1, 2 * T2_LINE_SHARE * mega, &message), T2_ENOMEM);
    t_assert_contains(message, "long': line 2, from byte 6 on, is longer than 2.1 MB, which is");
    t_assert_contains(message, "--max_memory: raise it");
    /* a line of text always has room */
    assert_int_equal(read_long(mega, 1, &message), T2_EOF);
    assert_int_equal(read_long(mega + 1, 1, &message), T2_ENOMEM);
    assert_int_equal(read_long(3 * mega, 0, &message), T2_EOF); /* each reader has its own */
}

/* A line without an end is not read to the end of its file, packed or not. */
static void test_most_line(void **state)
{
    static uint8_t text[1 << 20];
    struct t2_slice line;
    struct t2_in *in;

    (void) state;
    memset(text, 'x', sizeof text);
    memcpy(text, "first\n", 6);
    t_write_file(t_tmp_path("long"), text, sizeof text);
    for (int is_fit = 0; is_fit < 2; is_fit++) {
        err = (struct t2_err) T2_ERR_INIT;
        assert_int_equal(t2_in_new(t_tmp_path("long"), &in, &err), T2_OK);
        t2_in_most_line(in, sizeof text - 6 - !is_fit);
        assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
        assert_int_equal(t2_in_line(in, &line, &err), is_fit ? T2_OK : T2_EFORMAT);
        if (!is_fit)
            t_assert_contains(err.message, "long': line 2 is longer than 1048569 bytes");
        t2_in_free(in);
    }
}

T_MAIN(cmocka_unit_test(test_line_limit), cmocka_unit_test(test_most_line),
       cmocka_unit_test(test_plain_when), cmocka_unit_test(test_source),
       cmocka_unit_test(test_trailing_bytes), cmocka_unit_test(test_plain_lines),
       cmocka_unit_test(test_gzip_lines), cmocka_unit_test(test_zlib_lines),
       cmocka_unit_test(test_text_that_looks_compressed), cmocka_unit_test(test_long_files),
       cmocka_unit_test(test_read_pieces_and_hash), cmocka_unit_test(test_read_of_nothing),
       cmocka_unit_test(test_size_of_text), cmocka_unit_test(test_cut_short_anywhere),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_no_file), cmocka_unit_test(test_stdin))
