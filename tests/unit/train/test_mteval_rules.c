/*
 * tests/unit/train/test_mteval_rules.c - each rule alone, entities, white space.
 */
#include "tests/support/t.h"
#include "train/eval/mteval_rules.h"

typedef void rule_fn(const struct t2_buf *in, struct t2_buf *out);

static void check(rule_fn *rule, const char *line, const char *want)
{
    struct t2_buf in = {NULL, 0, 0}, out = {NULL, 0, 0};

    t2_buf_puts(&in, line);
    rule(&in, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&in);
    t2_buf_release(&out);
}

static void test_rules(void **state)
{
    (void) state;
    check(ev_rule_split_off, "a!b-c'd", "a ! b-c'd");
    check(ev_rule_split_off, "", "");
    check(ev_rule_after_no_digit, "a.b1.c..d", "a . b1.c . .d"); /* a dot is taken once */
    check(ev_rule_after_no_digit, ".a", ".a");
    check(ev_rule_before_no_digit, "1.a,5.", "1 . a,5.");
    check(ev_rule_dash_after_digit, "1-2-a-3", "1 - 2 - a-3");
}

static void check_join(const char *text, const char *joined, const char *without)
{
    struct t2_buf out = {NULL, 0, 0};

    ev_split_join(t2_slice_of(text), &out);
    assert_string_equal(t2_buf_cstr(&out), joined);
    t2_buf_clear(&out);
    ev_without_space(t2_slice_of(text), &out);
    assert_string_equal(t2_buf_cstr(&out), without);
    t2_buf_release(&out);
}

static void test_white_space(void **state)
{
    struct t2_buf out = {NULL, 0, 0};

    (void) state;
    check_join("", "", "");
    check_join(" \t\u3000", "", "");
    check_join("  a \x1c b\xc2\x85\xff c  ", "a b \xff c",
               "ab\xff"
               "c");
    check_join("\u00e1\u2003\u1680\u205f\u200b", "\u00e1 \u200b", "\u00e1\u200b");
    ev_split_join(t2_slice_of("a"), &out);
    ev_split_join(t2_slice_of(" b"), &out);
    assert_string_equal(t2_buf_cstr(&out), "a b");
    t2_buf_release(&out);
}

static void test_entities(void **state)
{
    struct t2_buf b = {NULL, 0, 0};

    (void) state;
    ev_replace_entities(&b);
    t2_buf_puts(&b, "&quot;&amp;lt;&amp;quot;&gt;&x;");
    ev_replace_entities(&b);
    assert_string_equal(t2_buf_cstr(&b), "\"<&quot;>&x;");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_rules), cmocka_unit_test(test_white_space),
       cmocka_unit_test(test_entities))
