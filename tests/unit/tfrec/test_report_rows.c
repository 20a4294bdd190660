/*
 * tests/unit/tfrec/test_report_rows.c - values of each kind, decoded ids, images within their
 * allowance.
 */
#include "base/alloc.h"
#include "tests/unit/tfrec/pages.h"
#include "tokenizer/encoder.h"

static struct t2_err err;

static void test_values(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct tok_encoder *vocab = tok_bytes_new();
    struct page p;

    (void) state;
    set_three(&bytes);
    page_open(&p, "three.tfrecord", &bytes, vocab);
    assert_int_equal(rec_report_rows(&p.report, &p.html, &err), T2_OK);
    page_check_nesting(&p);
    page_contains(&p, "Record <b>0</b>");
    page_contains(&p, "<span class=\"ids\">3 1</span>"); /* with the text above */
    page_contains(&p, "<span class=\"num\">1.5  nan</span>");
    page_contains(&p, "a&lt;b");
    page_contains(&p, "no list");
    page_contains(&p, "empty");
    assert_null(strstr(t2_buf_cstr(&p.html), "<img"));
    page_close(&p);
    tok_free(vocab);
}

static size_t count(const struct page *p, const char *part)
{
    size_t n = 0;

    for (const char *s = t2_buf_cstr(&p->html); (s = strstr(s, part)) != NULL; s++)
        n++;
    return n;
}

static void check_images(uint64_t allowed, size_t expected)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    set_hostile(&bytes);
    page_open(&p, "images.tfrecord", &bytes, NULL);
    p.report.image_bytes = allowed;
    assert_int_equal(rec_report_rows(&p.report, &p.html, &err), T2_OK);
    page_check_nesting(&p);
    assert_int_equal(count(&p, "src=\"data:image/png;base64,iVBORw0KGgo"), expected);
    assert_int_equal(count(&p, "<img class=\"tiny\" alt=\"PNG 32x32"), expected);
    assert_int_equal(count(&p, "image/tiff"), 0);
    page_contains(&p, "not in this page");
    assert_int_equal(count(&p, "<h2>More images"), expected > 4);
    page_close(&p);
}

/* The page is not written without what there is no memory for. */
static void test_short_memory(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    set_three(&bytes);
    page_open(&p, "three.tfrecord", &bytes, NULL);
    t2_alloc_fail_after(2); /* behind the record's own */
    assert_int_equal(rec_report_rows(&p.report, &p.html, &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    t_assert_contains(err.message, "values of feature");
    page_close(&p);
}

static void test_images(void **state)
{
    (void) state;
    check_images(1 << 20, 6);
    check_images(29 * 2, 2);
    check_images(0, 0);
}

T_MAIN(cmocka_unit_test(test_short_memory), cmocka_unit_test(test_values),
       cmocka_unit_test(test_images))
