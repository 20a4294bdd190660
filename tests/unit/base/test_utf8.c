/*
 * tests/unit/base/test_utf8.c - validity of UTF-8, against a decoder that knows the definition
 * only.
 */
#include <string.h>

#include "base/text.h"
#include "tests/support/t.h"

/* Decodes by the bit layout and then asks for the shortest form, no surrogates, the range. */
static size_t slow_length(const uint8_t *p, size_t left)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    n = (p[0] & 0xE0) == 0xC0 ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 : (p[0] & 0xF8) == 0xF0 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    c = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    return c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0 : n;
}

static size_t slow_invalid_at(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t k = slow_length(data + i, n - i);

        if (k == 0)
            return i;
        i += k;
    }
    return n;
}

static size_t invalid_at(const char *s)
{
    return t2_utf8_invalid_at((const uint8_t *) s, strlen(s));
}

static void test_examples(void **state)
{
    (void) state;
    assert_int_equal(t2_utf8_invalid_at(NULL, 0), 0);
    assert_int_equal(invalid_at("plain ASCII, longer than eight"), 30);
    assert_int_equal(invalid_at("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), 9);
    assert_int_equal(invalid_at("12345678\xFF"), 8);
    assert_int_equal(invalid_at("a\x80"), 1);
    assert_int_equal(invalid_at("a\xC0\x80"), 1);        /* overlong NUL */
    assert_int_equal(invalid_at("\xED\xA0\x80"), 0);     /* surrogate */
    assert_int_equal(invalid_at("\xED\x9F\xBF"), 3);     /* the last before */
    assert_int_equal(invalid_at("\xF4\x90\x80\x80"), 0); /* above U+10FFFF */
    assert_int_equal(invalid_at("\xF4\x8F\xBF\xBF"), 4); /* U+10FFFF */
    assert_int_equal(invalid_at("abc\xE2\x82"), 3);      /* cut */
}

/* All two-byte sequences and all interesting third and fourth bytes. */
static void test_all_short_sequences(void **state)
{
    static const uint8_t some[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    uint8_t s[4];

    (void) state;
    for (unsigned a = 0; a < 65536; a++) {
        s[0] = (uint8_t) (a >> 8);
        s[1] = (uint8_t) a;
        for (size_t b = 0; b < sizeof some; b++) {
            s[2] = some[b];
            for (size_t c = 0; c < sizeof some; c++) {
                s[3] = some[c];
                if (t2_utf8_invalid_at(s, 4) != slow_invalid_at(s, 4))
                    fail_msg("%02x %02x %02x %02x", s[0], s[1], s[2], s[3]);
            }
        }
    }
}

static void test_at_every_position_and_cut(void **state)
{
    static const char euro[] = "\xE2\x82\xAC";

    (void) state;
    for (size_t at = 0; at < 20; at++) {
        uint8_t *s = t_guarded_alloc(at + 3);

        memset(s, 'x', at);
        memcpy(s + at, euro, 3);
        assert_int_equal(t2_utf8_invalid_at(s, at + 3), at + 3);
        t_guarded_free(s, at + 3);
        for (size_t n = 1; n < 3; n++) {
            s = t_guarded_alloc(at + n);
            memset(s, 'x', at);
            memcpy(s + at, euro, n);
            assert_int_equal(t2_utf8_invalid_at(s, at + n), at);
            t_guarded_free(s, at + n);
        }
    }
}

T_MAIN(cmocka_unit_test(test_examples), cmocka_unit_test(test_all_short_sequences),
       cmocka_unit_test(test_at_every_position_and_cut))
