/*
 * test_column_table.c - TSV, CSV and JSON lines by column.
 */
#include "datagen/source/column_table.h"

#include "tests/unit/datagen/source/sample_list.h"

static enum t2_status read_table(const char *name, const char *content, enum dg_format format,
                                 const char *columns, size_t n, struct t2_buf *text,
                                 struct t2_err *err)
{
    struct dg_sample sample = {0};
    struct dg_table *t = NULL;
    struct dg_columns c;
    enum t2_status st;
    const char *path = t_tmp_path(name);

    t_write_file(path, content, strlen(content));
    st = n > 0 ? dg_columns_parse("columns", columns, format, n, &c, err)
               : dg_columns_parse_lists("columns", columns, format, &c, err);
    if (st == T2_OK)
        st = dg_table_open(path, &c, 0, &t, err);
    t2_buf_clear(text);
    while (st == T2_OK && (st = dg_table_next(t, &sample, err)) == T2_OK) {
        t2_buf_printf(text, "%s", text->len_bytes ? " " : "");
        if (sample.drop)
            t2_buf_printf(text, "!%s", sample.drop);
        else
            t2_buf_printf(text, "%d:%.*s>%.*s", (int) sample.targets_origin.line,
                          (int) sample.inputs.len_bytes, (const char *) sample.inputs.data,
                          (int) sample.targets.len_bytes, (const char *) sample.targets.data);
        memset(&sample, 0, sizeof sample);
    }
    dg_table_free(t);
    dg_columns_release(&c);
    return st;
}

static void check(const char *content, enum dg_format format, const char *columns, size_t n,
                  const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(read_table("table", content, format, columns, n, &text, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void check_refused(const char *content, enum dg_format format, const char *columns,
                          enum t2_status status, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(read_table("table", content, format, columns, 2, &text, &err), status);
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_tsv(void **state)
{
    (void) state;
    check("a\tb\tc\r\nd\te\tf\n", DG_FORMAT_TSV, "3,1", 2, "1:c>a 2:f>d");
    check("x\ten\tde\na\tb\tc\n", DG_FORMAT_TSV, "en,de", 2, "2:b>c");
    check("a\tb\nonly\n\n\t\"c\n", DG_FORMAT_TSV, "1,2", 2,
          "1:a>b !too few columns !too few columns 4:>\"c");
    check("a\tb\n", DG_FORMAT_TSV, "2", 1, "1:>b");
    check("", DG_FORMAT_TSV, "en,de", 2, "");
    check("\xef\xbb\xbf"
          "a\tb\n",
          DG_FORMAT_TSV, "1,2", 2, "1:a>b");
}

static void test_csv(void **state)
{
    (void) state;
    check("id,text,label\n1,\"a, \"\"b\"\"\nc\",pos\n2,d,neg\n", DG_FORMAT_CSV, "text,label", 2,
          "2:a, \"b\"\nc>pos 4:d>neg");
    check("1,x,pos\n2\n", DG_FORMAT_CSV, "2,3", 2, "1:x>pos !too few columns");
}

static void test_jsonl(void **state)
{
    (void) state;
    check("{\"t\": {\"en\": \"a\", \"de\": \"b\"}}\n\n{\"t\": {\"en\": \"\\u00e4\", \"de\": 7}}\n",
          DG_FORMAT_JSONL, "t.en,t.de", 2, "1:a>b 3:ä>7");
    check("{\"en\": \"a\"}\n{\"en\": 1.5, \"de\": \"b\"}\n[]\n", DG_FORMAT_JSONL, "en,de", 2,
          "!no such member, or not a text !no such member, or not a text "
          "!no such member, or not a text");
    check("{\"text\": \"a\"}", DG_FORMAT_JSONL, "text", 1, "1:>a");
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("a\tb\n", DG_FORMAT_TSV, "en,de", T2_EFORMAT, "has no column 'en'");
    check_refused("en,fr\n", DG_FORMAT_CSV, "en,de", T2_EFORMAT, "has no column 'de'");
    check_refused("a,\"b\n", DG_FORMAT_CSV, "1,2", T2_EFORMAT, "table");
    check_refused("{\"en\": \"a\", \"de\": \"b\"}\n{\"en\": ", DG_FORMAT_JSONL, "en,de", T2_EFORMAT,
                  "line 2 is not a JSON object");
    check_refused("", DG_FORMAT_TSV, "1", T2_EUSAGE, "name two columns");
    check_refused("", DG_FORMAT_TSV, "1,de", T2_EUSAGE, "give numbers for all columns");
    check_refused("", DG_FORMAT_TSV, "0,1", T2_EUSAGE, "numbered from 1");
    check_refused("", DG_FORMAT_CSV, "en,", T2_EUSAGE, "empty name");
}

/* Several columns a side, in any order; numbers of JSON, and lists. */
static void test_lists(void **state)
{
    (void) state;
    check("1\t2\t3\t4\n5\t6\t7\t8\n1\t2\n", DG_FORMAT_TSV, "2-4:1", 0,
          "1:2\t3\t4>1 2:6\t7\t8>5 !too few columns");
    check("1\t2\t3\n", DG_FORMAT_TSV, "3,1:2", 0, "1:3\t1>2");
    check("w,h,y\n1,2,a\n,3,b\n", DG_FORMAT_CSV, "h,w:y", 0, "2:2\t1>a 3:3\t>b");
    check("{\"x\":[1,-2.5],\"y\":0.5}\n{\"x\":3,\"y\":[]}\n{\"x\":[[1]],\"y\":1}\n"
          "{\"x\":true,\"y\":1}\n",
          DG_FORMAT_JSONL, "x:y", 0,
          "1:1\t-2.5>0.5 2:3> !no such member, or not a text !no such member, or not a text");
    check("{\"x\":1.5,\"y\":\"a\"}\n{\"x\":\"1\",\"y\":\"b\"}\n", DG_FORMAT_JSONL, "x,y", 2,
          "!no such member, or not a text 2:1>b");
}

static void test_lists_refused(void **state)
{
    static const char *const columns[] = {"1,2", "1:2:3", "1,:2", "a,1:2"};
    static const char *const parts[] = {"a colon, and those of the targets",
                                        "a colon, and those of the targets", "empty name",
                                        "give numbers for all columns"};

    (void) state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf text = {0};

        assert_int_equal(read_table("table", "1,2,3\n", DG_FORMAT_CSV, columns[i], 0, &text, &err),
                         T2_EUSAGE);
        t_assert_contains(err.message, parts[i]);
        t2_buf_release(&text);
    }
}

T_MAIN(cmocka_unit_test(test_lists), cmocka_unit_test(test_lists_refused),
       cmocka_unit_test(test_tsv), cmocka_unit_test(test_csv), cmocka_unit_test(test_jsonl),
       cmocka_unit_test(test_refused))
