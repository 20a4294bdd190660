/*
 * tests/unit/tfrec/test_row_parse.c - lines of JSON as serialised Examples, and what is wrong with
 * them.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/rows.h"

/* The short shape of what a line means. */
static void check(const char *json, const char *expected)
{
    struct rec_row_options o = {.bytes = REC_BYTES_BASE64};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf record = {0}, line = {0}, again = {0};
    struct rec_row row = {0};

    if (rec_row_parse("in.jsonl", 3, t2_slice_of(json), &record, &err) != T2_OK)
        fail_msg("%s: %s", json, err.message);
    assert_int_equal(T2_OK, rec_row_print(&o, &row, 0, t2_buf_slice(&record), &line, &err));
    line.data[--line.len_bytes] = 0;
    assert_string_equal(t2_buf_cstr(&line), expected);
    /* both shapes give the same bytes back */
    for (int shape = REC_SHORT; shape <= REC_PROTO; shape++) {
        o.shape = (enum rec_shape) shape;
        t2_buf_clear(&line);
        t2_buf_clear(&again);
        assert_int_equal(T2_OK, rec_row_print(&o, &row, 0, t2_buf_slice(&record), &line, &err));
        assert_int_equal(T2_OK, rec_row_parse("again", 1, t2_buf_slice(&line), &again, &err));
        assert_true(t2_slice_eq(t2_buf_slice(&record), t2_buf_slice(&again)));
    }
    t2_buf_release(&record);
    t2_buf_release(&line);
    t2_buf_release(&again);
    rec_row_release(&row);
}

static void test_values(void **state)
{
    (void) state;
    check("{}", "{}");
    check(" { \"b\" : [ 3 , 1 ] , \"a\" : 7 }\r\n", "{\"a\":[7],\"b\":[3,1]}");
    check("{\"a\":[1,2.5,3]}", "{\"a\":[1.0,2.5,3.0]}");
    check("{\"a\":[-0,-0.0,1e2]}", "{\"a\":[0.0,-0.0,100.0]}");
    check("{\"a\":[]}", "{\"a\":[]}");
    check("{\"a\":null,\"b\":true,\"c\":[false]}", "{\"b\":[1],\"c\":[0]}");
    check("{\"a\":-9223372036854775808,\"b\":9223372036854775807}",
          "{\"a\":[-9223372036854775808],\"b\":[9223372036854775807]}");
    check("{\"a\":\"x\\u00e9\\ud83d\\ude00\\u0000\\/\"}",
          "{\"a\":[\"x\xc3\xa9\xf0\x9f\x98\x80\\u0000/\"]}");
    check("{\"a\":{\"base64\":\"_wA\"},\"b\":[{\"base64\":\"/w==\"},\"t\"]}",
          "{\"a\":[{\"base64\":\"/wA=\"}],\"b\":[{\"base64\":\"/w==\"},\"t\"]}");
    check("{\"a\":{\"float\":[1,\"NaN\",\"-Infinity\"]},\"b\":{\"bytes\":[]},\"c\":{\"int64\":5}}",
          "{\"a\":{\"float\":[1.0,\"NaN\",\"-Infinity\"]},\"b\":{\"bytes\":[]},\"c\":[5]}");
    check("\xEF\xBB\xBF{\"\":[1]}", "{\"\":[1]}");
    check("{\"features\":[1],\"context\":\"x\"}", "{\"context\":[\"x\"],\"features\":[1]}");
}

static void test_proto(void **state)
{
    (void) state;
    check(
        "{\"features\":{\"feature\":{\"a\":{\"int64List\":{\"value\":[\"3\",1]}},"
        "\"b\":{\"bytes_list\":{\"value\":[\"eA==\"]}},\"c\":{\"floatList\":{\"value\":[1,\"2.5\","
        "\"NaN\"]}},\"d\":{},\"e\":{\"floatList\":{}}}}}",
        "{\"a\":[3,1],\"b\":[\"x\"],\"c\":{\"float\":[1.0,2.5,\"NaN\"]},\"d\":[],"
        "\"e\":{\"float\":[]}}");
    check("{\"features\":{}}", "{}");
    check("{\"feature_lists\":{}}", "{\"feature_lists\":{}}");
    check("{\"context\":{\"a\":[1]}}", "{\"a\":[1]}");
    check("{\"context\":{},\"featureLists\":{\"featureList\":{\"a\":{\"feature\":[{}]},\"b\":{}}}}",
          "{\"context\":{},\"feature_lists\":{\"a\":[[]],\"b\":[]}}");
}

static void refuse(const char *json, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf record = {0};

    assert_int_equal(T2_EFORMAT, rec_row_parse("in.jsonl", 3, t2_slice_of(json), &record, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(0, record.len_bytes);
    t2_buf_release(&record);
}

static void test_refused(void **state)
{
    (void) state;
    refuse("", "in.jsonl:3:1: a record is an object: {\"inputs\":[3,1]}");
    refuse("[1]", "in.jsonl:3:1: a record is an object: {\"inputs\":[3,1]}");
    refuse("{\"a\":[1,]}",
           "in.jsonl:3:9: in feature 'a': ']' where a value after the comma should be");
    refuse("{\"a\":[1,[2]]}", "in.jsonl:3:9: in feature 'a': a list inside a list");
    refuse("{\"a\":[1,\"x\"]}", "in.jsonl:3:9: in feature 'a': a string in a list of numbers");
    refuse("{\"a\":[\"x\",1]}", "in.jsonl:3:11: in feature 'a': a number in a list of bytes");
    refuse("{\"a\":[NaN]}", "in.jsonl:3:7: in feature 'a': 'N' where a value should be");
    refuse("{\"a\":01}", "in.jsonl:3:7: in feature 'a': '1' where a digit should be");
    refuse("{\"a\":1.}", "in.jsonl:3:8: in feature 'a': '}' where a digit should be");
    refuse("{\"a\":9223372036854775808}",
           "in.jsonl:3:6: in feature 'a': 9223372036854775808 does not fit into a 64-bit integer");
    refuse("{\"a\":1e39}", "in.jsonl:3:6: in feature 'a': a number that is too large for a float");
    refuse("{\"a\":{\"base64\":\"a\"}}", "in.jsonl:3:16: in feature 'a': not base64");
    refuse("{\"a\":\"\\ud800\"}", "in.jsonl:3:7: in feature 'a': \\ud800 is half of a character");
    refuse("{\"a\":\"\xff\"}", "in.jsonl:3:7: in feature 'a': a byte that is not UTF-8: 0xff");
    refuse("{\"a\":\"x", "in.jsonl:3:8: in feature 'a': the line ends inside a string");
    refuse("{\"a\":1,\"a\":2}", "in.jsonl:3:14: the line has feature 'a' twice");
    refuse("{\"a\\u0000\":1}", "in.jsonl:3:2: a name with a NUL character");
    refuse("{\"a\":1} x", "in.jsonl:3:9: something follows the object");
    refuse("{\"a\":{}}", "in.jsonl:3:6: in feature 'a': an object must be {\"base64\":\"...\"}, "
                         "{\"int64\":[...]}, {\"float\":[...]} or {\"bytes\":[...]}");
    refuse("{\"a\":[1],\"features\":{}}", "in.jsonl:3:1: features stand beside \"features\", "
                                          "\"context\" or \"feature_lists\": one shape only");
    refuse("{\"features\":{\"feature\":{\"a\":{\"int64List\":{\"value\":[\"x\"]}}}}}",
           "in.jsonl:3:52: in feature 'a': 'x' is not a number of this kind");
    refuse("{\"features\":{\"feature\":{\"a\":{\"intList\":{}}}}}",
           "in.jsonl:3:30: in feature 'a': a Feature has bytesList, floatList or int64List, not "
           "'intList'");
}

static void test_deep(void **state)
{
    struct t2_buf deep = {0}, record = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_buf_puts(&deep, "{\"a\":");
    for (int i = 0; i < 1000000; i++)
        t2_buf_push(&deep, '[');
    assert_int_equal(T2_EFORMAT, rec_row_parse("x", 1, t2_buf_slice(&deep), &record, &err));
    deep.len_bytes = 0;
    for (int i = 0; i < 100000; i++)
        t2_buf_puts(&deep, "{\"context\":");
    assert_int_equal(T2_EFORMAT, rec_row_parse("x", 1, t2_buf_slice(&deep), &record, &err));
    t2_buf_release(&deep);
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_proto), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_deep))
