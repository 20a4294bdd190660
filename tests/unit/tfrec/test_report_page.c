/*
 * tests/unit/tfrec/test_report_page.c - the whole page: well formed, escaped, nothing from
 * elsewhere.
 */
#include "tests/unit/tfrec/pages.h"

static struct t2_err err;

static void check_self_contained(const struct page *p)
{
    const char *const from_elsewhere[] = {"http:", "https:", "//",         "<script", "@import",
                                          "url(",  "<link",  "onclick=\"", "<iframe"};

    for (size_t i = 0; i < sizeof from_elsewhere / sizeof *from_elsewhere; i++)
        assert_null(strstr(t2_buf_cstr(&p->html), from_elsewhere[i]));
}

static void test_three(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    set_three(&bytes);
    page_open(&p, "three-00000-of-00001", &bytes, NULL);
    assert_int_equal(rec_report_print(&p.report, &p.html, &err), T2_OK);
    page_check_nesting(&p);
    check_self_contained(&p);
    page_contains(&p, "<h1>three-00000-of-00001</h1>");
    page_contains(&p, "<dt>Records</dt><dd>3</dd>");
    page_contains(&p, "<h2>Features</h2>");
    page_contains(&p, "<h2>Files</h2>");
    page_contains(&p, "default-src 'none'");
    assert_null(strstr(t2_buf_cstr(&p.html), "class=\"damage\""));
    assert_null(strstr(t2_buf_cstr(&p.html), "<h2>Vocabulary"));
    page_close(&p);
}

static void test_hostile(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    set_hostile(&bytes);
    page_open(&p, "a<b>\"&.tfrecord", &bytes, NULL);
    p.report.title = "<title>&\"";
    assert_int_equal(rec_report_print(&p.report, &p.html, &err), T2_OK);
    page_check_nesting(&p);
    check_self_contained(&p);
    page_contains(&p, "<h1>&lt;title&gt;&amp;&quot;</h1>");
    page_contains(&p, "a&lt;b&gt;&quot;&amp;.tfrecord");
    page_contains(&p, "&lt;b onclick=&quot;x&quot;&gt;&amp;");
    assert_null(strstr(t2_buf_cstr(&p.html), "\xe2\x80\xae"));
    page_close(&p);
}

static void test_damage(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    set_three(&bytes);
    set_disagree(&bytes);
    rf_record(&bytes, "x", 1);
    bytes.data[bytes.len_bytes - 1] ^= 1;
    page_open(&p, "damaged.tfrecord", &bytes, NULL);
    rec_report_warnings(&p.report, &p.html);
    page_contains(&p, "<p class=\"damage\">Reading ended early: ");
    page_contains(&p, "about the 4 records");
    page_contains(&p, "feature &#39;label&#39; is int64 in 3 records");
    page_close(&p);
}

static void test_empty(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    rf_record(&bytes, "", 0);
    page_open(&p, "no_features.tfrecord", &bytes, NULL);
    assert_int_equal(rec_report_print(&p.report, &p.html, &err), T2_OK);
    page_check_nesting(&p);
    page_contains(&p, "No record has a feature");
    page_close(&p);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_hostile), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_empty))
