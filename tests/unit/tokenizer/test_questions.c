/*
 * Tests of tokenizer/questions.c: SQuAD's JSON, words of a text, what is refused.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/questions.h"

static struct t2_err err;

#define DATA(paragraphs) "{\"data\":[{\"title\":\"x\",\"paragraphs\":[" paragraphs "]}]}"

static void test_reading(void **state)
{
    static const char json[] = DATA(
        "{\"context\":\" one\\ttwo\\u202fthree\\u00a0four\\n\",\"qas\":["
        "{\"id\":\"a\",\"question\":\"who?\",\"answers\":[{\"text\":\"one\",\"answer_start\":1},"
        "{\"text\":\"two\",\"answer_start\":5}]},"
        "{\"id\":\"b\",\"question\":\"\",\"is_impossible\":true}]},"
        "{\"context\":\"\",\"qas\":[]}");
    static const char *const words[] = {"one", "two",
                                        "three\xC2\xA0"
                                        "four"};
    struct tok_questions q;

    (void) state;
    if (tok_questions_parse("own", json, strlen(json), &q, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(q.n, 2);
    assert_int_equal(q.n_paragraphs, 2);
    assert_int_equal(q.paragraphs[0].n_words, 3);
    assert_int_equal(q.paragraphs[1].n_words, 0);
    for (int i = 0; i < 3; i++)
        assert_true(t2_slice_eq(q.words[i], t2_slice_of(words[i])));
    assert_string_equal(q.items[0].id, "a");
    assert_string_equal(tok_answer(&q.items[0], 1), "two");
    assert_null(tok_answer(&q.items[0], 2));
    assert_null(tok_answer(&q.items[1], 0));
    assert_true(q.items[1].is_impossible && !q.items[0].is_impossible);
    tok_questions_release(&q);
}

static void refused(const char *json, const char *said)
{
    struct tok_questions q;

    assert_int_equal(tok_questions_parse("own", json, strlen(json), &q, &err), T2_EFORMAT);
    if (!strstr(err.message, said) || !strstr(err.message, "own"))
        fail_msg("'%s' does not say '%s'", err.message, said);
    err = (struct t2_err) T2_ERR_INIT;
    tok_questions_release(&q);
}

static void test_refusals(void **state)
{
    (void) state;
    refused("[1]", "no array 'data'");
    refused("{\"data\":[{}]}", "article 1 has no array 'paragraphs'");
    refused(DATA("{\"qas\":[]}"), "paragraph 1, question 1: a paragraph must have a text");
    refused(DATA("{\"context\":\"x\"}"), "an array 'qas'");
    refused(DATA("{\"context\":\"x\",\"qas\":[{\"id\":\"a\"}]}"), "'id' and 'question'");
    refused(DATA("{\"context\":\"x\",\"qas\":[{\"id\":\"a\",\"question\":\"q\",\"answers\":3}]}"),
            "'answers' must be an array");
    refused(DATA("{\"context\":\"x\",\"qas\":[{\"id\":\"a\",\"question\":\"q\","
                 "\"is_impossible\":\"no\"}]}"),
            "paragraph 1, question 1: 'is_impossible' must be true or false");
    refused(DATA(
                "{\"context\":\"x\",\"qas\":[{\"id\":\"a\",\"question\":\"q\",\"answers\":[{}]}]}"),
            "an answer must have a 'text'");
    refused(DATA("{\"context\":\"x\",\"qas\":[{\"id\":\"a\",\"question\":\"q\"},"
                 "{\"id\":\"a\",\"question\":\"r\"}]}"),
            "paragraph 1, question 2: its 'id' is that of another one");
    refused("{\"data\":[", "own");
}

T_MAIN(cmocka_unit_test(test_reading), cmocka_unit_test(test_refusals))
