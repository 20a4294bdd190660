/*
 * tests/unit/datagen/fetch/test_file_kind.c - archives, pages, and what is neither.
 */
#include "datagen/fetch/file_kind.h"

#include <string.h>

#include "tests/support/t.h"

static void test_names(void **state)
{
    (void) state;
    assert_int_equal(dg_kind_of_name("a.tgz"), DG_KIND_GZIP);
    assert_int_equal(dg_kind_of_name("a.tar.GZ"), DG_KIND_GZIP);
    assert_int_equal(dg_kind_of_name("a.xml.bz2"), DG_KIND_BZIP2);
    assert_int_equal(dg_kind_of_name("a.zip"), DG_KIND_ZIP);
    assert_int_equal(dg_kind_of_name("a.tar.xz"), DG_KIND_XZ);
    assert_int_equal(dg_kind_of_name("a.html"), DG_KIND_ANY);
    assert_int_equal(dg_kind_of_name(".gz"), DG_KIND_NOT_HTML);
    assert_int_equal(dg_kind_of_name("a.txt"), DG_KIND_NOT_HTML);
    assert_int_equal(dg_kind_of_name(""), DG_KIND_NOT_HTML);
}

static bool is_html(const char *text)
{
    size_t n = strlen(text);
    uint8_t *page = t_guarded_alloc(n);
    bool is;

    memcpy(page, text, n);
    is = dg_looks_like_html(page, n);
    t_guarded_free(page, n);
    return is;
}

static void test_pages(void **state)
{
    (void) state;
    assert_true(is_html("<html>"));
    assert_true(is_html("\n  <!DOCTYPE html>\n<html>"));
    assert_true(is_html("\xef\xbb\xbf<!doctype HTML PUBLIC"));
    assert_true(is_html("<!-- x --><HEAD\n>"));
    assert_true(is_html("<?xml version='1.0'?>\n<html xmlns='x'>"));
    assert_false(is_html("<htmlx>"));
    assert_false(is_html("<?xml version='1.0'?><mediawiki>"));
    assert_false(is_html("<srcset setid=\"newstest2014\">"));
    assert_false(is_html("<doc> text"));
    assert_false(is_html("<!-- without end <html>"));
    assert_false(is_html(""));
    assert_false(is_html("<"));
    assert_false(is_html("text <html>"));
}

static bool fits(enum dg_file_kind kind, const char *head, size_t n)
{
    return dg_kind_fits(kind, (const uint8_t *) head, n);
}

static void test_fits(void **state)
{
    (void) state;
    assert_true(fits(DG_KIND_GZIP, "\x1f\x8b\b", 3));
    assert_false(fits(DG_KIND_GZIP, "\x1f", 1));
    assert_false(fits(DG_KIND_GZIP, "PK\3\4", 4));
    assert_true(fits(DG_KIND_ZIP, "PK\3\4", 4));
    assert_true(fits(DG_KIND_BZIP2, "BZh9", 4));
    assert_true(fits(DG_KIND_XZ, "\xfd\x37zXZ\0", 6));
    assert_true(fits(DG_KIND_NOT_HTML, "hello", 5));
    assert_false(fits(DG_KIND_NOT_HTML, "<html>", 6));
    assert_true(fits(DG_KIND_ANY, "<html>", 6));
    assert_true(dg_kind_proved(DG_KIND_ZIP, (const uint8_t *) "PK\3\4", 4));
    assert_false(dg_kind_proved(DG_KIND_NOT_HTML, (const uint8_t *) "PK\3\4", 4));
    assert_string_equal(dg_kind_text(DG_KIND_GZIP), "a gzip file");
    assert_string_equal(dg_kind_text(DG_KIND_ANY), "the file");
}

static void check_title(const char *page, const char *want)
{
    char title[80];

    dg_html_title((const uint8_t *) page, strlen(page), title);
    assert_string_equal(title, want);
}

static void test_titles(void **state)
{
    char page[300] = "<title>";

    (void) state;
    check_title("<html><TITLE lang='x'>\n Sign\x1b[1m  in \n</title>", "Sign [1m in");
    check_title("<html>", "");
    check_title("<title", "");
    check_title("<title>no end", "");
    memset(page + 7, 'x', 200);
    memcpy(page + 207, "</title>", 9);
    page[7 + 79] = 'y';
    page[7 + 78] = 'z';
    {
        char title[80];
        dg_html_title((const uint8_t *) page, strlen(page), title);
        assert_int_equal(strlen(title), 79);
        assert_int_equal(title[78], 'z');
    }
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_pages), cmocka_unit_test(test_fits),
       cmocka_unit_test(test_titles))
