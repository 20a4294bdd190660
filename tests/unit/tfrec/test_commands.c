/*
 * test_commands.c - the list of commands is sane: names, summaries, headings.
 */
#include "tfrec/commands.h"

#include <string.h>

#include "tests/support/t.h"

/* As base/subcommands.c lays the list out: two spaces, the name, the summary, 80 columns in all. */
enum { NAME_COLUMNS = 10, SUMMARY_COLUMNS = 80 - 2 - NAME_COLUMNS - 1 };

static void test_each(void **state)
{
    (void) state;
    for (const struct t2_listed_command *l = rec_commands; l->heading || l->command; l++) {
        if (l->heading) {
            assert_null(l->command);
            continue;
        }
        const struct t2_command *c = l->command;
        size_t n = strlen(c->summary);
        assert_non_null(c->run);
        assert_true(strlen(c->name) > 0 && strlen(c->name) <= NAME_COLUMNS);
        assert_int_equal(strspn(c->name, "abcdefghijklmnopqrstuvwxyz_"), strlen(c->name));
        if (n == 0 || n > SUMMARY_COLUMNS)
            fail_msg("the summary of %s has %zu columns", c->name, n);
        if (c->summary[n - 1] != '.' || c->summary[0] < 'A' || c->summary[0] > 'Z')
            fail_msg("the summary of %s is no sentence: %s", c->name, c->summary);
    }
}

static void test_names_are_unique(void **state)
{
    size_t n = 0;

    (void) state;
    for (const struct t2_listed_command *l = rec_commands; l->heading || l->command; l++) {
        if (!l->command)
            continue;
        n++;
        assert_ptr_equal(t2_find_command(rec_commands, l->command->name), l->command);
    }
    assert_true(n > 3);
    assert_null(t2_find_command(rec_commands, "no_such_command"));
}

static void test_headings_have_commands(void **state)
{
    const struct t2_listed_command *l = rec_commands;

    (void) state;
    assert_non_null(l->heading);
    for (; l->heading || l->command; l++) {
        if (l->heading && !l[1].command)
            fail_msg("nothing below the heading '%s'", l->heading);
    }
}

T_MAIN(cmocka_unit_test(test_each), cmocka_unit_test(test_names_are_unique),
       cmocka_unit_test(test_headings_have_commands))
