/*
 * test_own_vocabs.c - which vocabularies the flags of text of one's own ask for.
 */
#include "datagen/own/own_vocabs.h"

#include "tests/support/t.h"

static const struct dg_own_text nothing = {
    .vocab_type = "subwords", .vocab = "", .source_vocab = "", .target_vocab = "", .oov_token = ""};

static enum t2_status choose(const struct dg_own_text *flags, const char *kind,
                             struct dg_problem *p, struct t2_err *err)
{
    struct dg_own_vocabs v = {.oov_token = {NULL}};
    const struct dg_own_kind *k;
    enum t2_status st;

    assert_int_equal(dg_own_kind_find(kind, &k, err), T2_OK);
    *p = (struct dg_problem){.name = "x", .has_inputs = k->sides[DG_INPUTS] != DG_OWN_NONE};
    st = dg_own_vocabs_choose(flags, k, p, &v, err);
    dg_own_vocabs_release(&v);
    return st;
}

static void test_chosen(void **state)
{
    struct dg_own_text flags = nothing;
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem p;

    (void) state;
    assert_int_equal(choose(&flags, "text2text", &p, &err), T2_OK);
    assert_true(p.shared_vocab && p.targets_vocab.kind == DG_VOCAB_SUBWORDS);
    assert_int_equal(p.targets_vocab.approx_size, 32768);
    flags.source_vocab_size = 10;
    flags.target_vocab_size = 20;
    assert_int_equal(choose(&flags, "text2text", &p, &err), T2_OK);
    assert_true(!p.shared_vocab && p.inputs_vocab.approx_size == 10 &&
                p.targets_vocab.approx_size == 20);
    flags = nothing;
    flags.vocab_type = "character";
    assert_int_equal(choose(&flags, "text2labels", &p, &err), T2_OK);
    assert_int_equal(p.targets_vocab.kind, DG_VOCAB_BYTES);
    assert_int_equal(choose(&nothing, "table2real", &p, &err), T2_OK);
}

static void test_refused(void **state)
{
    struct dg_own_text ids = nothing, table = nothing, word = nothing;
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem p;

    (void) state;
    ids.vocab_type = "ids";
    assert_int_equal(choose(&ids, "text2text", &p, &err), T2_EUSAGE);
    t_assert_contains(err.message, "needs --vocab_size");
    table.vocab_size = 100;
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(choose(&table, "table2class", &p, &err), T2_EUSAGE);
    t_assert_contains(err.message, "--kind=table2class has no text");
    word.oov_token = "<UNK>";
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(choose(&word, "text2text", &p, &err), T2_EUSAGE);
    t_assert_contains(err.message, "--oov_token");
}

T_MAIN(cmocka_unit_test(test_chosen), cmocka_unit_test(test_refused))
