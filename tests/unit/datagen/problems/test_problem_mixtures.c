/*
 * test_problem_mixtures.c - the members of mixtures are problems that can be made.  Making one is
 * in tests/cli/t2t-datagen/mixture.sh.
 */
#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void test_members(void **state)
{
    const struct dg_family *f = dg_family_of(dg_find("languagemodel_lm1b_multi_nli"));
    size_t k;

    (void) state;
    assert_int_equal(f->n, 20);
    for (size_t i = 0; i < f->n; i++) {
        for (k = 0; f->problems[i].members[k]; k++) {
            const struct dg_problem *member = dg_find(f->problems[i].members[k]);
            assert_non_null(member);
            assert_null(member->refusal);
            assert_null(member->members);
        }
        assert_true(k >= 2);
    }
}

T_MAIN(cmocka_unit_test(test_members))
