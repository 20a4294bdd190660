/*
 * test_data_set_ids.c - vocabularies of other programs in data sets: ids that are raised, names of
 * files.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_vocabs.h"
#include "tokenizer/encoder.h"

static struct tok_encoder *parsed(const char *text)
{
    struct tok_encoder *e = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (tok_parse("here", text, strlen(text), &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    return e;
}

static void check(const struct tok_encoder *e, const char *text, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_buf row = {NULL, 0, 0};

    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) text, strlen(text), &ids, &err), T2_OK);
    for (size_t i = 0; i < ids.n; i++)
        t2_buf_printf(&row, "%s%d", i > 0 ? " " : "", (int) ids.items[i]);
    assert_string_equal(t2_buf_cstr(&row), want);
    t2_buf_clear(&row);
    tok_decode(e, ids.items, ids.n, &row);
    assert_string_equal(t2_buf_cstr(&row), text);
    tok_ids_release(&ids);
    t2_buf_release(&row);
}

/* Models of other programs make room for <pad> and <EOS>, and leave special ids around a text
 * out. */
static void test_shift_models(void **state)
{
    static const int32_t with_reserved[] = {0, 5, 1, 1};
    struct tok_encoder *e = parsed(t_wordpiece_json);
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    check(e, "ab c", "1 3 4 5 2");
    assert_int_equal(tok_offset(e), 0);
    tok_shift(e);
    check(e, "ab c", "5 6 7");
    assert_int_equal(tok_offset(e), 2);
    assert_int_equal(tok_size(e), 8);
    assert_int_equal(tok_special(e).pad, TOK_PAD);
    assert_int_equal(tok_special(e).eos, TOK_EOS);
    assert_int_equal(tok_special(e).unknown, 2);
    assert_int_equal(tok_special(e).bos, 3);
    assert_true(t2_slice_eq(tok_entry(e, 6), t2_slice_of("##b")));
    assert_true(t2_slice_eq(tok_entry(e, 1), t2_slice_of("<EOS>")));
    assert_int_equal(tok_entry(e, 8).len_bytes, 0);
    tok_decode(e, with_reserved, 4, &text);
    assert_string_equal(t2_buf_cstr(&text), "<pad>a<EOS><EOS>");
    tok_free(e);
    e = parsed(t_nmt_codes);
    check(e, "b ab cba", "4 7 5 3 2");
    tok_shift(e);
    tok_shift(e); /* once is enough */
    check(e, "b ab cba", "6 9 7 5 4");
    tok_free(e);
    t2_buf_release(&text);
}

static void test_file_names(void **state)
{
    static const struct {
        const char *text, *suffix;
    } kinds[] = {{"cat\ndog\n", "tokens"},
                 {t_wordpiece_json, "tokenizer.json"},
                 {t_nmt_codes, "subword-nmt"},
                 {"'<pad>_'\n'<EOS>_'\n", "subwords"}};

    (void) state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tok_encoder *e = parsed(kinds[i].text);
        char suffix[TOK_FILE_SUFFIX_BYTES], name[100];

        tok_file_suffix(e, suffix);
        assert_string_equal(suffix, kinds[i].suffix);
        snprintf(name, sizeof name, "a/vocab.x.9.%s", suffix);
        assert_true(tok_is_data_set_file(e, name));
        assert_true(tok_is_data_set_file(e, name + 2));
        snprintf(name, sizeof name, "vocab.x.9.%s.source", suffix);
        assert_true(tok_is_data_set_file(e, name));
        snprintf(name, sizeof name, "vocab.x/9.%s", suffix);
        assert_false(tok_is_data_set_file(e, name));
        assert_false(tok_is_data_set_file(e, "vocab.x.9.model"));
        tok_free(e);
    }
}

T_MAIN(cmocka_unit_test(test_shift_models), cmocka_unit_test(test_file_names))
