#include "tests/unit/tokenizer/conversions.h"

static void test_names(void **state)
{
    enum tok_vocab_kind kind = TOK_VOCAB_LIST;

    (void) state;
    for (int i = 0; i < TOK_N_VOCAB_KINDS; i++) {
        assert_true(tok_vocab_kind_named(tok_vocab_kind_name((enum tok_vocab_kind) i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(tok_vocab_kind_named("", &kind));
    assert_false(tok_vocab_kind_named("T2T", &kind));
}

static void test_kinds(void **state)
{
    static const struct {
        const char *text;
        enum tok_vocab_kind kind;
    } files[] = {{"'<pad>_'\n'<EOS>_'\n'a_'\n", TOK_VOCAB_T2T},
                 {"'<pad>'\n'<EOS>'\n'a_'\n", TOK_VOCAB_OFFICIAL},
                 {"the\ncat\n", TOK_VOCAB_LIST},
                 {"#version: 0.2\nt h\n", TOK_VOCAB_SUBWORD_NMT}};

    (void) state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tok_encoder *e = fm_parse_text(files[i].text);
        assert_int_equal(tok_vocab_kind_of(e), files[i].kind);
        tok_free(e);
    }
    assert_true(tok_vocab_kind_fits(TOK_VOCAB_T2T, TOK_VOCAB_OFFICIAL));
    assert_true(tok_vocab_kind_fits(TOK_VOCAB_OFFICIAL, TOK_VOCAB_T2T));
    assert_true(tok_vocab_kind_fits(TOK_VOCAB_LIST, TOK_VOCAB_WORDPIECE));
    assert_true(tok_vocab_kind_fits(TOK_VOCAB_HF, TOK_VOCAB_HF));
    assert_false(tok_vocab_kind_fits(TOK_VOCAB_WORDPIECE, TOK_VOCAB_LIST));
    assert_false(tok_vocab_kind_fits(TOK_VOCAB_HF, TOK_VOCAB_TIKTOKEN));
    assert_false(tok_vocab_kind_fits(TOK_VOCAB_LIST, TOK_VOCAB_T2T));
}

/* The same kind is the same file; bytes have none. */
static void test_same(void **state)
{
    static const char codes[] = "#version: 0.2\nt h\n";
    struct tok_encoder *e = fm_parse_text(codes), *bytes = tok_bytes_new();
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_SUBWORD_NMT, 0);

    (void) state;
    assert_string_equal(t2_buf_cstr(&c.file), codes);
    tok_conversion_release(&c);
    cv_refused(bytes, TOK_VOCAB_LIST, TOK_VOCAB_LIST,
               "a vocabulary of bytes has no file of its own");
    tok_free(bytes);
    tok_free(e);
}

static void test_no_pair(void **state)
{
    struct tok_encoder *e = fm_parse_text("#version: 0.2\nt h\n");

    (void) state;
    cv_refused(e, TOK_VOCAB_SUBWORD_NMT, TOK_VOCAB_TIKTOKEN,
               "subword-nmt to tiktoken: the two cut text in ways that cannot be expressed in each "
               "other, so there is no conversion, with --lossy neither; `t2t-vocab convert --help` "
               "lists the pairs");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_kinds), cmocka_unit_test(test_same),
       cmocka_unit_test(test_no_pair))
