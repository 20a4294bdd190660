#include <stdlib.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_models.h"

#define CODES                                                                                      \
    "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\na b\nab ab</w>\nl o\nlo w\ne r</w>\n"            \
    "\xC3\xA9 t</w>\n"

/* Letters in the order of the file, t h e i n g a b l o w r e', each within a word and at its end;
 * then the merges. */
enum { UNK, B_END = 16, L = 17, W_END = 22, N_LETTERS = 26 };
enum { TH = N_LETTERS + 1, THE, IN, ING, AB, AB_END, ABAB, LO, LOW, ER, ET };

static void pieces(const struct tok_encoder *e, const char *text, size_t n, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};

    assert_int_equal(tok_pieces(e, NULL, (const uint8_t *) text, n, &out, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

#define PIECES(e, text, want) pieces((e), (text), sizeof(text) - 1, (want))

/* As apply_bpe.py of subword-nmt 0.3.8 prints them. */
static void test_pieces(void **state)
{
    struct tok_encoder *e = fm_parse_text(CODES);

    (void) state;
    PIECES(e, "the", "the");
    PIECES(e, "in the lowing", "i@@ n the low@@ ing");
    PIECES(e, "ing", "ing");
    PIECES(e, "ababab abab", "ab@@ ab@@ a@@ b ab@@ a@@ b");
    PIECES(e, "xin", "x@@ i@@ n");
    PIECES(e, "  the   in ", "  the i@@ n ");
    PIECES(e, "low", "lo@@ w");
    PIECES(e, "l\xC3\xA9t", "l@@ \xC3\xA9t");
    PIECES(e, "the@@ the</w>", "th@@ e@@ @@@ @ th@@ e@@ <@@ /@@ w@@ >");
    PIECES(e, "@@", "@@@ @");
    PIECES(e, "a\tb", "a@@ \t@@ b");
    PIECES(e, "in\r", "i@@ n\r");
    PIECES(e, "the\xC2\xA0the", "th@@ e@@ \xC2\xA0@@ the");
    PIECES(e, "", "");
    PIECES(e, " ", " ");
    tok_free(e);
}

static void test_ids(void **state)
{
    struct tok_encoder *e = fm_parse_text(CODES);
    char want[64];

    (void) state;
    assert_string_equal(tok_kind(e), "subword-nmt codes");
    assert_int_equal(tok_size(e), ET + 1);
    assert_int_equal(tok_special(e).unknown, 0);
    snprintf(want, sizeof want, "%d %d %d %d", THE, LOW, ING, THE);
    FM_IDS(e, " the  lowing the\r\n", want);
    snprintf(want, sizeof want, "%d %d", LO, W_END);
    FM_IDS(e, "low", want);
    snprintf(want, sizeof want, "%d %d %d %d", UNK, IN, UNK, UNK);
    FM_IDS(e, "xin\xFF\0", want);
    snprintf(want, sizeof want, "%d %d", L, ET);
    FM_IDS(e, "l\xC3\xA9t", want);
    FM_IDS(e, "", "");
    FM_IDS(e, " \n", "");
    tok_free(e);
}

static void test_decode(void **state)
{
    struct tok_encoder *e = fm_parse_text(CODES);

    (void) state;
    FM_TEXT(e, "the lowing the", THE, LOW, ING, THE);
    FM_TEXT(e, "low<unk> the", LOW, UNK, THE); /* <unk> ends its word */
    FM_TEXT(e, "lo", LO);
    FM_TEXT(e, "the ing", THE, -1, ET + 1, INT32_MAX, ING);
    assert_memory_equal(tok_entry(e, LOW).data, "low@@", 5);
    assert_memory_equal(tok_entry(e, THE).data, "the", 3);
    fm_comes_back(e, "the ing the lowing", 18);
    tok_shift(e);
    FM_TEXT(e, "<EOS>the", 1, THE + 2);
    tok_free(e);
}

/* Of a merge that is there twice the first counts, as in apply_bpe.py. */
static void test_same_merge_twice(void **state)
{
    struct tok_encoder *e = fm_parse_text("#version: 0.2\na b\nb c\na b\nab c</w>\nb c</w>\n");

    (void) state;
    PIECES(e, "abc", "abc");
    PIECES(e, "bc", "bc");
    PIECES(e, "abcc", "ab@@ c@@ c");
    tok_free(e);
}

static void test_file(void **state)
{
    static const char codes[] = "#version: 0.2\r\na b\r\n\n  \nab c</w> \n# #</w>";
    struct tok_encoder *e = fm_parse_text(codes);
    struct t2_err err = T2_ERR_INIT;
    char *back;
    size_t n;

    (void) state;
    PIECES(e, "abc ##", "abc ##");
    assert_int_equal(tok_save(e, t_tmp_path("codes"), &err), T2_OK);
    back = t_read_file(t_tmp_path("codes"), &n);
    assert_int_equal(n, sizeof codes - 1);
    assert_memory_equal(back, codes, n);
    free(back);
    tok_free(e);
}

static void test_refused(void **state)
{
    (void) state;
    fm_refused_text("#version: 0.1\na b\n", T2_EUNSUPPORTED,
                    "'v': codes of subword-nmt, but not of version 0.2 (ends of words are kept "
                    "elsewhere)");
    fm_refused_text("#version: 0.2\na b\nab\n", T2_EFORMAT,
                    "'v': line 3 is not a merge of two symbols");
    fm_refused_text("#version: 0.2\na b c\n", T2_EFORMAT,
                    "'v': line 2 is not a merge of two symbols");
    fm_refused_text("#version: 0.2\n a\n", T2_EFORMAT, "'v': line 2 is not a merge of two symbols");
    fm_refused_text("#version: 0.2\na  b\n", T2_EFORMAT,
                    "'v': line 2 is not a merge of two symbols");
    fm_refused_text("#version: 0.2\na \xFF\n", T2_EFORMAT,
                    "'v': codes of subword-nmt that are not UTF-8");
}

/* Only what begins with the header is looked at. */
static void test_other_files(void **state)
{
    struct tok_encoder *e = fm_parse_text("#version\nhund\n");

    (void) state;
    assert_string_equal(tok_kind(e), "tokens");
    tok_free(e);
    e = fm_parse_text("#version: \n");
    assert_string_equal(tok_kind(e), "tokens");
    tok_free(e);
}

static void test_truncated(void **state)
{
    (void) state;
    for (size_t n = 1; n < sizeof CODES; n++) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e = NULL;
        uint8_t *copy = t_guarded_alloc(n);

        memcpy(copy, CODES, n);
        if (tok_parse("v", copy, n, &e, &err) == T2_OK)
            tok_free(e);
        else
            assert_string_not_equal(err.message, "");
        t_guarded_free(copy, n);
    }
}

static void test_long_word(void **state)
{
    enum { LENGTH = 300000 };
    struct tok_encoder *e = fm_parse_text(CODES);
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    uint8_t *text = t2_alloc(LENGTH, 1);

    (void) state;
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = i % 2 ? 'b' : 'a';
    assert_int_equal(tok_encode(e, NULL, text, LENGTH, &ids, &err), T2_OK);
    assert_int_equal(ids.n, LENGTH / 2 + 1);
    assert_int_equal(ids.items[0], AB);
    assert_int_equal(ids.items[ids.n - 1], B_END);
    assert_int_equal(tok_pieces(e, NULL, text, ((size_t) 64 << 20) + 1, NULL, &err), T2_EFORMAT);
    t2_free(text);
    tok_ids_release(&ids);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_pieces), cmocka_unit_test(test_ids), cmocka_unit_test(test_decode),
       cmocka_unit_test(test_same_merge_twice), cmocka_unit_test(test_file),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_other_files),
       cmocka_unit_test(test_truncated), cmocka_unit_test(test_long_word))
