/*
 * tests/unit/train/test_bleu_intl.c - mteval's international rules: the examples of the
 * specification, what trips up, and where sacreBLEU's classes are others.
 */
#include <string.h>

#include "tests/support/bleu_tokens.h"
#include "tests/support/t.h"
#include "train/eval/bleu.h"
#include "train/eval/bleu_tokenize.h"

static void check(const char *line, const char *want)
{
    struct t2_buf got = {NULL, 0, 0};

    t_bleu_tokens(false, t2_slice_of(line), &got);
    if (strcmp(t2_buf_cstr(&got), want) != 0)
        fail_msg("'%s': '%s', expected '%s'", line, t2_buf_cstr(&got), want);
    t2_buf_release(&got);
}

static void check_lower(const char *line, const char *want)
{
    struct t2_buf got = {NULL, 0, 0};

    t_bleu_tokens(true, t2_slice_of(line), &got);
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

static void test_sacrebleu(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        {"Hello, world... \"x\"", "Hello , world . . . \" x \""},
        {"1,000.5 In 1999.", "1,000.5 In 1999."},
        {"a\\b", "a \\ b"},                                     /* a backslash is punctuation */
        {"\u00b2.x \u00b2.\u00b2", "\u00b2 . x \u00b2.\u00b2"}, /* a superscript is a number */
        {"\u2160.5", "\u2160.5"},                               /* and so is a Roman numeral */
        {"a\u00a0$5", "a $ 5"},
    };
    struct ev_intl_scratch scratch = {.in = {NULL, 0, 0}};
    struct t2_buf got = {NULL, 0, 0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t2_buf_clear(&got);
        ev_tokenize_intl(&scratch, t2_slice_of(cases[i].line), &got);
        assert_string_equal(t2_buf_cstr(&got), cases[i].want);
    }
    ev_intl_scratch_release(&scratch);
    t2_buf_release(&got);
}

T_MAIN(cmocka_unit_test(test_specification), cmocka_unit_test(test_edges),
       cmocka_unit_test(test_unicode), cmocka_unit_test(test_lower_case),
       cmocka_unit_test(test_sacrebleu))
