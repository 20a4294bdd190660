/*
 * tests/unit/base/remote/test_xml_walk.c - which XML is read, as what, and which is refused where.
 */
#include "base/remote/xml_walk.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"

static struct t2_buf seen;

static enum t2_status note(void *context, const char *path, const char *text, struct t2_err *err)
{
    if (context && strcmp(path, context) == 0)
        return t2_fail(err, T2_EIO, "enough");
    t2_buf_printf(&seen, "%s=%s;", path, text);
    return T2_OK;
}

static enum t2_status walk(const char *xml, void *context, struct t2_err *err)
{
    t2_buf_clear(&seen);
    return t2_xml_walk(xml, strlen(xml), "x", note, context, err);
}

static void test_reads(void **state)
{
    static const char *const cases[][2] = {
        {"<a/>", "a=;"},
        {"<?xml version='1.0'?>\n<!-- c --><a>t</a>\n", "a=t;"},
        {"<a>1<b>2</b>3<c x=\"<>\" y = 'z'/>4</a>", "a/b=2;a/c=;a=134;"},
        {"<a>&lt;&gt;&amp;&quot;&apos;&#233;&#xE9;&#x20AC;&#x1F600;</a>",
         "a=<>&\"'\xC3\xA9\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80;"},
        {"<a><![CDATA[<b>&amp;]]></a>", "a=<b>&amp;;"},
        {"<n:a xmlns:n='u'> <b >x</b > </n:a>", "n:a/b=x;n:a=  ;"},
    };
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(walk(cases[i][0], NULL, &err), T2_OK);
        assert_string_equal(t2_buf_cstr(&seen), cases[i][1]);
    }
    t2_buf_release(&seen);
}

static void test_refuses(void **state)
{
    static const char *const cases[][2] = {
        {"", "it ends in the middle"},
        {"<a>", "it ends in the middle"},
        {"<a><b></a>", "another element"},
        {"<a></ab>", "another element"},
        {"</a>", "an end without a begin"},
        {"<a/><b/>", "a second element"},
        {"<a/>x", "outside of the element"},
        {"x<a/>", "outside of the element"},
        {"<a/>&lt;", "outside of the element"},
        {"<a", "a tag that is not whole"},
        {"<a b>", "an attribute without a value"},
        {"<a b=c>", "a value without quotes"},
        {"<a b='c>", "it ends in the middle"},
        {"<a b='c'd='e'>", "a tag that is not whole"},
        {"<a>&nbsp;</a>", "not XML's own"},
        {"<a>&lt</a>", "without an entity"},
        {"<a>&#0;</a>", "no such character"},
        {"<a>&#xD800;</a>", "no such character"},
        {"<a>&#x110000;</a>", "no such character"},
        {"<a>&#;</a>", "no such character"},
        {"<!DOCTYPE a><a/>", "a document type"},
        {"<a><?php ?></a>", "an instruction"},
        {"<a>\xFF</a>", "not UTF-8"},
        {"<1/>x", "outside"},
        {"< a/>", "'<' without a name"},
        {"<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", "without end"},
    };
    struct t2_err err = T2_ERR_INIT;
    char name[120];

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(walk(cases[i][0], NULL, &err), T2_EFORMAT);
        t_assert_contains(err.message, cases[i][1]);
    }
    snprintf(name, sizeof name, "<%080d/>", 0);
    assert_int_equal(walk(name, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "too long");
    assert_int_equal(t2_xml_walk("<a>\0</a>", 8, "x", note, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "a NUL");
    t2_buf_release(&seen);
}

static void test_callback_ends_it(void **state)
{
    static char path[] = "a/b";
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(walk("<a><c/><b/><d/></a>", path, &err), T2_EIO);
    assert_string_equal(err.message, "enough");
    assert_string_equal(t2_buf_cstr(&seen), "a/c=;");
    t2_buf_release(&seen);
}

T_MAIN(cmocka_unit_test(test_reads), cmocka_unit_test(test_refuses),
       cmocka_unit_test(test_callback_ends_it))
