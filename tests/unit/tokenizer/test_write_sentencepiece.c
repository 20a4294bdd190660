#include "tests/unit/tokenizer/conversions.h"

static void test_bpe(void **state)
{
    struct tok_encoder *e = cv_llama("", CV_MERGES), *read = cv_read(e, TOK_VOCAB_SENTENCEPIECE);

    (void) state;
    assert_string_equal(tok_kind(read), "SentencePiece BPE");
    assert_int_equal(tok_size(read), tok_size(e));
    CV_SAME(e, read);
    tok_free(read);
    tok_free(e);
}

static void test_differences(void **state)
{
    struct tok_encoder *e =
        cv_llama("{\"id\": 1, \"content\": \"<s>\", \"special\": true}", CV_MERGES);
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_SENTENCEPIECE, 1);

    (void) state;
    cv_says(&c, 0, "added tokens: 1 (the first is '<s>') ");
    tok_conversion_release(&c);
    tok_free(e);
    /* "the" before its parts */
    e = cv_llama("", "\"" CV_MARK "t he\", \"" CV_MARK " t\", \"h e\"");
    c = cv_convert(e, TOK_VOCAB_SENTENCEPIECE, 1);
    cv_says(&c, 0, "merges: 1 entries (the first has id 10) ");
    tok_conversion_release(&c);
    tok_free(e);
}

static void test_unigram(void **state)
{
    struct tok_encoder *e = fm_parse_text(
        "{\"normalizer\": {\"type\": \"NFC\"}, \"pre_tokenizer\": {\"type\": \"Metaspace\", "
        "\"replacement\": \"_\"}, \"decoder\": null, \"model\": {\"type\": \"Unigram\", "
        "\"unk_id\": 0, \"vocab\": [[\"u\", 0], [\"a\", -1.5], [\"b_c\", -2]]}}");
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_SENTENCEPIECE, 5);
    struct tok_encoder *read = fm_parse(&c.file);

    (void) state;
    cv_says(&c, 0, "normalizer: ");
    cv_says(&c, 1, "blanks: they become '_' here");
    cv_says(&c, 2, "blanks: Metaspace ");
    cv_says(&c, 3, "words: ");
    cv_says(&c, 4, "scores: ");
    assert_int_equal(tok_size(read), 3);
    assert_int_equal(tok_special(read).unknown, 0);
    FM_IDS(read, "ax", "0 1 0");
    tok_conversion_release(&c);
    tok_free(read);
    tok_free(e);
}

static void test_refused(void **state)
{
    struct tok_encoder *e = cv_ranks(), *hf = cv_read(e, TOK_VOCAB_HF);

    (void) state;
    cv_refused(hf, TOK_VOCAB_HF, TOK_VOCAB_SENTENCEPIECE,
               "byte-level BPE: SentencePiece has unigram models and BPE over characters only");
    tok_free(hf);
    tok_free(e);
    e = cv_llama("{\"id\": 13, \"content\": \"at\"}", CV_MERGES);
    if (tok_size(e) == 14)
        cv_refused(e, TOK_VOCAB_HF, TOK_VOCAB_SENTENCEPIECE,
                   "ids 11 and 13 are the same token, which SentencePiece cannot have");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_bpe), cmocka_unit_test(test_differences),
       cmocka_unit_test(test_unigram), cmocka_unit_test(test_refused))
