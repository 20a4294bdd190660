/* What is an expression, what is not, and how it is said. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrec/where.h"

static void accepts(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct rec_where *w = NULL;

    if (rec_where_parse(text, &w, &err) != T2_OK)
        fail_msg("%s: %s", text, err.message);
    rec_where_free(w);
}

static void refuses(const char *text, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct rec_where *w = NULL;

    assert_int_equal(rec_where_parse(text, &w, &err), T2_EUSAGE);
    assert_null(w);
    t_assert_contains(err.message, message);
}

static void test_accepts(void **state)
{
    (void) state;
    accepts("len(inputs) < 64 && label == 3");
    accepts("!(a || b) && image/height >= 10 && `odd name`[-1] != 'x'");
    accepts("label in (1, 2, -3) || name =~ '^a(b|c)\\.txt$'");
    accepts("-9223372036854775808 == a - b");
    accepts("1.5e3 + .5 - 2. < bytes() % 7");
    accepts("a =~ '^[a-z]+-[0-9]{1,9}[^])+]+(\\\\.[[:alnum:]_]+)+x+y+z+$'");
    accepts("in in (1)"); /* a feature named in */
    accepts("len");
}

static void test_refuses(void **state)
{
    (void) state;
    refuses("", "the expression ends where a value should be at column 1");
    refuses("len(inputs) <", "the expression ends where a value should be at column 14");
    refuses("a = 3", "a single = (== compares, =~ matches) at column 3 of the expression\n"
                     "  a = 3\n    ^");
    refuses("a == 3 b", "an operator should be at column 8");
    refuses("a, b", "an operator should be at column 2");
    refuses("size(a)", "none of len has min max sum bytes record");
    refuses("'abc", "without its closing quote at column 1");
    refuses("`abc", "without its closing back quote");
    refuses("a == 9223372036854775808", "does not fit into 64 bits");
    refuses("a == 1e999", "too large for a double");
    refuses("a == 3x", "a letter in a number");
    refuses("a == '\\q'", "an escape that is none of");
    refuses("a =~ b", "a regular expression in quotes is missing");
    refuses("a =~ '('", "a wrong regular expression");
    refuses("a =~ '((a{1,99}){1,99}){1,99}'", "too many nested repetitions");
    refuses("a =~ 'x++++++++++++++++'", "too many nested repetitions");
    refuses("a =~ '((((((((((((x+)+)+)+)+)+)+)+)+)+)+)+'", "too many nested repetitions");
    refuses("a =~ '(([)]x[[:alpha:]]{1,99}){1,99}){1,99}'", "too many nested repetitions");
    refuses("a =~ ')x{9}){9}){9}){9}){9}'", "too many nested repetitions");
    refuses("a =~ '(a)\\1'", "a back reference");
    refuses("a[x]", "the number of an element is missing");
    refuses("a[1", "a closing ] is missing");
    refuses("(a", "a closing bracket is missing");
    refuses("a in 3", "a bracket is missing");
}

/* The caret stands below the place also where the line is cut and where characters have two
 * bytes. */
static void test_caret(void **state)
{
    struct t2_buf buf = {NULL, 0, 0};
    const char *text;
    (void) state;

    for (int i = 0; i < 40; i++)
        t2_buf_puts(&buf, "a < 3 && ");
    t2_buf_puts(&buf, "? && b == 3 && cc == 4 && dd == 5 && ee == 6");
    text = t2_buf_cstr(&buf);
    refuses(text, "at column 361 of the expression\n  ...");
    refuses(text, "...\n                                                       ^");
    t2_buf_release(&buf);
    refuses("'\303\244' ? 3", "\n      ^");
}

static char *repeated(const char *part, size_t n)
{
    struct t2_buf b = {NULL, 0, 0};

    for (size_t i = 0; i < n; i++)
        t2_buf_puts(&b, part);
    return t2_buf_detach(&b);
}

static void refuses_many(const char *part, size_t n, const char *message)
{
    char *text = repeated(part, n);

    refuses(text, message);
    t2_free(text);
}

static void test_hostile(void **state)
{
    char *text;
    (void) state;

    refuses_many("(", 60000, "nested too deep");
    refuses_many("!", 60000, "nested too deep");
    refuses_many("-", 60000, "nested too deep");
    refuses_many("a+", 60000, "the limit is 65536");
    refuses_many("a+", 30000, "ends where a value should be");
    refuses_many("a in (", 60, "a closing bracket is missing at column 9");
    text = repeated("1,", 300);
    char *list = t2_asprintf("a in (%s1)", text);
    refuses(list, "too many values at once");
    t2_free(list);
    t2_free(text);
    text = repeated("(", 40);
    list = t2_asprintf("a =~ '%s'", text);
    refuses(list, "too many opening brackets");
    t2_free(list);
    t2_free(text);
}

static void test_parts(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct rec_where *w = NULL;
    const char *text = "len(a):desc,b in (1, 2)";
    size_t at = 0;
    struct t2_strs names = {NULL, 0, 0};
    (void) state;

    assert_int_equal(rec_where_parse_part(text, &at, &w, &err), T2_OK);
    assert_int_equal(at, 6);
    assert_true(rec_where_needs_example(w));
    rec_where_features(w, &names);
    rec_where_free(w);
    at = 12;
    assert_int_equal(rec_where_parse_part(text, &at, &w, &err), T2_OK);
    assert_int_equal(at, strlen(text));
    rec_where_features(w, &names);
    rec_where_features(w, &names);
    rec_where_free(w);
    assert_int_equal(names.n, 2);
    t2_strs_release(&names);
}

T_MAIN(cmocka_unit_test(test_accepts), cmocka_unit_test(test_refuses), cmocka_unit_test(test_caret),
       cmocka_unit_test(test_hostile), cmocka_unit_test(test_parts))
