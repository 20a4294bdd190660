#include "tests/unit/tokenizer/conversions.h"
#include "tokenizer/hf_tokenizer.h"

static void test_back(void **state)
{
    struct tok_encoder *e = cv_ranks(), *hf = cv_read(e, TOK_VOCAB_HF);
    struct tok_conversion a = cv_convert(e, TOK_VOCAB_TIKTOKEN, 0);
    struct tok_conversion b = cv_convert(hf, TOK_VOCAB_TIKTOKEN, 0);

    (void) state;
    assert_string_equal(t2_buf_cstr(&a.file), t2_buf_cstr(&b.file));
    tok_conversion_release(&a);
    tok_conversion_release(&b);
    tok_free(hf);
    tok_free(e);
}

/* A byte-level vocabulary of bytes, x, y and xy, merges as given. */
static struct tok_encoder *byte_level(const char *before, const char *vocab, const char *merges)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    t2_buf_printf(&file,
                  "{%s \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false},"
                  " \"decoder\": {\"type\": \"ByteLevel\"}, \"model\": {\"type\": \"BPE\", "
                  "\"vocab\": {",
                  before);
    for (unsigned b = 0; b < 256; b++) {
        uint8_t c[4];
        size_t n = tok_hf_byte_char((uint8_t) b, c);
        t2_buf_puts(&file, c[0] == '"' || c[0] == '\\' ? "\"\\" : "\"");
        t2_buf_append(&file, c, n);
        t2_buf_printf(&file, "\": %u, ", b);
    }
    t2_buf_printf(&file, "%s}, \"merges\": [%s]}}", vocab, merges);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static void test_differences(void **state)
{
    struct tok_encoder *e = byte_level(
        "\"added_tokens\": [{\"id\": 258, \"content\": \"<|e|>\"}], \"normalizer\": {\"type\": "
        "\"NFC\"}, \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": "
        "[{\"SpecialToken\": {\"id\": \"s\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", "
        "\"type_id\": 0}}], \"special_tokens\": {\"s\": {\"id\": \"s\", \"ids\": [258], "
        "\"tokens\": "
        "[\"s\"]}}},",
        "\"xy\": 257, \"ab\": 256", "\"x y\", \"a b\"");
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_TIKTOKEN, 4);

    (void) state;
    cv_says(&c, 0, "normalizer: ");
    cv_says(&c, 1, "ends: ");
    cv_says(&c, 2, "added tokens: 1 (the first is '<|e|>', id 258) ");
    cv_says(&c, 3, "merges: 1 entries have a higher id than others that are merged after them");
    tok_conversion_release(&c);
    tok_free(e);
    e = byte_level("", "\"xyz\": 256", "");
    c = cv_convert(e, TOK_VOCAB_TIKTOKEN, 1);
    cv_says(&c, 0, "pieces: 1 entries are made by no merge");
    tok_conversion_release(&c);
    tok_free(e);
    e = byte_level("", "\"xyz\": 256, \"xy\": 257", "\"x y\"");
    c = cv_convert(e, TOK_VOCAB_TIKTOKEN, 2);
    cv_says(&c, 0, "merges: 1 entries are not merged so here");
    cv_says(&c, 1, "pieces: 1 entries are made by no merge");
    tok_conversion_release(&c);
    tok_free(e);
}

static void test_refused(void **state)
{
    struct tok_encoder *e = cv_llama("", CV_MERGES);

    (void) state;
    cv_refused(e, TOK_VOCAB_HF, TOK_VOCAB_TIKTOKEN,
               "'tokenizer.json BPE' is not byte-level BPE, which alone has tiktoken's form");
    tok_free(e);
    e = fm_parse_text("{\"pre_tokenizer\": {\"type\": \"ByteLevel\"}, \"decoder\": {\"type\": "
                      "\"ByteLevel\"}, \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, "
                      "\"merges\": []}}");
    cv_refused(e, TOK_VOCAB_HF, TOK_VOCAB_TIKTOKEN,
               "the byte 0x00 has no token, which tiktoken needs");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_back), cmocka_unit_test(test_differences),
       cmocka_unit_test(test_refused))
