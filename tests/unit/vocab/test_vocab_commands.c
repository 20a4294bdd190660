#include "vocab/vocab_commands.h"

#include <string.h>

#include "tests/support/t.h"

/* Each command once, under a heading, with a summary that ends as a sentence. */
static void test_list(void **state)
{
    size_t n = 0;

    (void) state;
    assert_non_null(voc_commands[0].heading);
    for (const struct t2_listed_command *l = voc_commands; l->heading || l->command; l++) {
        assert_true((!l->heading) != (!l->command));
        if (l->heading)
            continue;
        assert_ptr_equal(t2_find_command(voc_commands, l->command->name), l->command);
        assert_true(l->command->summary[strlen(l->command->summary) - 1] == '.');
        assert_non_null(l->command->run);
        n++;
    }
    assert_true(n >= 7);
    assert_ptr_equal(t2_find_command(voc_commands, "build"), &voc_cmd_build);
    assert_ptr_equal(t2_find_command(voc_commands, "diff"), &voc_cmd_diff);
    assert_null(t2_find_command(voc_commands, "nothing"));
}

T_MAIN(cmocka_unit_test(test_list))
