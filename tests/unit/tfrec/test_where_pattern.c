/* Which regular expressions are small enough to be compiled, and that those which pass compile
 * quickly. */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/where_private.h"

static void test_fine(void **state)
{
    static const char *const patterns[] = {"",
                                           "^a.*z$",
                                           "(jpe?g|png)+",
                                           "[0-9]{1,9}-[a-z]+",
                                           "[])(}{+]{900}",
                                           "[^]+{9}]+",
                                           "[[:alpha:]_][[:alnum:]_]+",
                                           "a{2}{3}{4}",
                                           "(((a+)+)+)+",
                                           "\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+"};
    (void) state;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        regex_t r;
        if (rec_pattern_trouble(patterns[i]))
            fail_msg("%s: %s", patterns[i], rec_pattern_trouble(patterns[i]));
        assert_int_equal(regcomp(&r, patterns[i], REG_EXTENDED | REG_NOSUB), 0);
        regfree(&r);
    }
}

static void test_too_large(void **state)
{
    static const char *const patterns[] = {"a{2000}{2}",
                                           "(a{60}){60}",
                                           "((a{99}|b){99})",
                                           "x++++++++++++",
                                           "x+++++++++?+++++++++",
                                           "x++++*{9}?{9}*+++",
                                           ")++++++?+++?+++++++A+",
                                           "()++++++++++++",
                                           "(((((a+)*)?)+)*)+",
                                           ")+++++++\xaf",
                                           "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+",
                                           "[a]{9}{9}{9}{9}{9}",
                                           "(([)]x[[:alpha:]]{1,99}){1,99})",
                                           ")x{9}){9}){9}){9}){9}"};
    char deep[100];
    (void) state;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (!rec_pattern_trouble(patterns[i]))
            fail_msg("%s", patterns[i]);
        t_assert_contains(rec_pattern_trouble(patterns[i]), "too many nested repetitions");
    }
    memset(deep, '(', sizeof deep);
    deep[40] = 0;
    t_assert_contains(rec_pattern_trouble(deep), "too many opening brackets");
    t_assert_contains(rec_pattern_trouble("(a)\\1"), "a back reference");
}

T_MAIN(cmocka_unit_test(test_fine), cmocka_unit_test(test_too_large))
