/*
 * tests/unit/datagen/problem_files/test_problem_kinds.c - mixtures, refused problems,
 * vocabularies.
 */
#include "datagen/problem_files/problem_kinds.h"

#include "tests/unit/datagen/problem_files/problem_text.h"

static void test_mixture(void **state)
{
    struct dg_problem_set *set = t_set("members: [a, b]\nsummary: both\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);

    (void) state;
    assert_string_equal(p->summary, "both");
    assert_string_equal(p->members[1], "b");
    assert_null(p->members[2]);
    assert_false(p->has_inputs);
    dg_problem_set_free(set);
}

static void test_refused_problem(void **state)
{
    struct dg_problem_set *set = t_set("refusal: by others\nvocab_type: numbers\n"
                                       "dataset_filename: stem\ntrain_shards: 8\ntest_shards: 2\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);

    (void) state;
    assert_string_equal(dg_problem_stem(p), "stem");
    assert_int_equal(p->targets_vocab.kind, DG_VOCAB_NUMBERS);
    assert_int_equal(p->n_shards[DG_TRAIN], 8);
    assert_int_equal(p->n_shards[DG_DEV], 0);
    assert_int_equal(p->n_shards[DG_TEST], 2);
    assert_null(p->open);
    dg_problem_set_free(set);
}

static void test_vocabularies(void **state)
{
    static const struct t_refused cases[] = {
        {"refusal: r\n", "vocab_size must be given, 1 or more"},
        {"refusal: r\nvocab_size: 0\n", "vocab_size must be given, 1 or more"},
        {"refusal: r\nvocab_type: ids\n", "vocab_type must be subwords or character"},
        {"members: {a: b}\n", "members must be a text, or a list of texts"},
    };
    struct dg_problem_set *set = t_set("refusal: r\nvocab_size: 5\nvocab_of: p\nvocab_file: v\n");
    const struct dg_vocab_spec *spec = &dg_problem_set_at(set, 0)->targets_vocab;

    (void) state;
    assert_int_equal(spec->kind, DG_VOCAB_SUBWORDS);
    assert_int_equal(spec->approx_size, 5);
    assert_string_equal(spec->of_problem, "p");
    assert_string_equal(spec->file, "v");
    dg_problem_set_free(set);
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_mixture), cmocka_unit_test(test_refused_problem),
       cmocka_unit_test(test_vocabularies))
