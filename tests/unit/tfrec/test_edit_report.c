/*
 * test_edit_report.c - the command as history keeps it; what is printed is in tests/cli/tfrec.
 */
#include "tfrec/edit_report.h"

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_command(void **state)
{
    const char *const flags[] = {"split", "",        "where", "a == 'b'", "map",
                                 NULL,    "records", "1,2",   NULL};
    struct t2_strs words = {0};
    char *text;

    (void) state;
    t2_strs_push(&words, "data/x.manifest.json");
    t2_strs_push(&words, "a b");
    text = rec_edit_command("remove", flags, &words);
    assert_string_equal(text, "tfrec remove '--where=a == '\\''b'\\''' --records=1,2 "
                              "data/x.manifest.json 'a b'");
    t2_free(text);
    t2_strs_release(&words);
}

T_MAIN(cmocka_unit_test(test_command))
