/*
 * tests/unit/datagen/fetch/test_part_state.c - states that are read back, states that are refused.
 */
#include "datagen/fetch/part_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

static enum t2_status parse(const char *text, struct dg_part_state *s)
{
    err = (struct t2_err) T2_ERR_INIT;
    return dg_part_state_parse(text, strlen(text), "x.part.json", s, &err);
}

static void test_there_and_back(void **state)
{
    char url[] = "http://h/a\"b\\\n";
    struct dg_part_state s = {.url = url,
                              .etag = "\"e\"",
                              .last_modified = "Sun, 06 Nov 1994 08:49:37 GMT",
                              .content_encoding = "gzip",
                              .total_bytes = UINT64_C(1) << 40};
    struct dg_part_state back;
    const char *path = t_tmp_path("a.part.json");
    char *text;
    size_t n;

    (void) state;
    assert_int_equal(dg_part_state_write(path, &s, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_int_equal(parse(text, &back), T2_OK);
    free(text);
    assert_string_equal(back.url, s.url);
    assert_string_equal(back.etag, s.etag);
    assert_string_equal(back.last_modified, s.last_modified);
    assert_string_equal(back.content_encoding, s.content_encoding);
    assert_int_equal(back.total_bytes, s.total_bytes);
    dg_part_state_release(&back);
    assert_null(back.url);
}

#define STATE(url, etag, total)                                                                    \
    "{\"url\": " url ", \"etag\": " etag ", \"last_modified\": \"\", \"content_encoding\": \"\", " \
    "\"total_bytes\": " total "}"

static void test_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "x.part.json"},
        {"[]", "\"url\" is not a string"},
        {STATE("1", "\"\"", "1"), "\"url\" is not a string"},
        {STATE("\"u\"", "\"a\\r\\nCookie: x\"", "1"), "\"etag\" is not a header value"},
        {STATE("\"u\"", "\"\\u007f\"", "1"), "\"etag\" is not a header value"},
        {STATE("\"u\"", "\"\"", "-1"), "\"total_bytes\" is not a count"},
        {STATE("\"u\"", "\"\"", "1e3"), "\"total_bytes\" is not an integer"},
    };
    char long_etag[600];
    struct dg_part_state s;

    (void) state;
    assert_int_equal(parse(STATE("\"u\"", "\"\"", "1"), &s), T2_OK);
    dg_part_state_release(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].text, &s), T2_EFORMAT);
        t_assert_contains(err.message, cases[i].message);
        dg_part_state_release(&s);
    }
    snprintf(long_etag, sizeof long_etag, STATE("\"u\"", "\"%0300d\"", "1"), 1);
    assert_int_equal(parse(long_etag, &s), T2_EFORMAT);
    t_assert_contains(err.message, "length");
    assert_string_equal(s.etag, "");
    dg_part_state_release(&s);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_refused))
