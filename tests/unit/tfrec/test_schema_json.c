/*
 * tests/unit/tfrec/test_schema_json.c - written and read back the same; every refusal.
 */
#include "tfrec/schema_json.h"

#include "tests/unit/tfrec/sets.h"

static void test_round_trip(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0}, text = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct rec_schema *s, *back = NULL;
    struct tfr_inputs in;

    (void) state;
    set_three(&bytes);
    set_disagree(&bytes);
    in = set_inputs("four.tfrecord", &bytes);
    s = set_schema(&in, 1);
    rec_schema_print_json(s, NULL, &text);
    t_assert_contains(t2_buf_cstr(&text), "\"other_kinds\"");
    assert_int_equal(rec_schema_parse(t2_buf_cstr(&text), text.len_bytes, "x", &back, &err), T2_OK);
    rec_schema_print_json(back, NULL, &again);
    assert_string_equal(t2_buf_cstr(&again), t2_buf_cstr(&text));
    assert_int_equal(rec_field_kind(set_field(back, "label")), TFR_INT64);
    assert_false(rec_field_agrees(set_field(back, "label")));
    rec_schema_free(back);

    t_write_file(t_tmp_path("s.json"), text.data, text.len_bytes);
    assert_int_equal(rec_schema_load(t_tmp_path("s.json"), &back, &err), T2_OK);
    rec_schema_free(back);
    t2_buf_clear(&text);
    rec_schema_print_json(s, &in, &text);
    t_assert_contains(t2_buf_cstr(&text), "four.tfrecord");
    t_assert_contains(t2_buf_cstr(&text), "\"record\": 3");
    rec_schema_free(s);
    tfr_inputs_release(&in);
    t2_buf_release(&text);
    t2_buf_release(&again);
}

static void refuse(const char *text, const char *part)
{
    struct rec_schema *s = NULL;

    assert_int_equal(rec_schema_parse(text, strlen(text), "s.json", &s, &err), T2_EFORMAT);
    t_assert_contains(err.message, "s.json");
    t_assert_contains(err.message, part);
    assert_null(s);
}

#define HEAD "{\"format\":\"tfrec schema\",\"version\":1,\"records\":1,\"features\":["

static void test_refused(void **state)
{
    struct rec_schema *s = NULL;

    (void) state;
    refuse("{", "s.json:1:1");
    refuse("{\"format\":\"other\"}", "no schema of tfrec");
    refuse("{\"format\":\"tfrec schema\",\"version\":2}", "newer");
    refuse("{\"format\":\"tfrec schema\",\"version\":1,\"records\":-1}", "'records' is no count");
    refuse("{\"format\":\"tfrec schema\",\"version\":1,\"features\":3}", "is no array");
    refuse(HEAD "{\"kind\":\"int64\"}]}", "without a 'name'");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"int\"}]}", "'kind' is none of");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"int64\"},{\"name\":\"a\",\"kind\":\"int64\"}]}",
           "twice");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"int64\",\"min\":0.5,\"max\":1}]}", "whole numbers");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"float\",\"min\":0,\"max\":1e300}]}", "no floats");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"int64\",\"length\":{\"min\":\"x\"}}]}", "no count");
    refuse(HEAD "{\"name\":\"a\",\"kind\":\"int64\",\"other_kinds\":[{\"kind\":\"?\"}]}]}",
           "none of");
    assert_int_equal(rec_schema_load(t_tmp_path("absent"), &s, &err), T2_ENOTFOUND);
}

T_MAIN(cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused))
