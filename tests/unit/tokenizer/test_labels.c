/*
 * test_labels.c - T2T's ClassLabelEncoder and OneHotClassLabelEncoder.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "tests/unit/tokenizer/asked_encoders.h"

static struct tok_encoder *of_file(const char *kind)
{
    static const char text[] = "cat\r\n a dog \ncat\n\nb\rird";
    char *word = t2_asprintf("%s:%s", kind, t_tmp_path("labels"));
    struct tok_encoder *e;

    t_write_file(t_tmp_path("labels"), text, sizeof text - 1);
    e = t_opened(word);
    t2_free(word);
    return e;
}

static void test_labels(void **state)
{
    static const int32_t ids[] = {1, 4, 9};
    struct tok_encoder *e = of_file("labels");

    (void) state;
    assert_int_equal(tok_size(e), 5);
    t_check_ids(e, "cat", "0"); /* the first of two */
    t_check_ids(e, "a dog", "1");
    t_check_ids(e, "", "3");
    t_check_ids(e, "bird", "4");
    t_check_ids(e, " cat", NULL);
    t_check_text(e, ids, 1, "a dog");
    t_check_text(e, ids, 2, "a dog bird");
    t_check_text(e, ids + 2, 1, "");
    tok_shift(e);
    t_check_ids(e, "a dog", "1");
    tok_free(e);
}

static void test_one_hot(void **state)
{
    static const int32_t hot[] = {0, 2, 0, 0, 1}, none[] = {0, 0, 0, 0, 0};
    struct tok_encoder *e = of_file("one_hot");

    (void) state;
    t_check_ids(e, "a dog", "0 1 0 0 0");
    t_check_ids(e, "dog", NULL);
    t_check_text(e, hot, 5, "bird");
    t_check_text(e, none, 5, "");
    t_check_text(e, hot, 4, "");
    tok_free(e);
}

static void test_none(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    assert_int_equal(tok_labels_new(NULL, 0, false, &e, &err), T2_EFORMAT);
    assert_null(e);
}

T_MAIN(cmocka_unit_test(test_labels), cmocka_unit_test(test_one_hot), cmocka_unit_test(test_none))
