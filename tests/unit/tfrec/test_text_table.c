/*
 * tests/unit/tfrec/test_text_table.c - widths in characters, hostile text made visible, cut.
 */
#include "tfrec/text_table.h"

#include <string.h>

#include "tests/support/t.h"

static void test_columns(void **state)
{
    struct rec_table t = {.columns = "lr"};
    struct t2_buf out = {NULL, 0, 0};

    (void) state;
    rec_table_cellf(&t, "name");
    rec_table_cellf(&t, "n");
    rec_table_cell(&t, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10);
    rec_table_cellf(&t, "%d", 12);
    rec_table_cellf(&t, "x");
    rec_table_cellf(&t, "%s", "");
    rec_table_print(&t, &out);
    assert_string_equal(t2_buf_cstr(&out),
                        "name    n\n\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9  12\nx\n");
    rec_table_release(&t);
    t2_buf_release(&out);
}

static void check_visible(const char *text, size_t n, size_t most, const char *expected)
{
    struct t2_buf out = {NULL, 0, 0};

    rec_visible(text, n, most, &out);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void test_visible(void **state)
{
    (void) state;
    check_visible("a\x1b[2J\n", 6, 0, "a\\x1b[2J\\x0a");
    check_visible("\0", 1, 0, "\\x00");
    check_visible("\xff\xc3", 2, 0, "\\xff\\xc3");
    check_visible("\xc2\x9b", 2, 0, "\\xc2\\x9b"); /* CSI */
    check_visible("abcdef", 6, 4, "abc\xe2\x80\xa6");
    check_visible("abcd", 4, 4, "abcd");
    check_visible("", 0, 4, "");
}

T_MAIN(cmocka_unit_test(test_columns), cmocka_unit_test(test_visible))
