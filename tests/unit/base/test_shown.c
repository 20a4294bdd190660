/*
 * test_shown.c - what a terminal would obey is shown as an escape.
 */
#include "base/shown.h"

#include <string.h>

#include "tests/support/t.h"

static const char *shown(const char *s, size_t n)
{
    static char to[256];
    size_t k = t2_show(to, sizeof to - 1, s, n);

    to[k] = '\0';
    return to;
}

#define SHOWN(s) shown(s, sizeof(s) - 1)

static void test_escapes(void **state)
{
    (void) state;
    assert_string_equal(SHOWN("plain, \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\ttab\\"),
                        "plain, \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\ttab\\");
    assert_string_equal(SHOWN("a\x1b[2Jb\x07\x7f"), "a\\x1b[2Jb\\x07\\x7f");
    assert_string_equal(SHOWN("a\0b"), "a\\x00b");
    assert_string_equal(SHOWN("up\rdown"), "up\\rdown");
    assert_string_equal(SHOWN("\xc2\x9b"
                              "2J \xc2\xa0"),
                        "\\xc2\\x9b"
                        "2J \xc2\xa0");
    assert_string_equal(SHOWN("\x9b"
                              "2J\xff\xc2"),
                        "\\x9b"
                        "2J\\xff\\xc2");
    assert_string_equal(SHOWN("\xc2\x1b"), "\\xc2\\x1b");
    assert_string_equal(SHOWN(""), "");
}

static void test_lines(void **state)
{
    struct t2_buf lines = {0};

    (void) state;
    assert_string_equal(SHOWN("one\ntfrec: error: faked"), "one\\ntfrec: error: faked");
    assert_string_equal(SHOWN("one\n  continued\n"), "one\n  continued\n");
    t2_show_lines(t2_slice_of("a\x1b\nb\n"), &lines);
    assert_string_equal(t2_buf_cstr(&lines), "a\\x1b\nb\n");
    t2_buf_release(&lines);
}

/* No room: whole escapes only. */
static void test_room(void **state)
{
    char to[8];

    (void) state;
    assert_int_equal(t2_show(to, 5, "ab\x1b", 3), 2);
    assert_int_equal(t2_show(to, 6, "ab\x1b", 3), 6);
    assert_memory_equal(to, "ab\\x1b", 6);
    assert_int_equal(t2_show(to, 0, "ab", 2), 0);
}

/* All single bytes and pairs: what comes out has no control character. */
static void test_all_pairs(void **state)
{
    char to[16];

    (void) state;
    for (unsigned pair = 0; pair < 1U << 16; pair++) {
        const char s[2] = {(char) (pair >> 8), (char) pair};
        size_t n = t2_show(to, sizeof to, s, 2);

        assert_in_range(n, 2, 8);
        for (size_t i = 0; i < n; i++) {
            uint8_t c = (uint8_t) to[i];
            assert_true(c >= 0x20 || c == '\t' || c == '\n');
            assert_int_not_equal(c, 0x7f);
            assert_false(c >= 0x80 && c < 0xa0 && (i == 0 || (uint8_t) to[i - 1] == 0xc2));
        }
    }
}

T_MAIN(cmocka_unit_test(test_escapes), cmocka_unit_test(test_lines), cmocka_unit_test(test_room),
       cmocka_unit_test(test_all_pairs))
