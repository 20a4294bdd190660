/*
 * tests/unit/datagen/problem_files/test_kind_rows.c - kind: rows.
 */
#include "datagen/problems/class_rows.h"
#include "tests/unit/datagen/problem_files/problem_text.h"

#define FILES                                                                                      \
    "kind: rows\nfiles: {z: {url: 'http://h/z.zip', unpacked: z}, bare: {url: "                    \
    "'http://h/b.zip'},\n"                                                                         \
    "        p: {file: p.tsv, plain: true, folder: d, url: 'http://h/p.tsv'},\n"                   \
    "        q: {file: q.tsv, plain: true, url: 'http://h/q.tsv'}}\n"
#define HEAD FILES "from: z\ntrain: z/t.tsv\ndev: z/d.tsv\nvocab_size: 9\n"
#define COLUMNS "columns: {count: 4, first: 2, second: 3, label: 1}\n"

static void test_pairs(void **state)
{
    struct dg_problem_set *set = t_set(HEAD COLUMNS "classes: [a, b, c]\nheader_lines: 1\n"
                                                    "both_orders: true\nno_label: '-'\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);
    const struct dg_rows *r = p->context;

    (void) state;
    assert_string_equal(r->source->sign, "z");
    assert_string_equal(r->members[DG_DEV], "z/d.tsv");
    assert_null(r->members[DG_TEST]);
    assert_int_equal(r->n_columns, 4);
    assert_int_equal(r->first, 1);
    assert_int_equal(r->second, 2);
    assert_int_equal(r->label, 0);
    assert_int_equal(r->n_header, 1);
    assert_true(r->both_orders && !r->more_columns && !r->skip_short && !r->label_is_number);
    assert_string_equal(r->no_label, "-");
    assert_int_equal(p->targets_vocab.kind, DG_VOCAB_CLASSES);
    assert_int_equal(p->targets_vocab.approx_size, 3);
    assert_int_equal(p->inputs_vocab.approx_size, 9);
    assert_int_equal(p->text.context, DG_CONTEXT_JOINED);
    assert_int_equal(p->n_shards[DG_TRAIN], 100);
    assert_int_equal(p->n_shards[DG_TEST], 0);
    dg_problem_set_free(set);
}

static void test_words(void **state)
{
    struct dg_problem_set *set =
        t_set(HEAD "columns: {count: 3, more: true, first: 1, second: 2, label: last}\n"
                   "before: ['A: ', ' B: ']\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);
    const struct dg_rows *r = p->context;

    (void) state;
    assert_int_equal(r->label, -1);
    assert_string_equal(r->before_second, " B: ");
    assert_true(p->shared_vocab);
    assert_int_equal(p->targets_vocab.kind, DG_VOCAB_SUBWORDS);
    dg_problem_set_free(set);
}

static void test_plain(void **state)
{
    struct dg_problem_set *set =
        t_set(FILES "vocab_size: 9\ntrain: p\ndev: p\ntest: q\ndev_list: q\nclasses: [a, b]\n"
                    "columns: {count: 5, first: 1, label: 2, keys: 4}\n");
    const struct dg_problem *p = dg_problem_set_at(set, 0);
    const struct dg_rows *r = p->context;

    (void) state;
    assert_ptr_equal(r->plain[DG_TRAIN], r->plain[DG_DEV]);
    assert_string_equal(r->plain[DG_TRAIN]->folder, "d");
    assert_string_equal(r->plain[DG_TEST]->sign, "q.tsv");
    assert_ptr_equal(r->dev_list, r->plain[DG_TEST]);
    assert_int_equal(r->keys, 3);
    assert_int_equal(r->second, -1);
    assert_int_equal(p->text.context, DG_CONTEXT_NONE);
    assert_int_equal(p->n_shards[DG_TEST], 1);
    assert_string_equal(p->sources[1]->name, "q.tsv");
    assert_null(p->sources[2]);
    dg_problem_set_free(set);
}

static void test_refused(void **state)
{
    static const struct t_refused cases[] = {
        {HEAD "classes: [a, b]\n", "columns must be a mapping with count and first"},
        {HEAD "columns: 3\nclasses: [a, b]\n", "columns must be a mapping with count and first"},
        {HEAD "columns: {count: 2, first: 3}\nclasses: [a, b]\n", "columns among the first"},
        {HEAD "columns: {count: 2, first: 0}\nclasses: [a, b]\n", "the number of a column, from 1"},
        {HEAD "columns: {cuont: 2}\nclasses: [a, b]\n", "columns.cuont is not known"},
        {HEAD COLUMNS, "classes must be given, or `before` in its place"},
        {HEAD COLUMNS "classes: [a]\n", "classes must be two texts or more"},
        {HEAD COLUMNS "classes: [a, b]\nbefore: [a, b]\n", "classes must be given, or"},
        {HEAD "columns: {count: 2, first: 1}\nbefore: [a, b]\n", "columns.second is not given"},
        {HEAD "columns: {count: 2, first: 1}\nclasses: [a, b]\nboth_orders: true\n",
         "both_orders must be left out without columns.second"},
        {HEAD COLUMNS "classes: [a, b]\ndev_list: q\n", "dev_list must be left out with from"},
        {FILES "from: bare\ntrain: x\ndev: x\n" COLUMNS, "from must be a file that is not plain"},
        {FILES "from: p\ntrain: x\ndev: x\n" COLUMNS, "from must be a file that is not plain"},
        {FILES "train: z\ndev: z\n" COLUMNS, "train must be a file with its name that is plain"},
        {FILES "from: z\ntrain: x\n" COLUMNS, "train and dev must be given"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_pairs), cmocka_unit_test(test_words), cmocka_unit_test(test_plain),
       cmocka_unit_test(test_refused))
