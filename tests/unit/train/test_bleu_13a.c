/*
 * tests/unit/train/test_bleu_13a.c - the rules of mteval-v13a, one by one.
 */
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/bleu_tokenize.h"
#include "train/eval/mteval_rules.h"

static void check(const char *line, const char *want)
{
    struct ev_13a_scratch scratch = {.line = {NULL, 0, 0}};
    struct t2_buf got = {NULL, 0, 0};

    ev_tokenize_13a(&scratch, t2_slice_of(line), &got);
    if (strcmp(t2_buf_cstr(&got), want) != 0)
        fail_msg("'%s': '%s', expected '%s'", line, t2_buf_cstr(&got), want);
    ev_13a_scratch_release(&scratch);
    t2_buf_release(&got);
}

static void test_ascii(void **state)
{
    (void) state;
    check("Hello, world!", "Hello , world !");
    check("a/b (c) [d] {e} <f>", "a / b ( c ) [ d ] { e } < f >");
    check("don't stop", "don't stop"); /* the apostrophe stays */
    check("a_b^c~d|e", "a _ b ^ c ~ d | e");
    check("50% & $5 #1 @x", "50 % & $ 5 # 1 @ x");
    check("a:b;c?d*e+f=g", "a : b ; c ? d * e + f = g");
    check("a\\b`c\"d", "a \\ b ` c \" d");
    check("a-b", "a-b");
}

static void test_period_and_comma(void **state)
{
    (void) state;
    check("1,000.50", "1,000.50");
    check("x.5", "x . 5");
    check("5.", "5 .");
    check(".5", ". 5");
    check("5.x", "5 . x");
    check("a,,b", "a , , b");
    check("...", ". . .");
    check("U.S.A.", "U . S . A .");
}

static void test_dash(void **state)
{
    (void) state;
    check("1-2", "1 - 2");
    check("10-year-old", "10 - year-old");
    check("a-1", "a-1");
}

static void test_entities(void **state)
{
    (void) state;
    check("&quot;x&quot; &amp; &lt;y&gt;", "\" x \" & < y >");
    check("&amp;lt;", "<");          /* &amp; is undone before &lt; */
    check("&amp;quot;", "& quot ;"); /* but behind &quot; */
    check("a<skipped>b", "ab");
    check("&", "&");
}

static void test_white_space(void **state)
{
    (void) state;
    check("", "");
    check("  ", "");
    check("a\tb\r", "a b");
    check("a\u00a0b\u3000", "a b");
    check("\u00e4,\u00f6.", "\u00e4 , \u00f6 .");
    check("\u201eja\u201c", "\u201eja\u201c"); /* only ASCII is looked at */
    check("a-\nb", "ab");
    check("a\nb", "a b");
}

/* The one pass against the four rules over the whole line, on texts of what the rules look at. */
static void test_like_the_rules(void **state)
{
    static const char letters[] = "ab1.,-. ;5\t&'";
    struct ev_13a_scratch scratch = {.line = {NULL, 0, 0}};
    struct t2_buf in = {NULL, 0, 0}, out = {NULL, 0, 0}, got = {NULL, 0, 0};

    (void) state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        char line[16];
        size_t n = t_hash64(seed) % sizeof line;

        for (size_t i = 0; i < n; i++)
            line[i] = letters[t_hash64(seed * 100 + i) % (sizeof letters - 1)];
        line[n ? n - 1 : 0] = 'x'; /* no white space at the end */
        n = n ? n : 1;
        t2_buf_clear(&in);
        t2_buf_push(&in, ' ');
        t2_buf_append(&in, line, n);
        t2_buf_push(&in, ' ');
        ev_rule_split_off(&in, &out);
        ev_rule_after_no_digit(&out, &in);
        ev_rule_before_no_digit(&in, &out);
        ev_rule_dash_after_digit(&out, &in);
        t2_buf_clear(&out);
        ev_split_join(t2_buf_slice(&in), &out);
        t2_buf_clear(&got);
        ev_tokenize_13a(&scratch, (struct t2_slice){(const uint8_t *) line, n}, &got);
        if (!t2_slice_eq(t2_buf_slice(&got), t2_buf_slice(&out)))
            fail_msg("'%.*s': '%s', the rules give '%s'", (int) n, line, t2_buf_cstr(&got),
                     t2_buf_cstr(&out));
    }
    ev_13a_scratch_release(&scratch);
    t2_buf_release(&in);
    t2_buf_release(&out);
    t2_buf_release(&got);
}

T_MAIN(cmocka_unit_test(test_ascii), cmocka_unit_test(test_period_and_comma),
       cmocka_unit_test(test_dash), cmocka_unit_test(test_entities),
       cmocka_unit_test(test_white_space), cmocka_unit_test(test_like_the_rules))
