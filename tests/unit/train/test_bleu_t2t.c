/*
 * tests/unit/train/test_bleu_t2t.c - T2T's tokenizer: the examples of the specification and what
 * trips up.
 */
#include <string.h>

#include "tests/support/bleu_tokens.h"
#include "tests/support/t.h"
#include "train/eval/bleu.h"

static void check(const char *line, const char *want)
{
    struct t2_buf got = {NULL, 0, 0};

    t_bleu_tokens(EV_BLEU_T2T, false, t2_slice_of(line), &got);
    if (strcmp(t2_buf_cstr(&got), want) != 0)
        fail_msg("'%s': '%s', expected '%s'", line, t2_buf_cstr(&got), want);
    t2_buf_release(&got);
}

static void check_lower(const char *line, const char *want)
{
    struct t2_buf got = {NULL, 0, 0};

    t_bleu_tokens(EV_BLEU_T2T, true, t2_slice_of(line), &got);
    assert_string_equal(t2_buf_cstr(&got), want);
    t2_buf_release(&got);
}

static void test_specification(void **state)
{
    (void) state;
    check("Hello, world... \"x\"", "Hello , world . . . \" x \"");
    check("U.S.A.", "U . S . A .");
    check("a,,b", "a , , b");
    check("1,000.5", "1,000.5");
    check("1,000.50 is big.", "1,000.50 is big .");
    check("In 1999.", "In 1999.");
    check("1984.", "1984.");
    check("...x", ". . . x");
    check("don't", "don ' t");
    check("a-b", "a - b");
    check("(1", "(1");
    check("a\\b", "a\\b"); /* the backslash is no punctuation */
}

static void test_edges(void **state)
{
    (void) state;
    check("", "");
    check(" \t\r ", "");
    check(".", ".");
    check("..", ". .");
    check("x", "x");
    check("1", "1");
    check("$", "$");
    check("a$$b", "a $ $ b");
    check("$1", "$ 1");
    check("1+1=2", "1 + 1 = 2");
    check("a.5", "a . 5");
    check("5.a", "5 . a");
    check("5.5", "5.5");
}

static void test_unicode(void **state)
{
    (void) state;
    check("\u201cZitat\u201d \u2013 so", "\u201c Zitat \u201d \u2013 so");
    check("a\u20ac5", "a \u20ac 5");
    check("\u0663.\u0664", "\u0663.\u0664"); /* Arabic digits are digits */
    check("\u00b2.x", "\u00b2 . x");         /* a superscript is not */
    check("a\u00a0b\u3000c\u2028d", "a b c d");
    check("a\u200bb", "a\u200bb"); /* no white space */
    check("\U0001F600x", "\U0001F600 x");
    check("\xff\xfe.", "\xef\xbf\xbd \xef\xbf\xbd ."); /* what is not UTF-8 does no harm */
}

static void test_lower_case(void **state)
{
    (void) state;
    check_lower("\u00c4PFEL, Stra\u00dfe", "\u00e4pfel , stra\u00dfe");
    check_lower("\u039f\u0394\u039f\u03a3.", "\u03bf\u03b4\u03bf\u03c2 ."); /* final sigma */
    check_lower("\u0130", "i\u0307");
}

T_MAIN(cmocka_unit_test(test_specification), cmocka_unit_test(test_edges),
       cmocka_unit_test(test_unicode), cmocka_unit_test(test_lower_case))
