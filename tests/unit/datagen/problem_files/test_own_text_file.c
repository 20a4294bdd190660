/*
 * tests/unit/datagen/problem_files/test_own_text_file.c - text of one's own in a file: paths,
 * shards, sources.  What it makes is in tests/cli/t2t-datagen/problem_files.sh.
 */
#include "datagen/problem_files/own_text_file.h"

#include "tests/unit/datagen/problem_files/problem_text.h"

static void test_several(void **state)
{
    struct dg_problem_set *set =
        t_set("dev: d.tsv\nvocab_type: character\nproblems:\n"
              "- {name: one, train: a.tsv, train_shards: 3, licence: L, summary: S}\n"
              "- {name: two, like: one, kind: text2class, classes: [x, y], test_shards: 9,\n"
              "   sources: [{url: ['http://h/a.tgz'], members: [a.tsv]}]}\n");
    const struct dg_problem *one = dg_problem_set_at(set, 0), *two = dg_problem_set_at(set, 1);
    const struct dg_file_sources *sources;

    (void) state;
    assert_string_equal(one->summary, "S");
    assert_string_equal(one->licence, "L");
    assert_int_equal(one->n_shards[DG_TRAIN], 3);
    assert_int_equal(one->n_shards[DG_DEV], 1);
    assert_null(one->sources);
    assert_null(one->prepare);
    assert_int_equal(two->targets_vocab.kind, DG_VOCAB_CLASSES);
    assert_int_equal(two->n_shards[DG_TRAIN], 3);
    assert_int_equal(two->n_shards[DG_TEST], 0); /* there is no such split */
    assert_true(two->can_be_edited);
    assert_string_equal(two->sources[0]->urls[0], "http://h/a.tgz");
    assert_null(two->sources[1]);
    sources = dg_own_text_owner(two);
    assert_int_equal(sources->n, 1);
    assert_string_equal(sources->items[0].members[0], "a.tsv");
    dg_problem_set_free(set);
}

static void test_refused(void **state)
{
    static const struct t_refused cases[] = {
        {"train: {a: b}\n", "train must be a text, or a list of texts"},
        {"kind: text2class\ntrain: x\n", "text2class in a file needs classes"},
        {"train: hdfs://b/x\n", "only gs://, s3:// and https://"},
        {"dev: x\n", "--dev and --test need --train"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_several), cmocka_unit_test(test_refused))
