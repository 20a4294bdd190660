/*
 * test_own_kinds.c - kinds by name, and the columns of tables of which nothing is said.
 */
#include "datagen/own/own_kinds.h"

#include <string.h>

#include "tests/support/t.h"

static const struct dg_own_kind *find(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    const struct dg_own_kind *kind;

    assert_int_equal(dg_own_kind_find(name, &kind, &err), T2_OK);
    assert_string_equal(kind->name, name);
    return kind;
}

static void test_kinds(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    const struct dg_own_kind *kind;

    (void) state;
    assert_int_equal(find("text2self")->sides[DG_INPUTS], DG_OWN_NONE);
    assert_int_equal(find("table2labels")->sides[DG_TARGETS], DG_OWN_SET);
    assert_true(dg_own_kind_has_values(find("table2class")));
    assert_true(dg_own_kind_has_values(find("text2real")));
    assert_false(dg_own_kind_has_values(find("text2class")));
    assert_int_equal(dg_own_kind_find("text2image", &kind, &err), T2_EUSAGE);
    t_assert_contains(err.message, "text2self, text2class");
    t_assert_contains(err.message, "or table2labels");
}

/* The columns of a file, and the status. */
static enum t2_status columns_of(const char *kind, const char *name, const char *content,
                                 struct dg_columns *c, struct t2_err *err)
{
    struct dg_text_parts parts = {0};
    const char *path = t_tmp_path(name);
    enum t2_status st;

    *c = (struct dg_columns){0};
    t_write_file(path, content, strlen(content));
    dg_text_parts_add(&parts, path, NULL);
    st = dg_own_kind_columns(find(kind), &parts, c, err);
    dg_text_parts_release(&parts);
    return st;
}

static void test_columns(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_columns c;

    (void) state;
    assert_int_equal(columns_of("table2real", "a.csv", "w,h,price\n1,2,3\n", &c, &err), T2_OK);
    assert_true(c.lists && !c.by_number && c.n == 3 && c.n_inputs == 2);
    assert_string_equal(c.names[2], "price");
    dg_columns_release(&c);
    assert_int_equal(columns_of("table2class", "b.tsv", "1\t 2.5 \tred\n", &c, &err), T2_OK);
    assert_true(c.by_number && c.n == 3 && c.numbers[2] == 2);
    dg_columns_release(&c);
    assert_int_equal(columns_of("text2labels", "c.jsonl", "", &c, &err), T2_OK);
    assert_true(c.lists && c.format == DG_FORMAT_JSONL && c.n == 2 && c.n_inputs == 1);
    dg_columns_release(&c);
    assert_int_equal(columns_of("text2real", "d.csv", "x,1\n", &c, &err), T2_OK);
    assert_int_equal(c.n, 0);
    dg_columns_release(&c);
}

static void test_refused(void **state)
{
    static const struct {
        const char *content, *part;
    } rows[] = {{"", "has no rows"}, {"7\n", "1 column; 2 to"}, {"w,w,y\n1,2,3\n", "'w' twice"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dg_columns c;

        assert_int_equal(columns_of("table2real", "r.csv", rows[i].content, &c, &err), T2_EFORMAT);
        t_assert_contains(err.message, rows[i].part);
        dg_columns_release(&c);
    }
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_columns), cmocka_unit_test(test_refused))
