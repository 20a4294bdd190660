/*
 * test_json_grammar.c - what is JSON, and at which byte it is not; the same verdict as the
 * parser's.
 */
#include "base/json_grammar.h"

#include <string.h>

#include "base/json.h"
#include "tests/support/t.h"

/* How many bytes are well; the length of the text and `whole` when all is. */
static size_t good_bytes(const char *text, bool *whole)
{
    struct t2_json_grammar g = {.depth = 0};
    size_t i = 0;

    while (text[i] && !t2_json_grammar_step(&g, (uint8_t) text[i]))
        i++;
    *whole = text[i] == '\0' && t2_json_grammar_is_whole(&g);
    return i;
}

static void check_same(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    bool whole;

    good_bytes(text, &whole);
    if (whole != (t2_json_parse(text, strlen(text), "x", &doc, &err) == T2_OK))
        fail_msg("'%s' is %s; the parser says '%s'", text, whole ? "whole" : "not whole",
                 err.message);
    t2_json_free(doc);
}

static void test_like_the_parser(void **state)
{
    static const char *const texts[] = {"1",           "-0",          "0.5e-7",
                                        "1E+2",        "01",          "-",
                                        "1.",          ".5",          "1e",
                                        "+1",          "true",        "falsey",
                                        "nul",         "null ",       "\"\"",
                                        "\"a",         "\"\\n\"",     "\"\\x",
                                        "\"\\u00e4\"", "\"\\u00g4\"", "\"\n\"",
                                        "[]",          "[1,]",        "[,1]",
                                        "[1 2]",       "[1,[2]]",     "[}",
                                        "]",           "{}",          "{\"a\"}",
                                        "{\"a\":1,}",  "{1:2}",       "{\"a\":[{}],\"b\":\"}\"}",
                                        "{} {}",       "{\"a\" 1}",   "{a:1}",
                                        "\t[\r\n ]",   "[\f]",        "[1}",
                                        "{\"a\":1]",   "[[[]]"};

    (void) state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_same(texts[i]);
}

/* Every byte changed into others: never another verdict. */
static void test_changed_bytes(void **state)
{
    static const char text[] = "{\"a\":[1.5e3,true,\"\\u0041\\\\\"],\"b\":{}}";
    static const char others[] = "{}[]:,\"\\ue1.-+t 0";

    (void) state;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        for (const char *c = others; *c; c++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[i] = *c;
            check_same(changed);
        }
    }
}

static void test_places(void **state)
{
    bool whole;
    char deep[T2_JSON_MAX_DEPTH + 2];

    (void) state;
    assert_int_equal(good_bytes("[1, 2 3]", &whole), 6);
    assert_int_equal(good_bytes("[1.]", &whole), 3);
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(good_bytes(deep, &whole), T2_JSON_MAX_DEPTH);
}

T_MAIN(cmocka_unit_test(test_like_the_parser), cmocka_unit_test(test_changed_bytes),
       cmocka_unit_test(test_places))
