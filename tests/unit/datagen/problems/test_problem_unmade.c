/*
 * tests/unit/datagen/problems/test_problem_unmade.c - all of them are listed and say why.
 */
#include <string.h>

#include "datagen/problem.h"
#include "tests/support/t.h"

static void test_refusals(void **state)
{
    static const char *const names[] = {"wikisum_web", "wikisum_commoncrawl_lead_section",
                                        "wiki_revision_packed1k", "seq2edits_gec_deep_no_tags",
                                        "seq2edits_textnorm_packed256"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct dg_problem *p = dg_find(names[i]);
        assert_non_null(p);
        assert_non_null(p->refusal);
        assert_null(p->open);
    }
    t_assert_contains(dg_find("seq2edits_gec")->refusal, "no generator");
}

T_MAIN(cmocka_unit_test(test_refusals))
