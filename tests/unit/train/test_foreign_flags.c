/*
 * tests/unit/train/test_foreign_flags.c - the table of the originals' flags: each once, with a
 * reason, and a value that changes nothing where it is refused.
 */
#include "train/runs/foreign_flags.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/t.h"

static void check(const struct t2_foreign *list)
{
    for (const struct t2_foreign *f = list; f->name; f++) {
        bool truth;

        assert_true(strlen(f->why) > 0);
        if (f->is_bool && f->off)
            assert_true(t2_parse_bool(f->off, &truth));
        for (const struct t2_foreign *g = f + 1; g->name; g++)
            assert_string_not_equal(f->name, g->name);
    }
}

static void test_rows(void **state)
{
    (void) state;
    check(tr_foreign_flags);
    check(tr_absl_flags);
}

T_MAIN(cmocka_unit_test(test_rows))
