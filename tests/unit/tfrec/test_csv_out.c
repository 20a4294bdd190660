/*
 * tests/unit/tfrec/test_csv_out.c - the exact text: header, quotes, lists, what no cell can hold.
 */
#include "tests/unit/tfrec/converting.h"

static const char *const rows =
    "{\"id\":7,\"t\":\"a,\\\"b\\\"\",\"v\":[1,2]}\n{\"t\":\"\",\"v\":[]}\n";

static void test_text(void **state)
{
    struct rec_convert c = cv_defaults();
    const char *in = cv_put("a.jsonl", rows), *csv = t_tmp_path("a.csv"),
               *tsv = t_tmp_path("a.tsv");

    (void) state;
    cv_must(c, in, csv);
    assert_string_equal(cv_text(csv), "id,t,v\n7,\"a,\"\"b\"\"\",1 2\n,,\n");
    c.list_separator = ";";
    c.columns = "v,id";
    cv_must(c, in, tsv);
    assert_string_equal(cv_text(tsv), "v\tid\n1;2\t7\n\t\n");
    c.header = false;
    cv_must(c, in, csv);
    assert_string_equal(cv_text(csv), "1;2,7\n,\n");
}

static void test_refused(void **state)
{
    struct rec_convert c = cv_defaults();
    const char *csv = t_tmp_path("no.csv");

    (void) state;
    assert_int_equal(cv_run(c, cv_put("b.jsonl", "{\"t\":{\"base64\":\"/w==\"}}\n"), csv, 2),
                     T2_EUNSUPPORTED);
    t_assert_contains(cv_err.message, "record 0: feature 't' has bytes that are no text");
    assert_int_equal(cv_run(c, cv_put("b.jsonl", "{\"t\":[\"a b\",\"c\"]}\n"), csv, 2),
                     T2_EUNSUPPORTED);
    c.columns = "a,a";
    assert_int_equal(cv_run(c, cv_put("b.jsonl", "{\"a\":1}\n"), csv, 2), T2_EUSAGE);
    assert_false(t2_exists(csv));
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_refused))
