/*
 * tests/unit/datagen/fetch/test_confirm_form.c - forms that confirm, forms that do not, broken
 * pages.
 */
#include "datagen/fetch/confirm_form.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static bool find(const char *page, struct dg_form *f)
{
    size_t n = strlen(page);
    uint8_t *copy = t_guarded_alloc(n);
    bool found;

    memcpy(copy, page, n);
    found = dg_confirm_form(copy, n, f);
    t_guarded_free(copy, n);
    return found;
}

static void test_google_page(void **state)
{
    /* the shape of the page as it was in 2024 */
    const char *page =
        "<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><body>"
        "<!-- <form><input type=hidden name=confirm value=wrong></form> -->"
        "<form id=\"download-form\" action=\"https://host/download?a=1&amp;b=2\" method=\"get\">"
        "<input type=\"submit\" id=\"uc-download-link\" value=\"Download anyway\"/>"
        "<input type=\"hidden\" name=\"id\" value=\"0B_x&quot;y\"><input type=\"hidden\" "
        "name=\"export\" value=\"download\"><input type='hidden' name='confirm' value=t>"
        "<input type=hidden name=\"uuid\" value=\"a b/c\"></form>";
    struct dg_form f;
    char *url;

    (void) state;
    assert_true(find(page, &f));
    assert_string_equal(f.action, "https://host/download?a=1&b=2");
    assert_string_equal(f.query, "id=0B_x%22y&export=download&confirm=t&uuid=a%20b%2Fc");
    url = dg_form_url(f.action, &f);
    assert_string_equal(
        url, "https://host/download?id=0B_x%22y&export=download&confirm=t&uuid=a%20b%2Fc");
    t2_free(url);
    dg_form_release(&f);
}

static void test_others(void **state)
{
    static const char *const pages[] = {
        "",
        "<html>Please sign in.</html>",
        "<form action=/login><input name=user><input type=password name=p></form>",
        "<form><input type=hidden name=confirm value=1><input type=Password name=p></form>",
        "<form method=POST><input type=hidden name=confirm value=1></form>",
        "<form><input type=text name=confirm value=1></form>",
        "<form></form><input type=hidden name=confirm value=1>",
        "<form><input type=hidden name=\"confirm value=1></form>",
        "<form",
        "<!-- <form><input type=hidden name=confirm value=1></form>",
    };
    struct dg_form f;

    (void) state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        assert_false(find(pages[i], &f));
}

static void test_second_form(void **state)
{
    struct dg_form f;

    (void) state;
    assert_true(
        find("<form action=a><input type=hidden name=q></form>"
             "<FORM  action = 'b&lt;&#39;&copy;' METHOD = get ><input/ value='>' type=hidden "
             "name=confirm><input type=hidden value=nameless>",
             &f));
    assert_string_equal(f.action, "b<'&copy;");
    assert_string_equal(f.query, "confirm=%3E");
    dg_form_release(&f);
    assert_null(f.query);
}

T_MAIN(cmocka_unit_test(test_google_page), cmocka_unit_test(test_others),
       cmocka_unit_test(test_second_form))
