/*
 * tests/unit/tokenizer/test_write_hf_subwords.c - T2T's subwords as tokenizer.json: what is
 * written, and what it gives when it is read again.  That tokenizers reads it so is
 * bench/check_t2t_to_hf.py's.
 */
#include "base/base64.h"
#include "base/json.h"
#include "tests/unit/tokenizer/conversions.h"
#include "tokenizer/sentencepiece.h"

#define LETTERS "'\\'\n'_'\n'u'\n';'\n'0'\n'1'\n'2'\n'3'\n'4'\n'5'\n'6'\n'7'\n'8'\n'9'\n"

static struct t2_json_doc *written(const char *vocabulary)
{
    struct tok_encoder *e = fm_parse_text(vocabulary);
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_HF, 2);
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;

    cv_says(&c, 0, "encoding: code points without a character");
    cv_says(&c, 1, "decoding: characters that the vocabulary spells by number");
    if (t2_json_parse((const char *) c.file.data, c.file.len_bytes, "c", &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    tok_conversion_release(&c);
    tok_free(e);
    return doc;
}

static const struct t2_json_value *normalizers(const struct t2_json_doc *doc)
{
    return t2_json_get(t2_json_get(t2_json_root(doc), "normalizer"), "normalizers");
}

static const struct t2_json_value *model(const struct t2_json_doc *doc)
{
    return t2_json_get(t2_json_root(doc), "model");
}

/* Of equal entries the last; the unknown token is never an entry. */
static void test_model(void **state)
{
    struct t2_json_doc *doc = written("'<pad>_'\n'<EOS>_'\n'a_'\n'[UNK]'\n'a_'\n'a'\n" LETTERS);
    const struct t2_json_value *vocab = t2_json_get(model(doc), "vocab");

    (void) state;
    assert_string_equal(t2_json_as_string(t2_json_get(model(doc), "unk_token"), ""), "[UNK]_");
    assert_string_equal(t2_json_as_string(t2_json_get(model(doc), "continuing_subword_prefix"),
                                          "?"),
                        "");
    assert_int_equal(t2_json_as_i64(t2_json_get(vocab, "<pad>_"), -1), 0);
    assert_int_equal(t2_json_as_i64(t2_json_get(vocab, "a_"), -1), 4);
    assert_int_equal(t2_json_as_i64(t2_json_get(vocab, "a"), -1), 5);
    assert_int_equal(t2_json_size(vocab), 19);
    t2_json_free(doc);
}

/* Characters of the alphabet are not in the map, others are, with their numbers. */
static void test_map(void **state)
{
    struct t2_json_doc *doc = written("'<pad>'\n'<EOS>'\n'\xC3\xA9_'\n" LETTERS);
    const struct t2_json_value *steps = normalizers(doc), *step = NULL;
    struct tok_sp_normalizer map;
    struct t2_buf file = {NULL, 0, 0};
    struct t2_slice to;

    (void) state;
    for (size_t i = 0; i < t2_json_size(steps); i++) {
        const struct t2_json_value *s = t2_json_item(steps, i);

        if (t2_json_get(s, "precompiled_charsmap"))
            step = t2_json_get(s, "precompiled_charsmap");
    }
    assert_true(t2_base64_decode(t2_slice_of(t2_json_as_string(step, "")), &file));
    assert_true(tok_sp_map_of(t2_buf_slice(&file), &map));
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "\xC3\xA9", 2, &to), 0);
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "_", 1, &to), 0);
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "\n", 1, &to), 0);
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "\xC3\xA8", 2, &to), 2);
    assert_true(t2_slice_eq(to, t2_slice_of("\\232;")));
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "A", 1, &to), 1);
    assert_true(t2_slice_eq(to, t2_slice_of("\\65;")));
    assert_int_equal(tok_sp_map_shortest(&map, (const uint8_t *) "\xF0\x9F\x98\x80", 4, &to), 4);
    assert_true(t2_slice_eq(to, t2_slice_of("\\128512;")));
    t2_buf_release(&file);
    t2_json_free(doc);
}

#define READ_BACK                                                                                  \
    "'<pad>_'\n'<EOS>_'\n'a_'\n'ab'\n'\xC3\xA9_'\n'\\u'\n'.'\n' '\n'<'\n'>'\n'p'\n'a'\n'd'\n'b'\n" \
    "'E'\n'O'\n'S'\n'\xC3\xA9'\n" LETTERS

/* Words, escapes, characters by number, marks that make one cluster, blanks of all kinds. */
static void test_read_back(void **state)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "_",
                                        "a ab  aba",
                                        " a",
                                        "a ",
                                        "a_b",
                                        "__",
                                        "\\",
                                        "\\u \\\\ \\95;",
                                        "a.b. .a",
                                        "\xC3\xA9 a\xC3\xA9",
                                        "e\xCC\x81\xCC\xA3 \xCC\x81",
                                        "\xE6\x97\xA5 \xEF\xBF\xBD",
                                        "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9 \xEA\xB0\x80",
                                        "a\nb\r\nc\r\n\xC3\xA9",
                                        "a\tb\x01\x7F",
                                        "\xD9\xA4"
                                        "a\xC2\xBD",
                                        "<EOS> <pad>",
                                        "a\xC2\xA0 \xE3\x80\x80"
                                        "b"};
    struct tok_encoder *e = fm_parse_text(READ_BACK);
    struct tok_conversion c = cv_convert(e, TOK_VOCAB_HF, 2);
    struct tok_encoder *read = fm_parse(&c.file);

    (void) state;
    cv_same(e, read, texts, sizeof texts / sizeof *texts);
    fm_comes_back(read, "a_b \\ \xC3\xA9. a\nX", sizeof "a_b \\ \xC3\xA9. a\nX" - 1);
    tok_conversion_release(&c);
    tok_free(read);
    tok_free(e);
}

/* As a model wants its inputs: EOS behind each text, and pad and EOS leave no text. */
static void test_ends(void **state)
{
    struct tok_encoder *e = fm_parse_text(READ_BACK), *read;
    struct tok_conversion c = {.ends = true};
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids plain = {0}, ended = {0};

    (void) state;
    assert_int_equal(tok_convert(e, TOK_VOCAB_T2T, TOK_VOCAB_HF, &c, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&c.file), "\"TemplateProcessing\"");
    t_assert_contains(t2_buf_cstr(&c.file), "\"special\": true");
    read = fm_parse(&c.file);
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "a ab", 4, &plain, &err), T2_OK);
    assert_int_equal(tok_encode(read, NULL, (const uint8_t *) "a ab", 4, &ended, &err), T2_OK);
    assert_int_equal(ended.n, plain.n + 1);
    assert_int_equal(ended.items[plain.n], TOK_EOS);
    assert_memory_equal(ended.items, plain.items, plain.n * sizeof *plain.items);
    tok_ids_release(&plain);
    tok_ids_release(&ended);
    tok_conversion_release(&c);
    tok_free(read);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_map), cmocka_unit_test(test_read_back),
       cmocka_unit_test(test_ends))
