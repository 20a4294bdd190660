/*
 * tests/unit/tfrec/test_report_schema.c - the tables of features and of the vocabulary.
 */
#include "tests/unit/tfrec/pages.h"
#include "tokenizer/encoder.h"

static void test_tables(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct tok_encoder *vocab = tok_bytes_new();
    struct page p;

    (void) state;
    set_three(&bytes);
    page_open(&p, "three.tfrecord", &bytes, vocab);
    rec_report_schema(&p.report, &p.html);
    rec_report_vocab(&p.report, &p.html);
    page_check_nesting(&p);
    page_contains(&p, "<th scope=\"row\">ids</th><td><span class=\"tag int64\">int64</span></td>");
    page_contains(&p, "66.6&nbsp;%");
    page_contains(&p, "<td class=\"n\">\xe2\x88\x92"
                      "2</td>");
    page_contains(&p, "never has a list");
    page_contains(&p, "1 NaN or infinite");
    page_contains(&p, "<code>v&lt;i&gt;</code>: 258 bytes");
    page_contains(&p, "title=\"id 1, 2 times\"");
    page_close(&p);
    tok_free(vocab);
}

T_MAIN(cmocka_unit_test(test_tables))
