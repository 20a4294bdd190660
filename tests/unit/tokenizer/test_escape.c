#include "tokenizer/escape.h"

#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/unicode.h"

static void add(struct tok_alphabet *a, const char *s)
{
    tok_alphabet_add(a, (const uint8_t *) s, strlen(s));
}

static void assert_escape(const struct tok_alphabet *a, const char *word, size_t n,
                          const char *want)
{
    struct t2_buf out;

    t2_buf_init(&out);
    tok_escape(a, (const uint8_t *) word, n, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

static void test_escape(void **state)
{
    static const char example[] = "Foo! Bar.\nunder_score back\\slash";
    struct tok_alphabet a;

    (void) state;
    tok_alphabet_init(&a);
    add(&a, "abcdefghijklmnopqrstuvwxyz .\n");
    assert_escape(&a, example, strlen(example),
                  "\\70;oo\\33; \\66;ar.\\10;under\\uscore back\\\\slash_");
    assert_escape(&a, "", 0, "_");
    assert_escape(&a, "_", 1, "\\u_");
    assert_escape(&a, "\\u_", 3, "\\\\u\\u_");
    assert_escape(&a, "\0", 1, "\\0;_");
    assert_escape(&a, "\xC3\xA9", 2, "\\233;_");
    assert_escape(&a, "\xF0\x9F\x98\x80", 4, "\\128512;_");
    assert_escape(&a, "\xED\xA0\x80", 3, "\\55296;_"); /* a lone surrogate */
    assert_escape(&a, "\xFF", 1, "\\65533;_");
    add(&a, "\xC3\xA9\xEF\xBF\xBD");
    assert_escape(&a, "\xC3\xA9\xFF", 3, "\xC3\xA9\xEF\xBF\xBD_");
    tok_alphabet_release(&a);
}

static void assert_unescape(const char *piece, size_t n_piece, const char *want, size_t n)
{
    struct t2_buf out;

    t2_buf_init(&out);
    tok_unescape((const uint8_t *) piece, n_piece, &out);
    assert_int_equal(out.len_bytes, n);
    if (n > 0)
        assert_memory_equal(out.data, want, n);
    t2_buf_release(&out);
}

#define UNESCAPE(piece, want) assert_unescape(piece, sizeof(piece) - 1, want, sizeof(want) - 1)

static void test_unescape(void **state)
{
    (void) state;
    UNESCAPE("", "");
    UNESCAPE("a\\u\\\\\\65;\\x\\9999999999;", "a_\\A\\x\xE3\x80\x93");
    UNESCAPE("\\0;", "\0");
    UNESCAPE("\\1114111;", "\xF4\x8F\xBF\xBF");
    UNESCAPE("\\1114112;", "\xE3\x80\x93");
    UNESCAPE("\\4294967361;", "\xE3\x80\x93"); /* 2^32 + 65 is not A */
    UNESCAPE("\\18446744073709551681;", "\xE3\x80\x93");
    UNESCAPE("\\55296;", "\xED\xA0\x80");
    UNESCAPE("\\", "\\");
    UNESCAPE("\\;", "\\;");
    UNESCAPE("\\12", "\\12");
    UNESCAPE("\\12x;", "\\12x;");
    UNESCAPE("\\-1;", "\\-1;");
    UNESCAPE("\\\xD9\xA1;", "\\\xD9\xA1;"); /* an Arabic digit */
    UNESCAPE("\\\\u", "\\u");
    UNESCAPE("\\0000000065;", "A");
}

/* Every code point comes back, with and without being in the alphabet. */
static void test_round_trip(void **state)
{
    struct tok_alphabet none, even;
    struct t2_buf escaped, back;

    (void) state;
    tok_alphabet_init(&none);
    tok_alphabet_init(&even);
    t2_buf_init(&escaped);
    t2_buf_init(&back);
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c += 2) {
        uint8_t bytes[4];

        tok_alphabet_add(&even, bytes, tok_utf8_encode(c, bytes));
    }
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        uint8_t bytes[4];
        size_t n = tok_utf8_encode(c, bytes);

        for (int k = 0; k < 2; k++) {
            t2_buf_clear(&escaped);
            t2_buf_clear(&back);
            tok_escape(k ? &even : &none, bytes, n, &escaped);
            tok_unescape(escaped.data, escaped.len_bytes - 1, &back);
            assert_int_equal(back.len_bytes, n);
            assert_memory_equal(back.data, bytes, n);
        }
    }
    t2_buf_release(&escaped);
    t2_buf_release(&back);
    tok_alphabet_release(&none);
    tok_alphabet_release(&even);
}

T_MAIN(cmocka_unit_test(test_escape), cmocka_unit_test(test_unescape),
       cmocka_unit_test(test_round_trip))
