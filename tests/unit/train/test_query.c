/*
 * Tests of train/serve/query.c: what an answer may be.  Asking a server:
 * tests/e2e/command_lines.sh.
 */
#include "train/serve/query.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/encoder.h"

static struct t2_err err;

static enum t2_status read_answer(const char *body, struct srv_answer *a)
{
    struct tok_encoder *bytes = tok_bytes_new(); /* ids are bytes and 2 */
    enum t2_status st = srv_read_answer(body, strlen(body), "http://x", bytes, a, &err);

    tok_free(bytes);
    return st;
}

static void test_answers(void **state)
{
    struct srv_answer a;

    (void) state;
    assert_int_equal(
        read_answer("{\"predictions\": [{\"outputs\": [106, 107, 0, 1, 9], \"scores\": -1.5}]}",
                    &a),
        T2_OK);
    assert_false(a.is_list);
    assert_int_equal(a.texts.n, 1);
    assert_string_equal(a.texts.items[0], "hi");
    assert_true(a.scores[0] == -1.5);
    srv_answer_release(&a);

    assert_int_equal(read_answer("{\"predictions\": [{\"outputs\": [[106, 1], [107]], \"scores\": "
                                 "[-1, -2]}]}",
                                 &a),
                     T2_OK);
    assert_true(a.is_list);
    assert_int_equal(a.texts.n, 2);
    assert_string_equal(a.texts.items[1], "i");
    assert_true(a.scores[1] == -2);
    srv_answer_release(&a);

    assert_int_equal(read_answer("{\"predictions\": [{\"outputs\": []}]}", &a), T2_OK);
    assert_string_equal(a.texts.items[0], "");
    assert_true(isnan(a.scores[0]));
    srv_answer_release(&a);
    srv_answer_release(&a);
}

static void refused(const char *body, const char *says)
{
    struct srv_answer a;

    assert_int_equal(read_answer(body, &a), T2_EFORMAT);
    t_assert_contains(err.message, "http://x");
    t_assert_contains(err.message, says);
    assert_null(a.scores);
}

static void test_refused(void **state)
{
    (void) state;
    refused("<html>", "http://x");
    refused("{\"error\": \"no such model\"}", "no such model");
    refused("{\"predictions\": []}", "not one prediction");
    refused("{\"predictions\": [{\"outputs\": [1]}, {\"outputs\": [1]}]}", "not one prediction");
    refused("{\"predictions\": [7]}", "no list of ids");
    refused("{\"predictions\": [{\"outputs\": [-3]}]}", "output 0 is no id");
    refused("{\"predictions\": [{\"outputs\": [[106], [99999]]}]}", "output 0 is no id");
    refused("{\"predictions\": [{\"outputs\": [[106], \"x\"]}]}", "no list of ids");
}

static void test_new(void **state)
{
    struct srv_query_options o = {"localhost:1", "a b", "x", "/nowhere", 1};
    struct srv_query *q;

    (void) state;
    assert_true(srv_query_new(&o, &q, &err) != T2_OK);
    assert_null(q);
    srv_query_free(NULL);
}

T_MAIN(cmocka_unit_test(test_answers), cmocka_unit_test(test_refused), cmocka_unit_test(test_new))
