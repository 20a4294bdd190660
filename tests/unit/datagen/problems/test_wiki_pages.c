/*
 * test_wiki_pages.c - articles out of pages; whole runs equal T2T 1.15.7's (see
 * test_problem_wiki_dump.c).
 */
#include "datagen/problems/wiki_pages.h"

#include <string.h>

#include "tests/support/t.h"

#define FILL "................................................................................"
#define LONG FILL FILL
#define PAGE(title, text)                                                                          \
    "  <page>\n    <title>" title "</title>\n    <text xml:space=\"preserve\">" text               \
    "</text>\n  </page>\n"

static void check(const char *dump, const char *expected)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_wiki_articles(t2_slice_of(dump), &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_articles(void **state)
{
    (void) state;
    check("x" PAGE("A", LONG) PAGE("Talk:A", LONG) PAGE("B", "short") "<page>\n cut",
          "title: \"A\" length: 160\n" LONG "\n");
    check(PAGE("A", "[[x|y]] [[z]] [[File:q|w]] '''b''' &lt;ref n&gt;r&lt;/ref&gt;" LONG),
          "title: \"A\" length: 167\ny z  b " LONG "\n");
    /* characters, not bytes */
    check(PAGE("\xc3\xa4", "\xc3\xa4" LONG), "title: \"\xc3\xa4\" length: 161\n\xc3\xa4" LONG "\n");
    /* a mark that is not closed takes the rest */
    check(PAGE("A", LONG "[[ rest " LONG), "title: \"A\" length: 160\n" LONG "\n");
    check(PAGE("A", "'''" LONG), "");
    check("", "");
}

static void check_fails(const char *dump, const char *part)
{
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_wiki_articles(t2_slice_of(dump), &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_broken_pages(void **state)
{
    (void) state;
    check_fails("<page>\n<text></text></page>\n", "no title");
    check_fails("<page>\n</title><title></page>\n", "no text");
    check_fails("<page>\n<title>a</title><text</page>\n ", "no text");
    check("<page>\n</title><title><text></page>\n", "");
}

T_MAIN(cmocka_unit_test(test_articles), cmocka_unit_test(test_broken_pages))
