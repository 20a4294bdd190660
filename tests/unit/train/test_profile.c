/*
 * tests/unit/train/test_profile.c - seconds per operator add up over runs.
 */
#include "train/graph/profile.h"

#include <stdio.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void test_rows(void **state)
{
    struct dev *d = op_device("cpu", 1);
    struct gr_profile p = {.n = 0};

    (void) state;
    gr_profile_release(&p); /* nothing was measured yet */
    for (int run = 0; run < 3; run++) {
        gr_profile_begin(&p, d);
        gr_profile_mark(&p, "a", false);
        gr_profile_mark(&p, "b", false);
        gr_profile_mark(&p, "a", true);
        gr_profile_end(&p);
    }
    assert_int_equal(p.n, 2);
    assert_string_equal(p.op[0], "a");
    assert_string_equal(p.op[1], "b");
    assert_true(p.forward_s[0] >= 0.0 && p.backward_s[0] >= 0.0 && p.backward_s[1] == 0.0);
    gr_profile_release(&p);
    assert_int_equal(p.n, 0);
}

/* More nodes than the first events; more operators than rows. */
static void test_many(void **state)
{
    static char names[GR_MAX_PROFILE + 5][8];
    struct gr_profile p = {.n = 0};

    (void) state;
    gr_profile_begin(&p, op_device("cpu", 1));
    for (int i = 0; i < 2000; i++) {
        snprintf(names[i % (GR_MAX_PROFILE + 5)], sizeof names[0], "op%d",
                 i % (GR_MAX_PROFILE + 5));
        gr_profile_mark(&p, names[i % (GR_MAX_PROFILE + 5)], i & 1);
    }
    gr_profile_end(&p);
    assert_int_equal(p.n, GR_MAX_PROFILE);
    assert_string_equal(p.op[31], "op31");
    gr_profile_release(&p);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_many))
