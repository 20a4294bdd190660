/*
 * tests/unit/tfrec/test_report_charts.c - histograms and bars.
 */
#include "tests/unit/tfrec/pages.h"

static void test_histogram(void **state)
{
    struct rec_histogram h = {.n = 0};
    struct page p = {.records = 0};

    (void) state;
    for (uint64_t i = 0; i < 10000; i++)
        rec_histogram_add(&h, 1 + t_hash64(i) % 100);
    rec_histogram_add(&h, 90000);
    rec_report_histogram(&h, "x", "values", &p.html);
    page_check_nesting(&p);
    page_contains(&p, "<figcaption>x</figcaption>");
    page_contains(&p, "<title>1\xe2\x80\x93");
    page_contains(&p, "1 longer ones are not drawn");
    page_contains(&p, "longest <b>90\xe2\x80\xaf"
                      "000</b>");
    rec_histogram_release(&h);
    t2_buf_release(&p.html);

    rec_histogram_add(&h, 5);
    rec_histogram_add(&h, 5);
    rec_report_histogram(&h, "same", "bytes", &p.html);
    page_check_nesting(&p);
    page_contains(&p, "<title>5: 2</title>");
    rec_histogram_release(&h);
    t2_buf_release(&p.html);
}

static void test_sections(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct page p;

    (void) state;
    set_three(&bytes);
    page_open(&p, "three.tfrecord", &bytes, NULL);
    rec_report_lengths(&p.report, &p.html);
    rec_report_labels(&p.report, &p.html);
    page_check_nesting(&p);
    page_contains(&p, "ids <span class=\"note\">values per record</span>");
    page_contains(&p, "text <span class=\"note\">bytes per value</span>");
    page_contains(&p, "<span class=\"v\">7</span><span class=\"b\"><i style=\"width:100.0%\">");
    page_contains(&p, "<span class=\"v\">a&lt;b</span>");
    page_contains(&p, "66.6&nbsp;%");
    page_close(&p);
}

T_MAIN(cmocka_unit_test(test_histogram), cmocka_unit_test(test_sections))
