/*
 * test_provide_vocabs.c - which sides have a vocabulary; one that is found is used.  Building,
 * taking and making are seen from outside in test_generate.c.
 */
#include "datagen/problem_registry.h"
#include "datagen/runs/generate_run.h"
#include "tests/unit/datagen/small_set.h"

static void test_sides(void **state)
{
    struct dg_problem p = {.has_inputs = true, .shared_vocab = true};

    (void) state;
    assert_true(dg_has_own_vocab(&p, DG_TARGETS));
    assert_false(dg_has_own_vocab(&p, DG_INPUTS));
    p.shared_vocab = false;
    assert_true(dg_has_own_vocab(&p, DG_INPUTS));
    p.has_inputs = false;
    assert_false(dg_has_own_vocab(&p, DG_INPUTS));
}

static void test_found(void **state)
{
    struct dg_generate g = ds_settings(".", NULL);
    struct dg_run r = {.p = dg_find("text2text_tmpdir"), .g = &g};
    struct t2_err err = T2_ERR_INIT;
    static const char vocab[] = "'<pad>_'\n'<EOS>_'\n'a_'\n'\\\\'\n'_'\n'a'\n'u'\n';'\n";

    (void) state;
    t_write_file(t_tmp_path("vocab"), vocab, sizeof vocab - 1);
    r.vocab_paths[DG_TARGETS] = t2_strdup(t_tmp_path("vocab"));
    assert_int_equal(dg_provide_vocabs(&r, &err), T2_OK);
    assert_int_equal(r.vocabs[DG_TARGETS].size, 8);
    assert_ptr_equal(r.encode.vocabs[DG_INPUTS], r.encode.vocabs[DG_TARGETS]);
    dg_vocab_release(&r.vocabs[DG_TARGETS]);
    t2_free(r.vocab_paths[DG_TARGETS]);
}

T_MAIN(cmocka_unit_test(test_sides), cmocka_unit_test(test_found))
