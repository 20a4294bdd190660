#include "tests/unit/tokenizer/conversions.h"

static void test_tiktoken(void **state)
{
    struct tok_encoder *e = cv_ranks(), *read = cv_read(e, TOK_VOCAB_HF);

    (void) state;
    assert_string_equal(tok_kind(read), "tokenizer.json BPE");
    CV_SAME(e, read);
    tok_free(read);
    tok_free(e);
}

/* A token that merging does not give is said, and a whole piece all the same. */
static void test_wrong_rank(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e, *read;
    struct tok_conversion c;

    (void) state;
    fm_put_bytes(&file);
    fm_put_rank(&file, "abc", 3, 256);
    fm_put_rank(&file, "ab", 2, 257);
    fm_put_rank(&file, "xyz", 3, 258); /* no two tokens make it up */
    e = fm_parse(&file);
    c = cv_convert(e, TOK_VOCAB_HF, 1);
    cv_says(&c, 0, "merges: 1 entries (the first has id 256) ");
    read = fm_parse(&c.file);
    FM_IDS(read, "abc", "256");
    FM_IDS(read, "xyz", "258");
    FM_IDS(read, "xyzz", "120 121 122 122");
    FM_IDS(e, "xyzz", "120 121 122 122");
    tok_conversion_release(&c);
    tok_free(read);
    tok_free(e);
    t2_buf_release(&file);
}

static void test_nmt(void **state)
{
    struct tok_encoder *e =
        fm_parse_text("#version: 0.2\nt h\nth e</w>\na t</w>\nc at</w>\nt h\na a\n");
    struct tok_encoder *read = cv_read(e, TOK_VOCAB_HF);

    (void) state;
    assert_int_equal(tok_size(e), tok_size(read));
    CV_SAME(e, read);
    tok_free(read);
    tok_free(e);
}

static void test_wordpiece(void **state)
{
    struct tok_encoder *e = fm_parse_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##s\n\xC3\xA9t\n");
    struct tok_encoder *bad = fm_parse_text("the\ncat\n");

    (void) state;
    for (int cased = 0; cased < 2; cased++) {
        struct tok_conversion c = {.cased = cased};
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *read;

        assert_int_equal(tok_convert(e, TOK_VOCAB_WORDPIECE, TOK_VOCAB_HF, &c, &err), T2_OK);
        assert_int_equal(c.differences.n, 0);
        read = fm_parse(&c.file);
        FM_IDS(read, "the thes [SEP]cat", "2 4 4 5 3 1 3");
        FM_IDS(read, "THE", cased ? "2 1 3" : "2 4 3");
        FM_IDS(read, "\xC3\xA9t", cased ? "2 6 3" : "2 1 3");
        tok_conversion_release(&c);
        tok_free(read);
    }
    cv_refused(bad, TOK_VOCAB_WORDPIECE, TOK_VOCAB_HF,
               "no WordPiece vocabulary: it has no entry [UNK] for unknown words");
    tok_free(bad);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_tiktoken), cmocka_unit_test(test_wrong_rank),
       cmocka_unit_test(test_nmt), cmocka_unit_test(test_wordpiece))
