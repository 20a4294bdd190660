/*
 * test_text_parts.c - the value of --train, --dev, --test.
 */
#include "datagen/stream.h"
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static void parse(const char *value, struct dg_text_parts *parts)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_text_parts_parse("train", value, parts, &err), T2_OK);
}

static void test_pairs_and_tsv(void **state)
{
    struct dg_text_parts parts = {0};

    (void) state;
    parse("a.en,a.de;b.tsv;c.en,c.de,d.tsv.gz", &parts);
    assert_int_equal(parts.n, 4);
    assert_string_equal(parts.items[0].inputs, "a.en");
    assert_string_equal(parts.items[0].targets, "a.de");
    assert_string_equal(parts.items[1].inputs, "b.tsv");
    assert_null(parts.items[1].targets);
    assert_string_equal(parts.items[2].targets, "c.de");
    assert_string_equal(parts.items[3].inputs, "d.tsv.gz");
    assert_null(parts.items[3].targets);
    dg_text_parts_release(&parts);
}

static void test_comma_in_a_name(void **state)
{
    struct dg_text_parts parts = {0};

    (void) state;
    parse("one\\, two.en,back\\\\slash.de", &parts);
    assert_int_equal(parts.n, 1);
    assert_string_equal(parts.items[0].inputs, "one, two.en");
    assert_string_equal(parts.items[0].targets, "back\\slash.de");
    dg_text_parts_release(&parts);
}

static void test_target_may_be_named_tsv(void **state)
{
    struct dg_text_parts parts = {0};

    (void) state;
    parse("a.en,a.tsv", &parts);
    assert_int_equal(parts.n, 1);
    assert_string_equal(parts.items[0].targets, "a.tsv");
    dg_text_parts_release(&parts);
}

/* The parts of a value with patterns of names in the test's folder: "inputs|targets|name" of
 * each. */
static void check_patterns(const char *value, bool one_side, const char *expected)
{
    struct dg_text_parts parts = {.one_side = one_side};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    parse(value, &parts);
    assert_int_equal(dg_text_parts_expand(&parts, &err), T2_OK);
    for (size_t i = 0; i < parts.n; i++)
        t2_buf_printf(&text, "%s%s|%s|%s", i ? " " : "", t2_path_base(parts.items[i].inputs),
                      parts.items[i].targets ? t2_path_base(parts.items[i].targets) : "",
                      parts.items[i].name ? parts.items[i].name : "");
    assert_string_equal(t2_buf_cstr(&text), expected);
    assert_int_equal(parts.one_side, one_side);
    t2_buf_release(&text);
    dg_text_parts_release(&parts);
}

static void check_unmatched(const char *value, enum t2_status status, const char *part)
{
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;

    parse(value, &parts);
    assert_int_equal(dg_text_parts_expand(&parts, &err), status);
    t_assert_contains(err.message, part);
    dg_text_parts_release(&parts);
}

static void test_patterns(void **state)
{
    static const char *const names[] = {"b.tsv", "a.tsv", "x.en",      "y.en",
                                        "x.de",  "y.de",  "odd[1].tsv"};
    char *dir = t2_strdup(t_tmp_path("")), value[3000];

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        t_write_file(t_tmp_path(names[i]), "x", 1);
    snprintf(value, sizeof value, "n=%s/?.tsv;%s/*.en,%s/*.de", dir, dir, dir);
    check_patterns(value, false, "a.tsv||n b.tsv||n x.en|x.de|n y.en|y.de|n");
    snprintf(value, sizeof value, "%s/*.en,%s/odd[1].tsv", dir, dir);
    check_patterns(value, true, "x.en|| y.en|| odd[1].tsv||");
    snprintf(value, sizeof value, "%s/?.en,%s/[xy].de;%s/x.en,%s/y.de", dir, dir, dir, dir);
    check_patterns(value, false, "x.en|x.de| y.en|y.de| x.en|y.de|");
    snprintf(value, sizeof value, "%s/*.en,%s/x.de", dir, dir);
    check_unmatched(value, T2_EUSAGE, "*.en' means 2 files");
    snprintf(value, sizeof value, "%s/*.jsonl", dir);
    check_unmatched(value, T2_ENOTFOUND, "*.jsonl': no file matches");
    t2_free(dir);
}

static void check_error(const char *value, const char *part)
{
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_text_parts_parse("dev", value, &parts, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
    dg_text_parts_release(&parts);
}

static void test_errors(void **state)
{
    (void) state;
    check_error("a.en", "--dev: 'a.en' has no partner");
    check_error("a.en,a.de,b.en", "'b.en' has no partner");
    check_error("a.en,,a.de", "empty file name");
    check_error("", "empty file name");
    check_error("a.en,a.de,", "empty file name");
}

T_MAIN(cmocka_unit_test(test_patterns), cmocka_unit_test(test_pairs_and_tsv),
       cmocka_unit_test(test_comma_in_a_name), cmocka_unit_test(test_target_may_be_named_tsv),
       cmocka_unit_test(test_errors))
