/*
 * test_text_parts.c - the value of --train, --dev, --test.
 */
#include "datagen/stream.h"
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

T_MAIN(cmocka_unit_test(test_pairs_and_tsv), cmocka_unit_test(test_comma_in_a_name),
       cmocka_unit_test(test_target_may_be_named_tsv), cmocka_unit_test(test_errors))
