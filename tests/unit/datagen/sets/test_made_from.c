/*
 * test_made_from.c - what decides the bytes of a data set.
 */
#include "datagen/sets/made_from.h"

#include <string.h>

#include "tests/support/t.h"

static void test_compare(void **state)
{
    struct dg_made_from there = {0}, here = {0};
    struct t2_buf text = {0};

    (void) state;
    dg_made_from_add(&there, "seed", "%d", 1);
    dg_made_from_add(&there, "gone", "x");
    dg_made_from_add(&here, "seed", "%d", 2);
    dg_made_from_add(&here, "new", "y");
    assert_string_equal(dg_made_from_get(&here, "seed"), "2");
    assert_null(dg_made_from_get(&here, "absent"));
    assert_int_equal(dg_made_from_compare(&there, &here, &text), 3);
    assert_string_equal(t2_buf_cstr(&text),
                        "seed: 1 there, 2 here; new: none there, y here; gone: x "
                        "there, none here");
    t2_buf_clear(&text);
    assert_int_equal(dg_made_from_compare(&here, &here, &text), 0);
    assert_int_equal(text.len_bytes, 0);
    t2_buf_release(&text);
    dg_made_from_release(&there);
    dg_made_from_release(&here);
}

static void test_many_differences(void **state)
{
    struct dg_made_from none = {0}, many = {0};
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < 10; i++) {
        char key[2] = {(char) ('a' + i), '\0'};
        dg_made_from_add(&many, key, "v");
    }
    assert_int_equal(dg_made_from_compare(&none, &many, &text), 10);
    t_assert_contains(t2_buf_cstr(&text), "; and more");
    assert_null(strstr(t2_buf_cstr(&text), "d: none"));
    t2_buf_release(&text);
    dg_made_from_release(&many);
}

static void test_write_and_load(void **state)
{
    const char *path = t_tmp_path("x.json");
    struct dg_made_from m = {0}, back = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct t2_json json;

    (void) state;
    dg_made_from_add(&m, "train file 1 (inputs)", "3 bytes \"quoted\" äöü");
    dg_made_from_add(&m, "empty", "%s", "");
    t2_json_init(&json, &text, 1);
    t2_json_object(&json);
    dg_made_from_write(&m, "made_from", &json);
    t2_json_end_object(&json);
    t_write_file(path, text.data, text.len_bytes);
    assert_int_equal(dg_made_from_load(path, "made_from", &back, &err), T2_OK);
    t2_buf_clear(&text);
    assert_int_equal(dg_made_from_compare(&m, &back, &text), 0);
    dg_made_from_release(&back);
    assert_int_equal(dg_made_from_load(path, "other", &back, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has no object \"other\"");
    t2_buf_release(&text);
    dg_made_from_release(&m);
}

T_MAIN(cmocka_unit_test(test_compare), cmocka_unit_test(test_many_differences),
       cmocka_unit_test(test_write_and_load))
