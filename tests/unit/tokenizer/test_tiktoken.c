#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_models.h"

/* The bytes, then "ab" 256, "abc" 257, "cd" 258, " a" 259, and a hole before 261 " ab". */
static void put_small(struct t2_buf *file)
{
    fm_put_bytes(file);
    fm_put_rank(file, "ab", 2, 256);
    fm_put_rank(file, "abc", 3, 257);
    fm_put_rank(file, "cd", 2, 258);
    fm_put_rank(file, " a", 2, 259);
    fm_put_rank(file, " ab", 3, 261);
}

static struct tok_encoder *small(void)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    put_small(&file);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static void test_encode(void **state)
{
    struct tok_encoder *e = small();

    (void) state;
    assert_string_equal(tok_kind(e), "tiktoken ranks");
    assert_int_equal(tok_size(e), 262);
    assert_int_equal(tok_special(e).unknown, -1);
    FM_IDS(e, "", "");
    FM_IDS(e, "a", "97");
    FM_IDS(e, "abc", "257");
    FM_IDS(e, "abcd", "257 100"); /* 256 before 258, then 257 */
    FM_IDS(e, "bcd", "98 258");
    FM_IDS(e, " ab", "261"); /* a whole piece is its token, whatever the merges */
    FM_IDS(e, " abc", "32 257");
    FM_IDS(e, "a\0b", "97 0 98");
    FM_IDS(e, "\xC3\xA9", "195 169");
    FM_IDS(e, "ab <|endoftext|>", "256 32 60 124 101 110 100 111 102 116 101 120 116 124 62");
    tok_free(e);
}

static void test_decode(void **state)
{
    struct tok_encoder *e = small();
    uint8_t all[256];

    (void) state;
    FM_TEXT(e, "abc ab", 257, 261);
    FM_TEXT(e, "ab", -1, 256, 262, 260, INT32_MAX); /* out of range, and the hole: nothing */
    FM_TEXT(e,
            "\xEF\xBF\xBD"
            "a",
            0xC3, 97);
    assert_int_equal(tok_entry(e, 260).len_bytes, 0);
    assert_int_equal(tok_entry(e, 261).len_bytes, 3);
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t) (i < 128 ? i : 'x');
    fm_comes_back(e, all, sizeof all);
    tok_free(e);
}

/* In front of data sets <pad> and <EOS> are 0 and 1. */
static void test_shift(void **state)
{
    struct tok_encoder *e = small();

    (void) state;
    tok_shift(e);
    assert_int_equal(tok_size(e), 264);
    FM_IDS(e, "ab", "258");
    FM_TEXT(e, "<EOS>ab", 1, 258);
    tok_free(e);
}

static void test_save_writes_the_same_ranks(void **state)
{
    const char *path = t_tmp_path("ranks");
    struct tok_encoder *e = small();
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {0};
    char *back;
    size_t n;

    (void) state;
    put_small(&file);
    assert_int_equal(tok_save(e, path, &err), T2_OK);
    back = t_read_file(path, &n);
    assert_int_equal(n, file.len_bytes);
    assert_memory_equal(back, file.data, n);
    free(back);
    t2_buf_release(&file);
    tok_free(e);
}

static void test_lines(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    (void) state;
    fm_put_bytes(&file);
    t2_buf_puts(&file, "\n\r\nYWI= 256\r\n\nYWJj 257"); /* empty lines, CR, no LF at the end */
    e = fm_parse(&file);
    assert_int_equal(tok_size(e), 258);
    FM_IDS(e, "abc", "257");
    tok_free(e);
    t2_buf_release(&file);
}

/* Text after the bytes is refused with a message. */
static void refused_after_bytes(const char *text, const char *message)
{
    struct t2_buf file = {0};

    fm_put_bytes(&file);
    t2_buf_puts(&file, text);
    fm_refused(&file, T2_EFORMAT, message);
    t2_buf_release(&file);
}

static void test_refused(void **state)
{
    (void) state;
    refused_after_bytes("YWI=\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI= \n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes(" 256\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI 256 \n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI= 2x\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI= -1\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("Y=I= 256\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("= 256\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI= 99999999999999999999999\n", "'v': line 257 is not '<base64> <rank>'");
    refused_after_bytes("YWI= 4194304\n",
                        "'v': line 257 has rank 4194304; ranks are below 4194304");
    refused_after_bytes("YWI= 256\nYWJj 256\n",
                        "'v': line 258 has rank 256, which another line has too");
    refused_after_bytes("YWI= 256\nYWI= 257\n", "'v': ranks 256 and 257 are the same token");
    refused_after_bytes("QQ== 256\n", "'v': ranks 65 and 256 are the same token");
}

static void test_missing_byte(void **state)
{
    struct t2_buf file = {0};

    (void) state;
    for (unsigned i = 0; i < 255; i++)
        fm_put_rank(&file, (const uint8_t[]){(uint8_t) i}, 1, i);
    fm_refused(&file, T2_EFORMAT, "'v' has no rank for the byte 255");
    t2_buf_release(&file);
}

static void test_too_many_bytes(void **state)
{
    enum { N = (16 << 20) + 1 };
    struct t2_buf file = {0};
    char *token = t2_alloc(N, 1);

    (void) state;
    fm_put_bytes(&file);
    fm_put_rank(&file, token, N, 256);
    fm_refused(&file, T2_EFORMAT,
               "'v': at line 257 the tokens are more than 16777216 bytes in all");
    t2_free(token);
    t2_buf_release(&file);
}

/* Cut anywhere, a file is a shorter one, or refused; never more. */
static void test_truncated(void **state)
{
    struct t2_buf file = {0};

    (void) state;
    put_small(&file);
    for (size_t n = 0; n<file.len_bytes; n += n> file.len_bytes - 60 ? 1 : 97) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e = NULL;
        uint8_t *copy = t_guarded_alloc(n);

        memcpy(copy, file.data, n);
        if (tok_parse("v", copy, n, &e, &err) == T2_OK)
            tok_free(e);
        else
            assert_string_not_equal(err.message, "");
        t_guarded_free(copy, n);
    }
    t2_buf_release(&file);
}

/* The merges of a token of 300 kB, and of 300 kB of text, are found in linear time. */
static void test_long_token(void **state)
{
    enum { N = 300000 };
    struct t2_buf file = {0};
    uint8_t *token = t2_alloc(N, 1);
    struct tok_encoder *e;

    (void) state;
    memset(token, 'a', N);
    fm_put_bytes(&file);
    fm_put_rank(&file, token, N / 2, 256);
    fm_put_rank(&file, token, N, 257);
    e = fm_parse(&file);
    fm_ids(e, token, N, "257");
    fm_ids(e, token, N / 2, "256");
    tok_free(e);
    t2_free(token);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_encode), cmocka_unit_test(test_decode), cmocka_unit_test(test_shift),
       cmocka_unit_test(test_save_writes_the_same_ranks), cmocka_unit_test(test_lines),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_missing_byte),
       cmocka_unit_test(test_too_many_bytes), cmocka_unit_test(test_truncated),
       cmocka_unit_test(test_long_token))
