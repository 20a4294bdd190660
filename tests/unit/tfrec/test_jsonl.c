/*
 * tests/unit/tfrec/test_jsonl.c - JSON Lines in and out: both shapes, empty lines, which line is
 * wrong.
 */
#include "tests/unit/tfrec/converting.h"

static void test_there_and_back(void **state)
{
    struct rec_convert c = cv_defaults();

    (void) state;
    cv_there_and_back(c, "a.tfrecord",
                      "{\"a\":[1,-2],\"b\":[0.5],\"c\":[\"x\",\"\"],\"d\":[]}\n{}\n"
                      "{\"r\":[{\"base64\":\"/wA=\"}]}\n");
    c.json = "proto";
    cv_there_and_back(c, "b.tfrecord",
                      "{\"features\":{\"feature\":{\"a\":{\"int64List\":{\"value\":[\"7\"]}}}}}\n");
}

static void test_lines(void **state)
{
    struct rec_convert c = cv_defaults();
    const char *out = t_tmp_path("out.jsonl");

    (void) state;
    cv_must(c, cv_put("a.jsonl", "\n{\"a\":1}\r\n\n{\"a\":2}"), out);
    assert_string_equal(cv_text(out), "{\"a\":[1]}\n{\"a\":[2]}\n");
    assert_int_equal(cv_run(c, cv_put("a.jsonl", "{\"a\":1}\n\n{\"a\":}\n"), out, 2), T2_EFORMAT);
    t_assert_contains(cv_err.message, "a.jsonl:3:6: in feature 'a'");
    cv_must(c, cv_put("a.jsonl", ""), out);
    assert_string_equal(cv_text(out), "");
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_lines))
