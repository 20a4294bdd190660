/*
 * tests/unit/datagen/problem_files/test_kind_translation.c - kind: translation.
 */
#include "datagen/problems/translate.h"
#include "tests/unit/datagen/problem_files/problem_text.h"

#define HEAD                                                                                       \
    "kind: translation\nfiles: {a: {url: 'http://h/a.tgz'}, b: {url: 'http://h/b.tmx.gz'}}\n"
#define DEV "dev: [{from: a, members: 'd.{en,de}'}]\n"
#define TRAIN "train: [{from: a, members: 't.{en,de}'}]\n"

static void test_sources(void **state)
{
    struct dg_problem_set *set =
        t_set(HEAD "train:\n"
                   "- {from: b, format: tmx}\n"
                   "- {from: a, format: tsv, members: '*.tsv', columns: [3, 1], optional: true}\n"
                   "- {from: a, format: sgm, members: [x.sgm, y.sgm]}\n" DEV
                   "vocab_size: 50\nclean_text: true\npacked_length: 256\ninputs_prefix: 'p '\n"
                   "synthetic: ['m.{en,de}', [n.en, n.de]]\ntrain_shards: 7\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);
    const struct dg_translate *t = p->context;

    (void) state;
    assert_int_equal(t->train[0].kind, DG_PARALLEL_TMX);
    assert_int_equal(t->train[1].kind, DG_PARALLEL_TSV);
    assert_string_equal(t->train[1].lang1, "*.tsv");
    assert_int_equal(t->train[1].column1, 2);
    assert_int_equal(t->train[1].column2, 0);
    assert_true(t->train[1].is_optional);
    assert_int_equal(t->train[2].kind, DG_PARALLEL_SGM);
    assert_null(t->train[3].file);
    assert_string_equal(t->dev[0].lang2, "d.de");
    assert_string_equal(t->synthetic[1][0], "n.en");
    assert_null(t->synthetic[2][0]);
    assert_true(t->clean_text && !t->clean_tmx);
    assert_ptr_equal(p->sources[0], t->train[0].file); /* each once, in the order of use */
    assert_ptr_equal(p->sources[1], t->dev[0].file);
    assert_null(p->sources[2]);
    assert_int_equal(p->n_shards[DG_TRAIN], 7);
    assert_int_equal(p->n_shards[DG_DEV], 1);
    assert_int_equal(p->packing.length, 256);
    assert_string_equal(p->text.prefix[DG_INPUTS], "p ");
    assert_true(p->shared_vocab && p->has_inputs);
    assert_int_equal(p->targets_vocab.approx_size, 50);
    assert_null(p->sharding.before_shuffle);
    dg_problem_set_free(set);
}

static void test_two_vocabularies(void **state)
{
    struct dg_problem_set *set = t_set(HEAD TRAIN DEV "source_vocab_size: 5\ntarget_vocab_size: 6\n"
                                                      "target_vocab_file: v.de\n"
                                                      "sampled_pairs: 3\nexpected_pairs: 9\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);

    (void) state;
    assert_false(p->shared_vocab);
    assert_int_equal(p->inputs_vocab.approx_size, 5);
    assert_null(p->inputs_vocab.file);
    assert_int_equal(p->targets_vocab.approx_size, 6);
    assert_string_equal(p->targets_vocab.file, "v.de");
    assert_ptr_equal(p->sharding.before_shuffle, dg_translate_before_shuffle);
    dg_problem_set_free(set);
}

static void test_refused(void **state)
{
#define REST DEV "vocab_size: 9\n"
    static const struct t_refused cases[] = {
        {HEAD REST, "train and dev must be given"},
        {HEAD TRAIN "vocab_size: 9\n", "train and dev must be given"},
        {HEAD TRAIN DEV, "vocab_size must be given"},
        {HEAD "train: x\n" REST, "train must be a list of mappings with from"},
        {HEAD "train: []\n" REST, "train must be a list of mappings with from"},
        {HEAD "train: [{members: x}]\n" REST, "train must be a list of mappings with from"},
        {HEAD "train: [{from: a, form: x}]\n" REST, "train.form is not known; there are from"},
        {HEAD "train: [{from: a, format: x}]\n" REST, "train.format must be pair, sgm, tsv or tmx"},
        {HEAD "train: [{from: a}]\n" REST, "train: format pair has to have members"},
        {HEAD "train: [{from: a, format: tmx, members: x}]\n" REST, "format tmx has no members"},
        {HEAD "train: [{from: a, members: 'x.{a,b}', columns: [1, 2]}]\n" REST,
         "format pair has no columns"},
        {HEAD "train: [{from: a, format: tsv, members: x}]\n" REST, "has to have columns"},
        {HEAD "train: [{from: a, format: tsv, members: x, columns: [0, 1]}]\n" REST,
         "train.columns must be two numbers, from 1"},
        {HEAD "train: [{from: a, members: x}]\n" REST, "train.members must be two texts"},
        {HEAD TRAIN REST "synthetic: x\n", "synthetic must be a list of pairs of files"},
        {HEAD TRAIN REST "sampled_pairs: 3\n", "expected_pairs must be given with sampled_pairs"},
        {HEAD TRAIN DEV "source_vocab_size: 3\n", "must be given both"},
        {HEAD TRAIN REST "source_vocab_size: 3\ntarget_vocab_size: 3\n", "must be given both"},
        {HEAD TRAIN REST "vocab_type: tokens\n", "vocab_type must be subwords or character"},
        {HEAD TRAIN REST "packed_length: 2000000\n", "packed_length must be at most"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_sources), cmocka_unit_test(test_two_vocabularies),
       cmocka_unit_test(test_refused))
