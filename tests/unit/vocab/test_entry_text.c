/*
 * tests/unit/vocab/test_entry_text.c - entries never end or split a line, nor move a cursor.
 */
#include "vocab/entry_text.h"

#include "tests/support/t.h"

static void check(const char *entry, size_t n, bool backslash, const char *want)
{
    struct t2_buf out = {NULL, 0, 0};

    voc_put_entry(&out, (struct t2_slice){(const uint8_t *) entry, n}, backslash);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

static void test_entries(void **state)
{
    (void) state;
    check("", 0, true, "");
    check("the_", 4, true, "the_");
    check("\\u_\xC3\xA9", 5, false, "\\u_\xC3\xA9");
    check("\\u_", 3, true, "\\\\u_");
    check("a\nb\tc\rd", 7, false, "a\\nb\\tc\\rd");
    check("\xC2\x9B"
          "2J\xC2\xA0",
          6, false, "\\xc2\\x9b2J\xC2\xA0"); /* C1; a no-break space is none */
    check("\x1B[1m\0\x7F", 6, false, "\\x1b[1m\\x00\\x7f");
}

T_MAIN(cmocka_unit_test(test_entries))
