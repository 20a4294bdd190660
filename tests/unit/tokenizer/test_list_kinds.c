/*
 * tests/unit/tokenizer/test_list_kinds.c - lists that are no lists of words are told from those
 * that are.
 */
#include "tokenizer/list_kinds.h"

#include "tests/unit/tokenizer/foreign_models.h"

#define MARK "\xE2\x96\x81"

static void no_words(const char *file, const char *what)
{
    struct tok_encoder *e = fm_parse_text(file);
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {NULL, 0, 0};

    assert_string_equal(tok_kind(e), "tokens"); /* its entries can be seen */
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "the", 3, &ids, &err), T2_EFORMAT);
    t_assert_contains(err.message, what);
    tok_ids_release(&ids);
    tok_free(e);
}

static void test_pieces(void **state)
{
    (void) state;
    no_words("[PAD]\n[UNK]\nthe\n##s\n", "WordPiece");
    no_words("<unk>\n<s>\n</s>\n" MARK "the\n" MARK "c\nat\n", "lingvo");
}

static void test_words(void **state)
{
    static const char *const files[] = {"the\n##s\n<unk>\n", "[UNK]\nthe\n##\n",
                                        "<unk>\n" MARK "\nthe\n", MARK "the\nthe\nUNK\n",
                                        "<pad>\n<EOS>\nthe\n<UNK>\n"};

    (void) state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tok_encoder *e = fm_parse_text(files[i]);
        struct t2_err err = T2_ERR_INIT;
        struct tok_ids ids = {NULL, 0, 0};

        assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "the", 3, &ids, &err), T2_OK);
        assert_int_equal(ids.n, 1);
        tok_ids_release(&ids);
        tok_free(e);
    }
}

static void test_tables(void **state)
{
    const struct t2_slice scores[] = {t2_slice_of("<unk>\t0"), t2_slice_of("a\tb\t-1.5")};
    const struct t2_slice ids[] = {t2_slice_of("<unk>\t0"), t2_slice_of("the\t1")};
    const struct t2_slice words[] = {t2_slice_of("<unk>\t0"), t2_slice_of("the")};
    struct t2_slice entry;
    double number;

    (void) state;
    t_assert_contains(tok_table_of_entries(scores, 2), "--from=spm-vocab");
    t_assert_contains(tok_table_of_entries(ids, 2), "with their ids");
    assert_null(tok_table_of_entries(words, 2));
    assert_null(tok_table_of_entries(words, 0));
    assert_true(tok_table_line(scores[1], &entry, &number));
    assert_true(t2_slice_eq(entry, t2_slice_of("a\tb")) && number == -1.5);
    assert_false(tok_table_line(t2_slice_of("\t1"), &entry, &number));
    assert_false(tok_table_line(t2_slice_of("a\t"), &entry, &number));
    assert_false(tok_table_line(t2_slice_of("a\tx"), &entry, &number));
    assert_false(
        tok_table_line((struct t2_slice){(const uint8_t *) "a\t1\0x", 5}, &entry, &number));
    assert_false(tok_table_line((struct t2_slice){NULL, 0}, &entry, &number));
}

T_MAIN(cmocka_unit_test(test_pieces), cmocka_unit_test(test_words), cmocka_unit_test(test_tables))
