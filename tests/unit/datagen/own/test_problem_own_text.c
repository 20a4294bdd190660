/*
 * test_problem_own_text.c - flags become a problem.
 */
#include "datagen/own/problem_own_text.h"

#include <string.h>

#include "base/alloc.h"
#include "datagen/stream.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_vocabs.h"

static struct dg_own_text flags_of(const char *name, const char *train)
{
    struct dg_own_text own = {.name = name,
                              .files = {train, "", ""},
                              .vocab_type = "subwords",
                              .vocab = "",
                              .source_vocab = "",
                              .target_vocab = "",
                              .oov_token = ""};

    return own;
}

static struct dg_problem *made(const struct dg_own_text *own)
{
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_own_text_new(own, &p, &err), T2_OK);
    return p;
}

static void check_refused(const struct dg_own_text *own, const char *part)
{
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_not_equal(dg_own_text_new(own, &p, &err), T2_OK);
    t_assert_contains(err.message, part);
    assert_null(p);
}

static void check_vocab_name(const struct dg_problem *p, enum dg_side_index side, const char *name)
{
    char *found = dg_vocab_file_name(p, side);

    assert_string_equal(found ? found : "none", name);
    t2_free(found);
}

static void test_defaults(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.en,a.de");
    struct dg_problem *p = made(&own);

    (void) state;
    assert_string_equal(p->name, "mine");
    assert_true(p->has_inputs && p->shared_vocab);
    assert_int_equal(p->n_shards[DG_TRAIN], 100);
    assert_int_equal(p->n_shards[DG_DEV], 0);
    check_vocab_name(p, DG_INPUTS, "vocab.mine.32768.subwords");
    dg_own_text_free(p);
    own.files[DG_DEV] = "b.tsv";
    own.vocab_size = 8192;
    p = made(&own);
    assert_int_equal(p->n_shards[DG_DEV], 1);
    assert_int_equal(p->n_shards[DG_TEST], 0);
    check_vocab_name(p, DG_TARGETS, "vocab.mine.8192.subwords");
    dg_own_text_free(p);
}

static void test_two_vocabularies(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.en,a.de");
    struct dg_problem *p;

    (void) state;
    own.source_vocab_size = 100;
    own.target_vocab_size = 200;
    p = made(&own);
    assert_false(p->shared_vocab);
    check_vocab_name(p, DG_INPUTS, "vocab.mine.100.subwords.source");
    check_vocab_name(p, DG_TARGETS, "vocab.mine.200.subwords.target");
    dg_own_text_free(p);
}

static void test_characters(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.en,a.de");
    struct dg_problem *p;

    (void) state;
    own.vocab_type = "character";
    p = made(&own);
    assert_int_equal(p->targets_vocab.kind, DG_VOCAB_BYTES);
    check_vocab_name(p, DG_TARGETS, "none");
    dg_own_text_free(p);
    own.vocab_size = 5;
    check_refused(&own, "--vocab_type=character has no vocabulary file");
    own.vocab_size = 0;
    own.vocab_type = "words";
    check_refused(&own, "--vocab_type='words'");
}

static void test_given_vocabulary(void **state)
{
    static const char text[] = "'<pad>_'\n'<EOS>_'\n'a_'\n'a'\n'_'\n'\\'\n'u'\n';'\n"
                               "'0'\n'1'\n'2'\n'3'\n'4'\n'5'\n'6'\n'7'\n'8'\n'9'\n";
    struct dg_own_text own = flags_of("mine", "a.en,a.de");
    const char *path = t_tmp_path("given.subwords");
    struct dg_problem *p;

    (void) state;
    t_write_file(path, text, strlen(text));
    own.vocab = path;
    p = made(&own);
    check_vocab_name(p, DG_TARGETS, "vocab.mine.18.subwords");
    assert_string_equal(p->targets_vocab.ready_file, path);
    dg_own_text_free(p);
    own.vocab = "";
    own.source_vocab = path;
    check_refused(&own, "--source_vocab and --target_vocab belong together");
    own.target_vocab = path;
    p = made(&own);
    check_vocab_name(p, DG_INPUTS, "vocab.mine.18.subwords.source");
    dg_own_text_free(p);
    own.vocab = t_tmp_path("absent");
    own.source_vocab = own.target_vocab = "";
    check_refused(&own, "absent");
}

/* A vocabulary of another program, a list of words. */
static void test_other_kinds(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.en,a.de");
    struct dg_problem *p;

    (void) state;
    t_write_file(t_tmp_path("codes"), t_nmt_codes, strlen(t_nmt_codes));
    t_write_file(t_tmp_path("words"), "cat\n<unk>\n", 10);
    own.vocab = "";
    own.source_vocab = t_tmp_path("codes");
    own.target_vocab = t_tmp_path("words");
    p = made(&own);
    check_vocab_name(p, DG_INPUTS, "vocab.mine.11.subword-nmt.source");
    check_vocab_name(p, DG_TARGETS, "vocab.mine.tokens.target");
    assert_int_equal(p->inputs_vocab.kind, DG_VOCAB_MODEL);
    assert_null(p->inputs_vocab.oov_token);
    assert_int_equal(p->targets_vocab.kind, DG_VOCAB_TOKENS);
    assert_string_equal(p->targets_vocab.oov_token, "<unk>");
    dg_own_text_free(p);
    own.oov_token = "cat";
    p = made(&own);
    assert_string_equal(p->targets_vocab.oov_token, "cat");
    dg_own_text_free(p);
    own.oov_token = "dog";
    check_refused(&own, "has no entry 'dog' for unknown words");
    own.oov_token = "cat";
    own.target_vocab = own.source_vocab;
    check_refused(&own, "--oov_token: only a vocabulary that is a list of words");
    t_write_file(t_tmp_path("words"), "cat\n", 4);
    own.target_vocab = t_tmp_path("words");
    own.oov_token = "";
    p = made(&own);
    assert_null(p->targets_vocab.oov_token);
    dg_own_text_free(p);
}

static void test_contradictions(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.en,a.de");

    (void) state;
    own.vocab_size = 1;
    own.source_vocab_size = 2;
    check_refused(&own, "give one of --vocab_size");
    own.vocab_size = 0;
    check_refused(&own, "--source_vocab_size and --target_vocab_size belong together");
    own.target_vocab_size = -2;
    check_refused(&own, "--target_vocab_size=-2: must be positive");
    own = flags_of("mine", "a.en,a.de");
    own.vocab_size = -1;
    check_refused(&own, "--vocab_size=-1: must be positive");
    own = flags_of("", "a.en,a.de");
    check_refused(&own, "--train needs --name");
    own = flags_of("text2text_tmpdir", "a.en,a.de");
    check_refused(&own, "is a problem of its own");
    own = flags_of("mine", "");
    own.files[DG_DEV] = "a.en,a.de";
    check_refused(&own, "need --train");
    own = flags_of("mine", "a.en");
    check_refused(&own, "--train: 'a.en' has no partner");
}

/* A part of the training text for evaluation. */
static void test_held_out(void **state)
{
    struct dg_own_text own = flags_of("mine", "a.txt");
    struct dg_problem *p;

    (void) state;
    own.kind = "text2self";
    own.held_out.dev_percent = 5;
    p = made(&own);
    assert_int_equal(p->n_shards[DG_DEV], 1);
    assert_int_equal(p->n_shards[DG_TEST], 0);
    t_assert_contains(p->revision, "--dev_percent=5");
    dg_own_text_free(p);
    own.files[DG_DEV] = "b.txt";
    check_refused(&own, "--dev_percent and --dev: give one of them");
    own.files[DG_DEV] = "";
    own.held_out.test_percent = 95;
    check_refused(&own, "must be 0 to below 100 together");
    own.held_out.test_percent = 0;
    own.files[DG_TRAIN] = "x=a.txt;y=b.txt";
    own.mix = "x:1,y:1";
    check_refused(&own, "--dev_percent is not for a mixture");
}

T_MAIN(cmocka_unit_test(test_held_out), cmocka_unit_test(test_other_kinds),
       cmocka_unit_test(test_defaults), cmocka_unit_test(test_two_vocabularies),
       cmocka_unit_test(test_characters), cmocka_unit_test(test_given_vocabulary),
       cmocka_unit_test(test_contradictions))
