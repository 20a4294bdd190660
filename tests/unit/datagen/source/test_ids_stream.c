/*
 * test_ids_stream.c - ids that were made elsewhere.
 */
#include "datagen/source/ids_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

static void test_ids(void **state)
{
    static const char *const texts[] = {"5 6  7", "8\t9 1", "", " 2\r", NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(read_stream(dg_ids_stream_new(sample_list_new(texts), true, 10), &text, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&text), ">[5][6][7][1][8][9][1] >[1][2][1]");
    assert_int_equal(read_stream(dg_ids_stream_new(sample_list_new(texts), false, 10), &text, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&text), ">[8][9][1] >[2][1]");
    t2_buf_release(&text);
}

static void check_refused(const char *ids, const char *part)
{
    const char *const texts[] = {"5", "6", "7", ids, NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(read_stream(dg_ids_stream_new(sample_list_new(texts), true, 10), &text, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "'list': line 2: ");
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_what_is_no_id(void **state)
{
    (void) state;
    check_refused("3 10", "byte 3: not an id of 0 to 9");
    check_refused("-1", "byte 1: not an id");
    check_refused("3 x", "byte 3: not an id");
    check_refused("99999999999999999999999999", "byte 1: not an id");
}

T_MAIN(cmocka_unit_test(test_ids), cmocka_unit_test(test_what_is_no_id))
