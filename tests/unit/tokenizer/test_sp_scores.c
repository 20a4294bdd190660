/*
 * tests/unit/tokenizer/test_sp_scores.c - SentencePiece's .vocab as a model, and what is refused.
 */
#include "tokenizer/sp_scores.h"

#include "tests/unit/tokenizer/foreign_models.h"
#include "tokenizer/sentencepiece.h"

#define MARK "\xE2\x96\x81"

static struct tok_encoder *taken(const char *file, size_t n_assumed)
{
    struct t2_strs assumed = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (tok_sp_parse_scores("v", file, strlen(file), &e, &assumed, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(assumed.n, n_assumed);
    t2_strs_release(&assumed);
    return e;
}

static void refused(const char *file, enum t2_status status, const char *message)
{
    struct t2_strs assumed = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    assert_int_equal(tok_sp_parse_scores("v", file, strlen(file), &e, &assumed, &err), status);
    assert_string_equal(err.message, message);
    assert_null(e);
    assert_int_equal(assumed.n, 0);
}

static void test_unigram(void **state)
{
    struct tok_encoder *e = taken("<unk>\t0\n<s>\t0\n</s>\t0\n<x>\t0\n" MARK "\t-3\n" MARK
                                  "ab\t-2.5\na\t-3\nb\t-1.25\r\n",
                                  3);

    (void) state;
    assert_string_equal(tok_kind(e), "SentencePiece unigram");
    FM_IDS(e, " ab  b<x>", "5 4 7 3");
    FM_IDS(e, "ab<s>", "5 0");
    tok_free(e);
}

static void test_bpe(void **state)
{
    struct tok_encoder *e =
        taken("<unk>\t0\n<s>\t0\n</s>\t0\nab\t-0\n" MARK "ab\t-1\n" MARK "\t-2\na\t-3\nb\t-4\n", 3);

    (void) state;
    assert_string_equal(tok_kind(e), "SentencePiece BPE");
    FM_IDS(e, "ab aab", "4 5 6 3");
    tok_free(e);
}

static void test_refused(void **state)
{
    (void) state;
    refused("", T2_EFORMAT, "'v': 0 lines are no vocabulary");
    refused("<unk>\t0\nthe\n", T2_EFORMAT, "'v': line 2 is not a piece, a TAB and its score");
    refused("<unk>\t0\n\xFF\t0\n", T2_EFORMAT, "'v': line 2 is not a piece, a TAB and its score");
    refused("<unk>\t0\na\t-1\na\t-2\n", T2_EUNSUPPORTED, "'v': lines 2 and 3 are the same piece");
    refused("<unk>\t0\nthe\t1\n", T2_EFORMAT,
            "'v': line 2: scores are logarithms or ranks, never above 0; is it an id?");
    refused("<unk>\t0\nthe\tnan\n", T2_EFORMAT, "'v': line 2 is not a piece, a TAB and its score");
    refused("a\t-1\n", T2_EUNSUPPORTED, "'v': no piece is <unk>, so the unknown one is not known");
}

T_MAIN(cmocka_unit_test(test_unigram), cmocka_unit_test(test_bpe), cmocka_unit_test(test_refused))
