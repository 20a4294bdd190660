#include "tests/unit/tokenizer/conversions.h"

static void assert_file(const struct tok_conversion *c, const char *want)
{
    assert_string_equal(t2_buf_cstr(&c->file), want);
}

static void test_subwords(void **state)
{
    static const char t2t[] = "'<pad>_'\n'<EOS>_'\n'a_'\n'b''\n'_'\n";
    static const char official[] = "'<pad>'\n'<EOS>'\n'a_'\n'b''\n'_'\n";
    struct tok_encoder *a = fm_parse_text(t2t), *b = fm_parse_text(official);
    struct tok_conversion c = cv_convert(a, TOK_VOCAB_OFFICIAL, 0);

    (void) state;
    assert_file(&c, official);
    tok_conversion_release(&c);
    c = cv_convert(b, TOK_VOCAB_T2T, 0);
    assert_file(&c, t2t);
    tok_conversion_release(&c);
    tok_free(a);
    tok_free(b);
}

/* The official reader puts the reserved tokens first, wherever they stand. */
static void test_reserved(void **state)
{
    struct tok_encoder *e = fm_parse_text("'<pad>'\n'x'\n'<EOS>'\n'_'\n");
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_T2T, 0);

    (void) state;
    assert_file(&c, "'<pad>_'\n'<EOS>_'\n'x'\n'_'\n");
    tok_conversion_release(&c);
    tok_free(e);
    e = fm_parse_text("'<pad>_'\n'x'\n'<EOS>'\n'_'\n");
    c = cv_convert(e, TOK_VOCAB_OFFICIAL, 2);
    cv_says(&c, 0, "ids: the file does not begin with <pad>_ and <EOS>_");
    cv_says(&c, 1, "ids: 1 entries equal <pad> or <EOS>");
    tok_conversion_release(&c);
    tok_free(e);
}

static void test_list(void **state)
{
    struct tok_encoder *e = fm_parse_text("'<pad>_'\n'<EOS>_'\n' a'\n''\n'\xC3\xA9'\n");
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_LIST, 2);

    (void) state;
    assert_file(&c, "<pad>_\n<EOS>_\n<0x20>a\n<id_3>\n\xC3\xA9\n");
    cv_says(&c, 0, "cutting: ");
    cv_says(&c, 1, "entries: 2 ");
    tok_conversion_release(&c);
    tok_free(e);
}

static void test_wordpiece(void **state)
{
    static const char vocab[] = "[UNK]\n[CLS]\n[SEP]\nthe\n##n\n";
    struct tok_encoder *e = fm_parse_text(vocab), *hf;
    struct tok_conversion c = {.cased = false};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tok_convert(e, TOK_VOCAB_WORDPIECE, TOK_VOCAB_HF, &c, &err), T2_OK);
    hf = fm_parse(&c.file);
    tok_conversion_release(&c);
    c = cv_convert(hf, TOK_VOCAB_WORDPIECE, 0);
    assert_file(&c, vocab);
    assert_string_equal(c.notes.items[0],
                        "vocab.txt does not say so: read it with do_lower_case=True");
    tok_conversion_release(&c);
    tok_free(hf);
    tok_free(e);
    hf = fm_parse_text("{\"added_tokens\": [{\"id\": 1, \"content\": \"x\"}], \"normalizer\":"
                       " {\"type\": \"NFC\"}, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"},"
                       " \"model\": {\"type\": \"WordPiece\", \"unk_token\": \"u\","
                       " \"continuing_subword_prefix\": \"@\", \"max_input_chars_per_word\": 7,"
                       " \"vocab\": {\"u\": 0, \"x\": 1, \"[CLS]\": 2}}}");
    c = cv_convert(hf, TOK_VOCAB_WORDPIECE, 8);
    cv_says(&c, 0, "normalizer: ");
    cv_says(&c, 1, "pre-tokenizer: ");
    cv_says(&c, 2, "prefix: ");
    cv_says(&c, 3, "words: longer than 7 ");
    cv_says(&c, 4, "unknown: ");
    cv_says(&c, 5, "added tokens: readers");
    cv_says(&c, 6, "added tokens: 1 others");
    cv_says(&c, 7, "ends: ");
    tok_conversion_release(&c);
    tok_free(hf);
}

T_MAIN(cmocka_unit_test(test_subwords), cmocka_unit_test(test_reserved),
       cmocka_unit_test(test_list), cmocka_unit_test(test_wordpiece))
