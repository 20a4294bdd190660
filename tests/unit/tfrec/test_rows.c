/*
 * tests/unit/tfrec/test_rows.c - records as lines of JSON, both shapes, Example and
 * SequenceExample.
 */
#include <math.h>
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/rows.h"

static struct t2_buf line;
static struct rec_row row;
static struct t2_err err;

static const char *print(struct rec_row_options o, struct t2_slice record)
{
    t2_buf_clear(&line);
    assert_int_equal(T2_OK, rec_row_print(&o, &row, 7, record, &line, &err));
    return t2_buf_cstr(&line);
}

static struct t2_buf sample(void)
{
    static const int64_t ids[] = {3, -1, INT64_MAX};
    static const float floats[] = {1.0F, 0.1F, 1e-7F, 16777216.0F, 1e20F, -0.0F, 1e-45F};
    static const float odd[] = {NAN, INFINITY, -INFINITY, 0.5F};
    const struct t2_slice bytes[] = {t2_slice_of("caf\xc3\xa9 \"x\"\n"),
                                     {(const uint8_t *) "\xff\0", 2}};
    const struct tfr_feature f[] = {
        {.name = "ids", .kind = TFR_INT64, .n = 3, .ints = ids},
        {.name = "f", .kind = TFR_FLOAT, .n = 7, .floats = floats},
        {.name = "odd", .kind = TFR_FLOAT, .n = 4, .floats = odd},
        {.name = "b", .kind = TFR_BYTES, .n = 2, .bytes = bytes},
        {.name = "none", .kind = TFR_NONE},
        {.name = "empty", .kind = TFR_INT64},
    };
    struct t2_buf out = {0};

    tfr_example_build(&out, f, sizeof f / sizeof *f);
    return out;
}

static void test_short(void **state)
{
    struct t2_buf b = sample();

    (void) state;
    assert_string_equal(
        print((struct rec_row_options){.bytes = REC_BYTES_BASE64}, t2_buf_slice(&b)),
        "{\"b\":[\"caf\xc3\xa9 \\\"x\\\"\\n\",{\"base64\":\"/wA=\"}],\"empty\":{\"int64\":[]},"
        "\"f\":[1.0,0.1,1e-07,16777216.0,1e+20,-0.0,1e-45],\"ids\":[3,-1,9223372036854775807],"
        "\"none\":[],\"odd\":{\"float\":[\"NaN\",\"Infinity\",\"-Infinity\",0.5]}}\n");
    t2_buf_release(&b);
}

static void test_proto(void **state)
{
    struct t2_buf b = sample();

    (void) state;
    assert_string_equal(
        print((struct rec_row_options){.shape = REC_PROTO}, t2_buf_slice(&b)),
        "{\"features\":{\"feature\":{\"b\":{\"bytesList\":{\"value\":[\"Y2Fmw6kgIngiCg==\",\"/"
        "wA=\"]}},"
        "\"empty\":{\"int64List\":{}},\"f\":{\"floatList\":{\"value\":[1.0,0.1,1e-07,16777216.0,1e+"
        "20,"
        "-0.0,1.4013e-45]}},\"ids\":{\"int64List\":{\"value\":[\"3\",\"-1\","
        "\"9223372036854775807\"]}},\"none\":{},\"odd\":{\"floatList\":{\"value\":[\"NaN\","
        "\"Infinity\",\"-Infinity\",0.5]}}}}}\n");
    assert_string_equal(print((struct rec_row_options){.shape = REC_PROTO}, (struct t2_slice){0}),
                        "{}\n");
    assert_string_equal(print((struct rec_row_options){.shape = REC_PROTO},
                              (struct t2_slice){(const uint8_t *) "\n", 2}),
                        "{\"features\":{}}\n");
    t2_buf_release(&b);
}

static void test_fields_and_number(void **state)
{
    struct rec_row_options o = {.number = true};
    struct t2_buf b = sample();

    (void) state;
    t2_strs_split(&o.fields, "none,absent,ids", ',');
    assert_string_equal(print(o, t2_buf_slice(&b)),
                        "{\"record\":7,\"none\":[],\"ids\":[3,-1,9223372036854775807]}\n");
    t2_strs_release(&o.fields);
    assert_string_equal(print(o, (struct t2_slice){0}), "{\"record\":7}\n");
    o.bytes = REC_BYTES_AUTO;
    t2_strs_split(&o.fields, "b", ',');
    assert_string_equal(print(o, t2_buf_slice(&b)),
                        "{\"record\":7,\"b\":[\"caf\xc3\xa9 \\\"x\\\"\\n\",\"<binary, 2 B>\"]}\n");
    o.bytes = REC_BYTES_TEXT;
    assert_string_equal(
        print(o, t2_buf_slice(&b)),
        "{\"record\":7,\"b\":[\"caf\xc3\xa9 \\\"x\\\"\\n\",\"\xEF\xBF\xBD\\u0000\"]}\n");
    t2_strs_release(&o.fields);
    t2_buf_release(&b);
}

static void test_sequence(void **state)
{
    static const char json[] = "{\"context\":{\"id\":[1]},\"feature_lists\":{\"a\":[[1],[2,3],[]],"
                               "\"b\":[],\"c\":[[\"x\"],{\"float\":[]}]}}\n";
    struct t2_buf b = {0}, again = {0};

    (void) state;
    assert_int_equal(T2_OK, rec_row_parse("x", 1, t2_slice_of(json), &b, &err));
    assert_string_equal(print((struct rec_row_options){.shape = REC_SHORT}, t2_buf_slice(&b)),
                        json);
    assert_string_equal(
        print((struct rec_row_options){.shape = REC_PROTO}, t2_buf_slice(&b)),
        "{\"context\":{\"feature\":{\"id\":{\"int64List\":{\"value\":[\"1\"]}}}},\"featureLists\":"
        "{\"featureList\":{\"a\":{\"feature\":[{\"int64List\":{\"value\":[\"1\"]}},{\"int64List\":"
        "{\"value\":[\"2\",\"3\"]}},{}]},\"b\":{},\"c\":{\"feature\":[{\"bytesList\":{\"value\":"
        "[\"eA==\"]}},{\"floatList\":{}}]}}}}\n");
    assert_int_equal(T2_OK, rec_row_parse("x", 1, t2_buf_slice(&line), &again, &err));
    assert_true(t2_slice_eq(t2_buf_slice(&b), t2_buf_slice(&again)));
    t2_buf_release(&b);
    t2_buf_release(&again);
}

static void test_not_an_example(void **state)
{
    struct rec_row_options o = {.number = true};

    (void) state;
    t2_buf_clear(&line);
    assert_int_equal(T2_EFORMAT, rec_row_print(&o, &row, 0, t2_slice_of("hello"), &line, &err));
    assert_int_equal(0, line.len_bytes);
    t_assert_contains(err.message, "not an Example: byte");
}

static int release(void **state)
{
    (void) state;
    rec_row_release(&row);
    t2_buf_release(&line);
    return 0;
}

T_MAIN(cmocka_unit_test(test_short), cmocka_unit_test(test_proto),
       cmocka_unit_test(test_fields_and_number), cmocka_unit_test(test_sequence),
       cmocka_unit_test_teardown(test_not_an_example, release))
