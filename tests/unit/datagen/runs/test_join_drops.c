/*
 * test_join_drops.c - reports of tasks added up; whole sets are joined in test_make_shards.c.
 */
#include "datagen/runs/join_drops.h"

#include <string.h>

#include "base/json.h"
#include "tests/support/t.h"

#define PART(of_task, n, path, replaced)                                                           \
    "{\"dropped\": {\"total\": " n ", " of_task                                                    \
    "\"reasons\": [{\"split\": \"dev\", \"reason\": \"r\", \"n\": " n                              \
    ", \"first\": [{\"path\": \"" path "\", \"line\": 0}]}]}" replaced ", \"z\": 1.0}"

static struct t2_json_doc *doc_of(const char *text)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_json_parse(text, strlen(text), "test", &doc, &err), T2_OK);
    return doc;
}

static void check(const char *first, const char *second, const char *expected)
{
    struct tfr_manifest a = {.doc = doc_of(first)}, b = {.doc = doc_of(second)};
    struct tfr_manifest *parts[] = {&a, &b};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    t2_buf_puts(&text, first);
    assert_int_equal(dg_join_drops(parts, 2, &text, &err), T2_OK);
    for (char *s = (char *) text.data; (s = strchr(s, '\n')) != NULL;)
        *s = ' ';
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    t2_json_free(a.doc);
    t2_json_free(b.doc);
}

static void test_join(void **state)
{
    (void) state;
    /* tasks that all tell the same are not added up */
    check(PART("", "2", "a", ""), PART("", "2", "a", ""), PART("", "2", "a", ""));
    check(
        PART("\"of_task\": true, ", "2", "b", ""),
        PART("\"of_task\": true, ", "3", "a", ", \"replaced_utf8\": {\"train\": 4}"),
        "{  \"dropped\": {   \"total\": 5,   \"reasons\": [    {     \"split\": \"dev\",     "
        "\"reason\": \"r\",     \"n\": 5,     \"first\": [      {       \"path\": \"a\",       "
        "\"line\": 0      },      {       \"path\": \"b\",       \"line\": 0      }     ]    }   ]"
        "  },  \"replaced_utf8\": {   \"train\": 4,   \"dev\": 0,   \"test\": 0  },  \"z\": 1.0 "
        "} ");
}

T_MAIN(cmocka_unit_test(test_join))
