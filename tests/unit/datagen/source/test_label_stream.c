/*
 * test_label_stream.c - names and numbers of classes.
 */
#include "datagen/source/label_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

static enum t2_status read_labels(const char *const *texts, const char *classes, size_t n,
                                  struct t2_buf *text, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st;

    if (classes)
        t2_strs_split(&names, classes, ',');
    st = read_stream(dg_label_stream_new(sample_list_new(texts), &names, n), text, err);
    t2_strs_release(&names);
    return st;
}

static void test_names_and_numbers(void **state)
{
    static const char *const names[] = {"a", " pos", "b", "neg\r", NULL};
    static const char *const numbers[] = {"a", "2", "b", "0 ", NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(read_labels(names, "neg,pos", 2, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "a>[1] b>[0]");
    assert_int_equal(read_labels(numbers, NULL, 3, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "a>[2] b>[0]");
    t2_buf_release(&text);
}

static void check_refused(const char *label, const char *classes, const char *part)
{
    const char *const texts[] = {"a", classes ? "pos" : "1", "b", label, NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(read_labels(texts, classes, 2, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'list': line 2: ");
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_what_is_no_label(void **state)
{
    (void) state;
    check_refused("Pos", "neg,pos", "'Pos' is not one of the classes");
    check_refused("2", NULL, "'2' is not the number of a class");
    check_refused("-1", NULL, "'-1' is not");
    check_refused("1.5", NULL, "'1.5' is not");
    check_refused("", NULL, "'' is not");
    check_refused("99999999999999999999999", NULL, "is not");
}

static void check_classes(const char *const *texts, const char *expected, size_t n)
{
    struct dg_stream *s = sample_list_new(texts);
    struct t2_strs classes = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    size_t n_classes;

    assert_int_equal(dg_find_classes(s, &classes, &n_classes, &err), T2_OK);
    for (size_t i = 0; i < classes.n; i++)
        t2_buf_printf(&text, "%s,", classes.items[i]);
    assert_string_equal(t2_buf_cstr(&text), expected);
    assert_int_equal(n_classes, n);
    t2_strs_release(&classes);
    t2_buf_release(&text);
    dg_stream_free(s);
}

static void test_find(void **state)
{
    static const char *const names[] = {"x", "pos", "x", " neg", "x", "pos", "x", "7", NULL};
    static const char *const numbers[] = {"x", "0", "x", "4", "x", "1", NULL};
    static const char *const blank[] = {"x", "0", "x", " ", NULL};
    static const char *const huge[] = {"x", "123456789", NULL};
    struct dg_stream *s = sample_list_new(blank);
    struct t2_strs classes = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n;

    (void) state;
    check_classes(names, "7,neg,pos,", 3);
    check_classes(numbers, "", 5);
    assert_int_equal(dg_find_classes(s, &classes, &n, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 2: there is no label");
    t2_strs_release(&classes);
    dg_stream_free(s);
    s = sample_list_new(huge);
    assert_int_equal(dg_find_classes(s, &classes, &n, &err), T2_EFORMAT);
    t_assert_contains(err.message, "label 123456789: labels that are numbers");
    dg_stream_free(s);
}

T_MAIN(cmocka_unit_test(test_names_and_numbers), cmocka_unit_test(test_what_is_no_label),
       cmocka_unit_test(test_find))
