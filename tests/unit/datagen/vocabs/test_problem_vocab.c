/*
 * test_problem_vocab.c - names, building, loading, encoding of a problem's vocabularies.
 */
#include "datagen/vocabs/problem_vocab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_vocabs.h"

static void check_name(const struct dg_problem *p, enum dg_side_index side, const char *expected)
{
    char *name = dg_vocab_file_name(p, side);

    assert_string_equal(name ? name : "none", expected);
    t2_free(name);
}

static void test_names(void **state)
{
    struct dg_problem p = {.name = "x", .has_inputs = true, .shared_vocab = true};

    (void) state;
    p.targets_vocab.approx_size = 32768;
    check_name(&p, DG_INPUTS, "vocab.x.32768.subwords");
    check_name(&p, DG_TARGETS, "vocab.x.32768.subwords");
    p.dataset_filename = "data_of_x";
    check_name(&p, DG_TARGETS, "vocab.data_of_x.32768.subwords");
    p.shared_vocab = false;
    p.inputs_vocab.approx_size = 100;
    check_name(&p, DG_INPUTS, "vocab.data_of_x.100.subwords.source");
    check_name(&p, DG_TARGETS, "vocab.data_of_x.32768.subwords.target");
    p.has_inputs = false;
    check_name(&p, DG_TARGETS, "vocab.data_of_x.32768.subwords");
    p.targets_vocab.kind = DG_VOCAB_TOKENS;
    check_name(&p, DG_TARGETS, "vocab.data_of_x.tokens");
    p.targets_vocab.kind = DG_VOCAB_BYTES;
    check_name(&p, DG_TARGETS, "none");
    p.has_inputs = true;
    p.targets_vocab.kind = DG_VOCAB_CLASSES;
    check_name(&p, DG_INPUTS, "vocab.data_of_x.100.subwords");
    check_name(&p, DG_TARGETS, "none");
}

static void test_model_names(void **state)
{
    struct dg_problem p = {.name = "x", .has_inputs = true, .shared_vocab = true};

    (void) state;
    p.targets_vocab = (struct dg_vocab_spec){.kind = DG_VOCAB_MODEL,
                                             .approx_size = 8002,
                                             .suffix = "sentencepiece"};
    check_name(&p, DG_INPUTS, "vocab.x.8002.sentencepiece");
    p.shared_vocab = false;
    check_name(&p, DG_TARGETS, "vocab.x.8002.sentencepiece.target");
}

static void check_ids(const struct dg_vocab *v, const char *text, const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct t2_buf out = {0};

    assert_int_equal(dg_vocab_encode(v, NULL, t2_slice_of(text), &ids, &err), T2_OK);
    for (size_t i = 0; i < ids.n; i++)
        t2_buf_printf(&out, "%s%d", i ? " " : "", (int) ids.items[i]);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
    tok_ids_release(&ids);
}

static void test_tokens(void **state)
{
    static const char text[] = "<pad>\n<EOS>\n<UNK>\ncat\ndog\ncat\n";
    struct dg_vocab_spec spec = {.kind = DG_VOCAB_TOKENS, .oov_token = "<UNK>"};
    const char *path = t_tmp_path("v.tokens");
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct dg_vocab v;

    (void) state;
    t_write_file(path, text, strlen(text));
    assert_int_equal(dg_vocab_load(path, &spec, &v, &err), T2_OK);
    check_ids(&v, "", "");
    check_ids(&v, "cat", "5"); /* the later one of two */
    check_ids(&v, "dog  bird\tcat", "4 2 5");
    check_ids(&v,
              "dog\xc2\xa0"
              "cat",
              "4 5"); /* U+00A0 is a blank */
    dg_vocab_release(&v);
    spec.oov_token = NULL;
    assert_int_equal(dg_vocab_load(path, &spec, &v, &err), T2_OK);
    assert_int_equal(dg_vocab_encode(&v, NULL, t2_slice_of("a bird"), &ids, &err), T2_EFORMAT);
    t_assert_contains(err.message, "word 'a' is not in the vocabulary");
    dg_vocab_release(&v);
    spec.oov_token = "<OOV>";
    assert_int_equal(dg_vocab_load(path, &spec, &v, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has no entry '<OOV>'");
    tok_ids_release(&ids);
}

static void test_bytes(void **state)
{
    struct dg_vocab_spec spec = {.kind = DG_VOCAB_BYTES};
    struct t2_err err = T2_ERR_INIT;
    struct dg_vocab v;

    (void) state;
    assert_int_equal(dg_vocab_load(NULL, &spec, &v, &err), T2_OK);
    check_ids(&v, "ab", "99 100");
    dg_vocab_release(&v);
}

/* Spec t2t-datagen.md §12.1 has the same texts; here only that a file comes out and is loaded. */
static void test_build(void **state)
{
    static const char text[] = "the quick brown fox the quick the";
    const char *path = t_tmp_path("built.subwords");
    struct dg_vocab_spec spec = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 100};
    struct tok_counts *counts = tok_counts_new();
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_err err = T2_ERR_INIT;
    struct dg_vocab v;

    (void) state;
    tok_counts_add_text(counts, (const uint8_t *) text, strlen(text));
    assert_int_equal(dg_vocab_build(counts, &spec, pool, 0, path, &err), T2_OK);
    assert_int_equal(dg_vocab_load(path, &spec, &v, &err), T2_OK);
    assert_true(tok_size(v.encoder) > 20);
    dg_vocab_release(&v);
    spec.kind = DG_VOCAB_SUBWORDS;
    t_write_file(path, "one\ntwo\n", 8); /* words, not subwords */
    assert_int_equal(dg_vocab_load(path, &spec, &v, &err), T2_EFORMAT);
    tok_counts_free(counts);
    t2_pool_free(pool);
}

static struct tok_encoder *opened(const char *path, enum dg_vocab_kind kind)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (dg_vocab_open(path, kind, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    return e;
}

static void test_open(void **state)
{
    const char *path = t_tmp_path("codes");
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    t_write_file(path, t_nmt_codes, strlen(t_nmt_codes));
    e = opened(path, DG_VOCAB_MODEL);
    assert_int_equal(dg_vocab_kind_of(e), DG_VOCAB_MODEL);
    assert_int_equal(tok_offset(e), 2);
    assert_int_equal(dg_vocab_replace(path, e, "a", &err), T2_OK); /* nothing to a model */
    tok_free(e);
    assert_int_equal(dg_vocab_open(path, DG_VOCAB_SUBWORDS, &e, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is a vocabulary of subword-nmt codes, not of subwords");
    assert_null(e);
    t_write_file(path, "a\n", 2);
    assert_int_equal(dg_vocab_open(path, DG_VOCAB_MODEL, &e, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is a vocabulary of tokens, not of another program");
    e = opened(NULL, DG_VOCAB_BYTES);
    assert_int_equal(dg_vocab_kind_of(e), DG_VOCAB_BYTES);
    tok_free(e);
}

static void check_taken(const char *given, const char *kept)
{
    char *from = t2_strdup(t_tmp_path("from")), *to = t2_strdup(t_tmp_path("to")), *text;
    struct t2_err err = T2_ERR_INIT;
    size_t n;

    t_write_file(from, given, strlen(given));
    (void) remove(to);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(dg_vocab_take(from, to, &err), T2_OK);
        text = t_read_file(to, &n);
        assert_int_equal(n, strlen(kept));
        assert_memory_equal(text, kept, n);
        free(text);
    }
    t_write_file(to, "other", 5);
    assert_int_equal(dg_vocab_take(from, to, &err), T2_EFORMAT);
    t_assert_contains(err.message, "exists and differs from");
    t2_free(from);
    t2_free(to);
}

static void test_take(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check_taken(t_nmt_codes, t_nmt_codes);
    check_taken("'<pad>_'\n'<EOS>_'\n", "'<pad>_'\n'<EOS>_'\n");
    check_taken("<pad>\r\n<EOS> \nb", "<pad>\r\n<EOS> \nb");
    check_taken("a\n<EOS>\nb\n<pad>\na", "<pad>\n<EOS>\na\nb\na\n");
    check_taken("<EOS>\n<pad>\n", "<pad>\n<EOS>\n");
    assert_int_equal(dg_vocab_take(t_tmp_path("absent"), t_tmp_path("to"), &err), T2_ENOTFOUND);
}

T_MAIN(cmocka_unit_test(test_model_names), cmocka_unit_test(test_open), cmocka_unit_test(test_take),
       cmocka_unit_test(test_names), cmocka_unit_test(test_tokens), cmocka_unit_test(test_bytes),
       cmocka_unit_test(test_build))
