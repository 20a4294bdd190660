/*
 * tests/unit/tfrec/test_html.c - nothing that strangers write becomes markup.
 */
#include "tfrec/html.h"

#include <string.h>

#include "tests/support/t.h"

static void check(const char *text, size_t n, size_t most, const char *expected)
{
    struct t2_buf out = {NULL, 0, 0};

    rec_html_text(text, n, most, &out);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

#define BAD "\xef\xbf\xbd"

static void test_text(void **state)
{
    (void) state;
    check("<script>alert('x')</script>", 27, 0, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    check("\" onload=\"&amp;", 15, 0, "&quot; onload=&quot;&amp;amp;");
    check("\xc3\xa9\xf0\x9f\x98\x80", 6, 0, "\xc3\xa9\xf0\x9f\x98\x80");
    check("a\0b\x1b\x7f", 5, 0, "a" BAD "b" BAD BAD);
    check("\xff\xc3<", 3, 0, BAD BAD "&lt;");
    check("\xc0\xbc", 2, 0, BAD BAD);         /* an overlong '<' */
    check("\xed\xa0\x80", 3, 0, BAD BAD BAD); /* a surrogate */
    check("\xe2\x80\xae"
          "x\xe2\x81\xa6",
          7, 0, BAD "x" BAD);                     /* turns the direction */
    check("\xef\xbf\xbe\xc2\x80", 5, 0, BAD BAD); /* U+FFFE, a C1 control */
    check("a\tb\nc", 5, 0, "a\tb\nc");
    check("abcdef", 6, 3, "abc\xe2\x80\xa6");
    check("abc", 3, 3, "abc");
    check("", 0, 3, "");
}

static void test_count(void **state)
{
    struct t2_buf out = {NULL, 0, 0};

    (void) state;
    rec_html_count(0, &out);
    rec_html_puts("|", &out);
    rec_html_count(999, &out);
    rec_html_puts("|", &out);
    rec_html_count(1234567, &out);
    assert_string_equal(t2_buf_cstr(&out), "0|999|1\xe2\x80\xaf"
                                           "234\xe2\x80\xaf"
                                           "567");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_count))
