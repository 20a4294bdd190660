#include "tests/unit/tokenizer/conversions.h"

/* There and back: the model's bytes and the ids. */
static void test_back(void **state)
{
    struct tok_encoder *llama = cv_llama("", CV_MERGES);
    struct tok_encoder *sp = cv_read(llama, TOK_VOCAB_SENTENCEPIECE);
    struct tok_encoder *hf = cv_read(sp, TOK_VOCAB_HF);
    struct tok_conversion a = cv_convert(sp, TOK_VOCAB_SENTENCEPIECE, 0);
    struct tok_conversion b = cv_convert(hf, TOK_VOCAB_SENTENCEPIECE, 0);

    (void) state;
    CV_SAME(sp, hf);
    assert_int_equal(a.file.len_bytes, b.file.len_bytes);
    assert_memory_equal(a.file.data, b.file.data, a.file.len_bytes);
    tok_conversion_release(&a);
    tok_conversion_release(&b);
    tok_free(hf);
    tok_free(sp);
    tok_free(llama);
}

struct model {
    int type, user, unused;
    bool suffix, equal_scores;
};

/* A model without normalizer_spec: a blank in front, blanks removed, no character map. */
static struct tok_encoder *make(struct model x)
{
    struct t2_buf file = {0}, trainer = {0};
    struct tok_encoder *e;

    fm_put_specials(&file);
    fm_put_piece(&file, CV_MARK, -10, FM_NORMAL);
    fm_put_piece(&file, "a", -11, FM_NORMAL);
    fm_put_piece(&file, "t", -12, FM_NORMAL);
    fm_put_piece(&file, CV_MARK "a", -1, FM_NORMAL);
    fm_put_piece(&file, "at", x.equal_scores ? -1 : -2, x.unused ? FM_UNUSED : FM_NORMAL);
    fm_put_piece(&file, "the", 0, x.user ? FM_USER : FM_CONTROL);
    wb_number(&trainer, 3, (uint64_t) x.type);
    if (x.suffix)
        wb_number(&trainer, 24, 1);
    wb_message(&file, 2, &trainer);
    e = fm_parse(&file);
    t2_buf_release(&trainer);
    t2_buf_release(&file);
    return e;
}

static void test_blanks_removed(void **state)
{
    struct tok_encoder *e = make((struct model){.type = FM_BPE}), *hf = cv_read(e, TOK_VOCAB_HF);

    (void) state;
    CV_SAME(e, hf);
    FM_IDS(hf, "  at  a" CV_MARK " ", "6 5 6");
    tok_free(hf);
    tok_free(e);
}

static void test_differences(void **state)
{
    struct tok_encoder *e = make((struct model){
        .type = FM_BPE, .user = 1, .unused = 1, .suffix = true, .equal_scores = true});
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_HF, 4);

    (void) state;
    cv_says(&c, 0, "blanks: this model has them at the end of words");
    cv_says(&c, 1, "user-defined pieces: 1 (the first is 'the') ");
    cv_says(&c, 2, "unused pieces: 1 (the first has id 7) ");
    cv_says(&c, 3, "scores: 1 pieces have the score of another");
    tok_conversion_release(&c);
    tok_free(e);
}

static void test_unigram(void **state)
{
    struct tok_encoder *e = make((struct model){.type = FM_UNIGRAM}), *hf;
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_HF, 2);

    (void) state;
    cv_says(&c, 0, "scores: ");
    cv_says(&c, 1, "control pieces: ");
    hf = fm_parse(&c.file);
    FM_IDS(e, "at a", "3 7 6");
    FM_IDS(hf, "at a", "3 7 6");
    tok_conversion_release(&c);
    tok_free(hf);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_back), cmocka_unit_test(test_blanks_removed),
       cmocka_unit_test(test_differences), cmocka_unit_test(test_unigram))
