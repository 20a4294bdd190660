#include <inttypes.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/tokens.h"

static struct tok_encoder *load(const char *content)
{
    const char *path = t_tmp_path("vocab.tokens");
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    t_write_file(path, content, strlen(content));
    if (tok_load(path, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(tok_kind(e), "tokens");
    return e;
}

static void assert_ids(const struct tok_encoder *e, const char *text, const char *want,
                       const char *decoded)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct t2_buf row = {0};

    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) text, strlen(text), &ids, &err), T2_OK);
    for (size_t i = 0; i < ids.n; i++)
        t2_buf_printf(&row, "%s%" PRId32, i > 0 ? " " : "", ids.items[i]);
    assert_string_equal(t2_buf_cstr(&row), want);
    t2_buf_clear(&row);
    tok_decode(e, ids.items, ids.n, &row);
    assert_string_equal(t2_buf_cstr(&row), decoded);
    tok_ids_release(&ids);
    t2_buf_release(&row);
}

static void test_encode(void **state)
{
    static const int32_t outside[] = {3, 9, -1};
    struct tok_encoder *e = load("<pad>\n<EOS>\n<UNK>\nhund\n K\xC3\xA4se \r\nhund\n\nb");
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(tok_size(e), 8);
    assert_ids(e, "", "", "");
    assert_ids(e, "  \t\xC2\xA0 ", "", "");
    assert_ids(e, "hund K\xC3\xA4se", "5 4", "hund K\xC3\xA4se"); /* of equal words the last */
    assert_ids(e, " b\xE3\x80\x80hund\nkatze  b", "7 5 2 7", "b hund <UNK> b");
    assert_ids(e, "<EOS> <pad>", "1 0", "<EOS> <pad>");
    assert_int_equal(tok_encode(e, cache, (const uint8_t *) "b b", 3, &ids, &err), T2_OK);
    assert_int_equal(ids.n, 2);
    tok_decode(e, outside, 3, &text);
    assert_string_equal(t2_buf_cstr(&text), "hund ID_9 ID_-1");
    t2_buf_release(&text);
    tok_ids_release(&ids);
    tok_cache_free(cache);
    tok_free(e);
}

static void test_unknown_words(void **state)
{
    static const struct {
        const char *content, *ids;
    } cases[] = {{"a\nUNK\n<UNK>\n", "0 2"},
                 {"a\n<unk>\nUNK\n", "0 2"},
                 {"a\nx\n<unk>\n", "0 2"},
                 {"<UNK>\na\n", "1 0"}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tok_encoder *e = load(cases[i].content);
        struct tok_ids ids = {0};
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf row = {0};

        assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "a zz", 4, &ids, &err), T2_OK);
        for (size_t k = 0; k < ids.n; k++)
            t2_buf_printf(&row, "%s%" PRId32, k > 0 ? " " : "", ids.items[k]);
        assert_string_equal(t2_buf_cstr(&row), cases[i].ids);
        t2_buf_release(&row);
        tok_ids_release(&ids);
        tok_free(e);
    }
}

static void test_unknown_word_is_an_error(void **state)
{
    struct tok_encoder *e = load("<pad>\n<EOS>\na\n");
    struct tok_ids ids = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tok_ids_push(&ids, 9);
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "a b", 3, &ids, &err), T2_EFORMAT);
    assert_string_equal(err.message, "word 'b' is not in the vocabulary, which has no <UNK> entry");
    assert_int_equal(ids.n, 1); /* as before */
    tok_ids_release(&ids);
    tok_free(e);
}

static void test_options(void **state)
{
    static const char *const words[] = {"x", "<EOS>", "y", "<pad>", "x"};
    struct t2_slice list[5];
    struct tok_encoder *e = load("<UNK>\nb\nc\n");
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct t2_buf file = {0};

    (void) state;
    assert_false(tok_tokens_reserved(e));
    assert_int_equal(tok_special(e).eos, -1);
    assert_ids(e, "a b", "0 1", "<UNK> b");
    assert_int_equal(tok_tokens_replace(e, "c", &err), T2_OK);
    assert_int_equal(tok_special(e).unknown, 2);
    assert_ids(e, "a b", "2 1", "c b");
    assert_int_equal(tok_tokens_replace(e, "d", &err), T2_EFORMAT);
    assert_string_equal(err.message, "the word list has no entry 'd' for unknown words");
    assert_int_equal(tok_tokens_replace(e, NULL, &err), T2_OK);
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "a", 1, &ids, &err), T2_EFORMAT);
    assert_ids(e, "", "", "");
    assert_ids(e, "b b c", "1 1 2", "b b c");
    tok_free(e);
    for (size_t i = 0; i < 5; i++)
        list[i] = t2_slice_of(words[i]);
    e = tok_tokens_of_list(list, 5);
    assert_true(tok_tokens_reserved(e));
    assert_int_equal(tok_special(e).eos, TOK_EOS);
    tok_write(e, &file);
    assert_string_equal(t2_buf_cstr(&file), "<pad>\n<EOS>\nx\ny\nx\n");
    assert_ids(e, "x y", "4 3", "x y");
    tok_free(e);
    t2_buf_release(&file);
    tok_ids_release(&ids);
}

T_MAIN(cmocka_unit_test(test_options), cmocka_unit_test(test_encode),
       cmocka_unit_test(test_unknown_words), cmocka_unit_test(test_unknown_word_is_an_error))
