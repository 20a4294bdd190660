/*
 * test_table_header.c - names of columns that would become a sample.
 */
#include "datagen/source/table_header.h"

#include <string.h>

#include "tests/support/t.h"

static enum t2_status look(const char *text, enum dg_format format, size_t n_wanted, char *said)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t_write_file(t_tmp_path("table"), text, strlen(text));
    st = dg_check_table_header(t_tmp_path("table"), format, n_wanted, 0, &err);
    memcpy(said, err.message, strlen(err.message) + 1);
    return st;
}

static char said[T2_ERR_MESSAGE_BYTES];

static void taken(const char *text, enum dg_format format, size_t n_wanted)
{
    assert_int_equal(look(text, format, n_wanted, said), T2_OK);
}

static void refused(const char *text, enum dg_format format, size_t n_wanted, const char *way_out)
{
    assert_int_equal(look(text, format, n_wanted, said), T2_EUSAGE);
    t_assert_contains(said, way_out);
}

static void test_samples(void **state)
{
    (void) state;
    taken("a small test,ein kleiner Test\na,b\n", DG_FORMAT_CSV, 2);
    taken("hello,hallo\ncat,katze\n", DG_FORMAT_CSV, 2); /* a dictionary */
    taken("1,2\n3 4,5\n", DG_FORMAT_CSV, 2);
    taken("hello,hallo\n", DG_FORMAT_CSV, 2);
    taken("", DG_FORMAT_CSV, 2);
    taken("one line\nanother\n", DG_FORMAT_CSV, 1);
    taken("\"a, b\",c d\nx,y\n", DG_FORMAT_CSV, 2);
    taken("a b\tc d\te\nx y\tz\tz\n", DG_FORMAT_TSV, 2); /* rows that are dropped one by one */
    taken("\"a\tb c\nd\te\n", DG_FORMAT_TSV, 2);         /* no quotes in there */
}

static void test_names(void **state)
{
    (void) state;
    refused("en,de\na b,c d\n", DG_FORMAT_CSV, 2, "(en,de) seems to name the columns");
    refused("en,de\na b,c d\n", DG_FORMAT_CSV, 2, "--csv=en,de; --csv=1,2 takes that row as text");
    refused("src_text,tgt_text\r\na b,c\r\n", DG_FORMAT_CSV, 2, "--csv=src_text,tgt_text;");
    refused("Source,Target\ncat,katze\n", DG_FORMAT_CSV, 2, "--csv=Source,Target;");
    refused("en\tde\na b\tc d\n", DG_FORMAT_TSV, 2, "--tsv=en,de;");
    refused("text\na b, c\n", DG_FORMAT_TSV, 1, "--tsv=text; --tsv=1 takes");
    refused("id,text,label\n1,so so,pos\n", DG_FORMAT_CSV, 2, "(id,text,label) seems");
}

static void test_columns(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    refused("1,a b,c d\n2,e f,g h\n", DG_FORMAT_CSV, 2,
            "has 3 columns (the first row: 1,a b,c d), 2 are");
    refused("Hello, world\nAnd, you\n", DG_FORMAT_CSV, 1, "has 2 columns");
    refused("a b c\nd e\n", DG_FORMAT_CSV, 2, "has 1 column (the first row: a b c), 2 are wanted");
    assert_int_equal(look("\"open\n", DG_FORMAT_CSV, 2, said), T2_EFORMAT);
    assert_int_equal(dg_check_table_header(t_tmp_path("absent"), DG_FORMAT_CSV, 2, 0, &err),
                     T2_ENOTFOUND);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_names), cmocka_unit_test(test_columns))
