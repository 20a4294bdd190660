#include "tokenizer/unicode.h"

#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

static size_t count_if(bool (*has)(uint32_t))
{
    size_t n = 0;

    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++)
        n += has(c);
    return n;
}

/* Numbers of code points in Python 3.7's unicodedata (Unicode 11.0); the first is in the spec. */
static void test_class_sizes(void **state)
{
    (void) state;
    assert_int_equal(count_if(tok_is_alnum), 127072);
    assert_int_equal(count_if(tok_is_digit), 610);
    assert_int_equal(count_if(tok_is_space), 29);
    assert_int_equal(count_if(tok_is_punctuation), 788);
    assert_int_equal(count_if(tok_is_symbol), 7110);
    assert_false(tok_is_alnum(TOK_CODE_POINTS));
    assert_false(tok_is_alnum(UINT32_MAX));
}

/* FNV-1a over the five classes of every code point, from the same interpreter. */
static void test_every_class(void **state)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);

    (void) state;
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        unsigned classes = (unsigned) tok_is_alnum(c) | (unsigned) tok_is_digit(c) << 1 |
                           (unsigned) tok_is_punctuation(c) << 2 |
                           (unsigned) tok_is_symbol(c) << 3 | (unsigned) tok_is_space(c) << 4;

        h = (h ^ classes) * UINT64_C(0x100000001B3);
    }
    assert_true(h == UINT64_C(0x42E61CC7DFDA40E9));
}

/* Numbers of letters and digits in each Python (spec §4.2; U+10FFFF is neither). */
static void test_versions(void **state)
{
    static const struct {
        const char *version;
        size_t n;
    } rows[] = {{"5.2", 100601}, {"9.0", 118258},  {"12.1", 127397}, {"13.0", 133022},
                {"14", 133547},  {"15.0", 137935}, {"15.1", 138557}, {"11", 127072}};

    (void) state;
    assert_false(tok_unicode_use("10"));
    assert_false(tok_unicode_use(""));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(tok_unicode_use(rows[i].version));
        assert_int_equal(count_if(tok_is_alnum), rows[i].n);
        assert_int_equal(tok_is_alnum(0x1CF2), i >= 2 && i < 7);
        assert_int_equal(tok_is_alnum(0x1885), i == 0);
        assert_int_equal(tok_is_alnum(0x19B0), i > 0);
    }
}

static void test_classes_that_changed(void **state)
{
    (void) state;
    assert_true(tok_is_punctuation(0x55F));
    assert_true(tok_is_punctuation(0x166D)); /* a symbol since Unicode 12 */
    assert_false(tok_is_symbol(0x166D));
    assert_false(tok_is_alnum(0x1CF2)); /* a letter since Unicode 12 */
    assert_false(tok_is_alnum(0x1CF3));
    assert_true(tok_is_alnum(0x1C90));   /* Unicode 11.0 */
    assert_false(tok_is_alnum(0x1E100)); /* 12.0 */
    assert_false(tok_is_symbol(0x32FF)); /* 12.1 */
    assert_true(tok_is_alnum(0xBD));     /* one half: No */
    assert_true(tok_is_alnum(0x2163));   /* roman four: Nl */
    assert_false(tok_is_alnum(0x301));   /* combining: Mn */
    assert_false(tok_is_alnum('_'));
    assert_false(tok_is_alnum(0xD800));
    assert_false(tok_is_alnum(0xE000));
    assert_true((tok_alnum_bits()['a' / 64] >> 'a' % 64 & 1) == 1);
}

static void test_utf8_round_trip(void **state)
{
    (void) state;
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        uint8_t bytes[4];
        size_t n = tok_utf8_encode(c, bytes);
        uint32_t back;
        bool valid;

        assert_int_equal(n, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        assert_int_equal(tok_utf8_decode(bytes, n, &back, &valid), n);
        assert_true(valid);
        assert_int_equal(back, c);
        assert_int_equal(tok_utf8_invalid_at(bytes, n), n);
        if (n > 1) { /* cut short */
            assert_int_equal(tok_utf8_decode(bytes, n - 1, &back, &valid), 1);
            assert_false(valid);
            assert_int_equal(back, TOK_REPLACEMENT);
        }
    }
}

static void test_invalid_utf8(void **state)
{
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE0\x80\x80",
                                      "\xE0\x9F\xBF",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      "\xE2\x28\xA1",
                                      "\xC3\x28",
                                      "\xF0\x9F\x98\x28"};

    (void) state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t c;
        bool valid = true;

        assert_int_equal(tok_utf8_decode((const uint8_t *) bad[i], strlen(bad[i]), &c, &valid), 1);
        assert_false(valid);
        assert_int_equal(tok_utf8_invalid_at((const uint8_t *) bad[i], strlen(bad[i])), 0);
    }
    assert_int_equal(tok_utf8_invalid_at((const uint8_t *) "ab\xFF", 3), 2);
}

static void assert_replaced(const char *in, size_t n, const char *want)
{
    struct t2_buf out;

    t2_buf_init(&out);
    tok_utf8_replace(&out, (const uint8_t *) in, n);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

#define FFFD "\xEF\xBF\xBD"

/* Values from Python's bytes.decode("utf-8", "replace"). */
static void test_replace(void **state)
{
    (void) state;
    assert_replaced("", 0, "");
    assert_replaced("gr\xC3\xBC\xC3\x9F", 6, "gr\xC3\xBC\xC3\x9F");
    assert_replaced("a\xFF"
                    "b",
                    3, "a" FFFD "b");
    assert_replaced("\xED\xA0\x80", 3, FFFD FFFD FFFD);
    assert_replaced("\xE2\x82", 2, FFFD);
    assert_replaced("\xE2\x82x", 3, FFFD "x");
    assert_replaced("\xF0\x9F\x98", 3, FFFD);
    assert_replaced("\xF0\x80\x80\x80", 4, FFFD FFFD FFFD FFFD);
    assert_replaced("\xF4\x90\x80\x80", 4, FFFD FFFD FFFD FFFD);
    assert_replaced("\xC3\xC3\xBC", 3, FFFD "\xC3\xBC");
    assert_replaced("\xE0\x80\xAF", 3, FFFD FFFD FFFD);
}

static void assert_strip(const char *in, const char *want, const char *want_end)
{
    const uint8_t *s = (const uint8_t *) in;
    size_t n = strlen(in), n_end = n;

    tok_strip_end(s, &n_end);
    assert_int_equal(n_end, strlen(want_end));
    assert_memory_equal(in, want_end, n_end);
    tok_strip(&s, &n);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(s, want, n);
}

static void test_strip(void **state)
{
    (void) state;
    assert_strip("", "", "");
    assert_strip("x", "x", "x");
    assert_strip(" \t x y \r\n", "x y", " \t x y");
    assert_strip("\xE3\x80\x80\xC2\xA0x\xE2\x80\x83", "x", "\xE3\x80\x80\xC2\xA0x");
    assert_strip("\xE2\x80\x8Bx\xEF\xBB\xBF", "\xE2\x80\x8Bx\xEF\xBB\xBF",
                 "\xE2\x80\x8Bx\xEF\xBB\xBF"); /* ZWSP and BOM stay */
    assert_strip("\x1C\x1F x\xC2\x85", "x", "\x1C\x1F x");
    assert_strip("  \xC2\xA0 ", "", "");
    assert_strip("x \xA0", "x \xA0", "x \xA0"); /* a broken byte is no blank */
}

static void assert_lower(const char *in, const char *want)
{
    struct t2_buf out;

    t2_buf_init(&out);
    tok_lower(&out, (const uint8_t *) in, strlen(in));
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

static void test_lower(void **state)
{
    (void) state;
    assert_lower("", "");
    assert_lower("ABCxyz 09_", "abcxyz 09_");
    assert_lower("\xC3\x84\xC3\x96\xC3\x9C\xE1\xBA\x9E", "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F");
    assert_lower("\xC4\xB0", "i\xCC\x87");      /* I with dot: two code points */
    assert_lower("\xCE\xA3", "\xCF\x83");       /* a sigma alone is not final */
    assert_lower("A\xCE\xA3", "a\xCF\x82");     /* final */
    assert_lower("A\xCE\xA3.", "a\xCF\x82.");   /* '.' is passed over */
    assert_lower("A\xCE\xA3.B", "a\xCF\x83.b"); /* so this is not the end */
    assert_lower("A'\xCE\xA3", "a'\xCF\x82");   /* nor does ' hide the letter before */
    assert_lower("1\xCE\xA3", "1\xCF\x83");
    assert_lower("A\xCE\xA3 B", "a\xCF\x82 b");
    assert_lower("\xE1\xB2\x90", "\xE1\x83\x90"); /* Georgian capital: Unicode 11.0 */
    assert_lower("\xEA\x9E\xBA", "\xEA\x9E\xBA"); /* U+A7BA: Unicode 12.0, unknown */
    assert_lower("\xFF"
                 "A\xED\xA0\x80",
                 "\xFF"
                 "a\xED\xA0\x80");
}

/* FNV-1a over the lower case of every code point in UTF-8, from Python 3.7. */
static void test_every_lower(void **state)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    struct t2_buf out;

    (void) state;
    t2_buf_init(&out);
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        uint8_t bytes[4];

        t2_buf_clear(&out);
        tok_lower(&out, bytes, tok_utf8_encode(c, bytes));
        for (size_t i = 0; i < out.len_bytes; i++)
            h = (h ^ out.data[i]) * UINT64_C(0x100000001B3);
    }
    t2_buf_release(&out);
    assert_true(h == UINT64_C(0xB0D403687FBABFFB));
}

T_MAIN(cmocka_unit_test(test_class_sizes), cmocka_unit_test(test_every_class),
       cmocka_unit_test(test_versions), cmocka_unit_test(test_classes_that_changed),
       cmocka_unit_test(test_utf8_round_trip), cmocka_unit_test(test_invalid_utf8),
       cmocka_unit_test(test_replace), cmocka_unit_test(test_strip), cmocka_unit_test(test_lower),
       cmocka_unit_test(test_every_lower))
