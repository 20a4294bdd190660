/*
 * tests/unit/train/test_bleu_13a.c - the rules of mteval-v13a, one by one.
 */
#include <string.h>

#include "tests/support/bleu_tokens.h"
#include "tests/support/t.h"
#include "train/eval/bleu.h"
#include "train/eval/bleu_tokenize.h"

static void check(const char *line, const char *want)
{
    struct t2_buf got = {NULL, 0, 0};

    t_bleu_tokens(EV_BLEU_SACREBLEU, false, t2_slice_of(line), &got);
    if (strcmp(t2_buf_cstr(&got), want) != 0)
        fail_msg("'%s': '%s', expected '%s'", line, t2_buf_cstr(&got), want);
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

static void test_split_join(void **state)
{
    struct t2_buf got = {NULL, 0, 0};

    (void) state;
    ev_split_join(t2_slice_of("  a \x1c b\xc2\x85\xff c  "), &got);
    assert_string_equal(t2_buf_cstr(&got), "a b \xff c");
    t2_buf_release(&got);
}

T_MAIN(cmocka_unit_test(test_ascii), cmocka_unit_test(test_period_and_comma),
       cmocka_unit_test(test_dash), cmocka_unit_test(test_entities),
       cmocka_unit_test(test_white_space), cmocka_unit_test(test_split_join))
