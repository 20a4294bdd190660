#include <math.h>
#include <stdlib.h>

#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_models.h"
#include "tests/unit/tokenizer/sentencepiece_says.h"

#define S "\xE2\x96\x81"

enum { TREAT_WHITESPACE_AS_SUFFIX = 24, BYTE_FALLBACK = 35, UNK_ID = 40, UNK_SURFACE = 44 };

static void put_base(struct t2_buf *file)
{
    fm_put_specials(file);
    fm_put_piece(file, S, -1, FM_NORMAL);
    fm_put_piece(file, "a", -2, FM_NORMAL);
    fm_put_piece(file, "b", -3, FM_NORMAL);
    fm_put_piece(file, "ab", -1.5F, FM_NORMAL);
    fm_put_piece(file, "c", -4, FM_NORMAL);
    fm_put_piece(file, S "a", -2.5F, FM_NORMAL);
}

static void put_model(struct t2_buf *file, enum model m)
{
    bool bpe = m == BPE || m == BPE_USER || m == BPE_UNUSED;
    uint32_t field = m == SUFFIX ? TREAT_WHITESPACE_AS_SUFFIX : m == BYTES ? BYTE_FALLBACK : 0;

    put_base(file);
    if (m == UNIGRAM_USER || m == BPE_USER) {
        fm_put_piece(file, "b c", 0, FM_USER);
        fm_put_piece(file, "xx", 0, FM_USER);
        fm_put_piece(file, "aab", 0, FM_USER);
    }
    if (m == UNIGRAM_UNUSED || m == BPE_UNUSED) {
        fm_put_piece(file, "abc", -0.5F, FM_UNUSED);
        fm_put_piece(file, "abca", -0.25F, FM_NORMAL);
    }
    if (m == SUFFIX)
        fm_put_piece(file, "b" S, -1, FM_NORMAL);
    if (m == NO_ESCAPE)
        fm_put_piece(file, " ", -1, FM_NORMAL);
    if (m == BYTES)
        fm_put_byte_pieces(file);
    fm_put_trainer(file, bpe ? FM_BPE : FM_UNIGRAM, field, 1);
    fm_put_normalizer(file, NULL, m != PLAIN_BLANKS, m != PLAIN_BLANKS && m != KEEP_BLANKS,
                      m != NO_ESCAPE);
}

static struct tok_encoder *encoder_of(enum model m)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    put_model(&file, m);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static void test_as_sentencepiece(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        struct tok_encoder *e = encoder_of(says[i].model);
        struct tok_ids ids = {0};
        struct t2_err err = T2_ERR_INIT;

        fm_ids(e, says[i].text, strlen(says[i].text), says[i].ids);
        assert_int_equal(tok_encode(e, NULL, (const uint8_t *) says[i].text, strlen(says[i].text),
                                    &ids, &err),
                         T2_OK);
        fm_text(e, ids.items, ids.n, says[i].back);
        tok_ids_release(&ids);
        tok_free(e);
    }
    for (size_t i = 0; i < sizeof says_back / sizeof *says_back; i++) {
        struct tok_encoder *e = encoder_of(says_back[i].model);

        fm_text(e, says_back[i].ids, (size_t) says_back[i].n, says_back[i].text);
        tok_free(e);
    }
}

static void test_what_it_is(void **state)
{
    struct tok_encoder *e = encoder_of(BPE);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {0};
    char *back;
    size_t n;

    (void) state;
    assert_string_equal(tok_kind(e), "SentencePiece BPE");
    assert_int_equal(tok_size(e), 9);
    assert_int_equal(tok_special(e).unknown, 0);
    assert_int_equal(tok_special(e).bos, 1);
    assert_int_equal(tok_special(e).eos, 2);
    assert_int_equal(tok_special(e).pad, -1);
    assert_memory_equal(tok_entry(e, 8).data, S "a", 4);
    assert_int_equal(tok_save(e, t_tmp_path("model"), &err), T2_OK);
    back = t_read_file(t_tmp_path("model"), &n);
    put_model(&file, BPE);
    assert_int_equal(n, file.len_bytes);
    assert_memory_equal(back, file.data, n);
    free(back);
    t2_buf_release(&file);
    tok_free(e);
    e = encoder_of(UNIGRAM);
    assert_string_equal(tok_kind(e), "SentencePiece unigram");
    tok_shift(e);
    FM_IDS(e, "ab", "5 8");
    FM_TEXT(e, "ab<EOS>", 5, 8, 1);
    tok_free(e);
}

static void test_broken_text(void **state)
{
    struct tok_encoder *e = encoder_of(UNIGRAM), *bytes = encoder_of(BYTES);

    (void) state;
    FM_IDS(e, "a\0b", "8 0 5");
    FM_IDS(e,
           "a\xFF\xC3"
           "b",
           "8 0 5");
    FM_IDS(bytes, "\xFF", "3 248 200 198"); /* U+FFFD: EF BF BD */
    FM_IDS(bytes, "\xED\xA0\x80", "3 248 200 198 248 200 198 248 200 198");
    FM_IDS(bytes, "\0", "3 9");
    tok_free(bytes);
    tok_free(e);
}

static void test_unknown_surface(void **state)
{
    struct t2_buf file = {0}, body = {0};
    struct tok_encoder *e;

    (void) state;
    put_base(&file);
    wb_bytes(&body, UNK_SURFACE, "?!", 2);
    wb_message(&file, 2, &body);
    e = fm_parse(&file);
    FM_TEXT(e, "a?! a", 4, 0, 3, 4);
    tok_free(e);
    t2_buf_release(&body);
    t2_buf_release(&file);
}

/* The base and one piece more is refused. */
static void refused_piece(const char *piece, float score, int type, uint32_t trainer_field,
                          const char *message)
{
    struct t2_buf file = {0};

    put_base(&file);
    fm_put_piece(&file, piece, score, type);
    fm_put_trainer(&file, FM_UNIGRAM, trainer_field, 1);
    fm_refused(&file, T2_EFORMAT, message);
    t2_buf_release(&file);
}

/* All but the last is refused by SentencePiece too. */
static void test_refused(void **state)
{
    struct t2_buf file = {0};

    (void) state;
    refused_piece("ab", -9, FM_NORMAL, 0, "'v': pieces 6 and 9 are the same");
    refused_piece("ab", -9, FM_USER, 0, "'v': pieces 6 and 9 are the same");
    refused_piece("<s>", 0, FM_CONTROL, 0, "'v': pieces 1 and 9 are the same");
    refused_piece("", -9, FM_NORMAL, 0, "'v': piece 9 is empty");
    refused_piece("<u>", 0, FM_UNKNOWN, 0, "'v': pieces 0 and 9 are both the unknown one");
    refused_piece("x", NAN, FM_NORMAL, 0, "'v': the score of piece 9 is no number");
    refused_piece("x", -INFINITY, FM_NORMAL, 0, "'v': the score of piece 9 is no number");
    refused_piece("<0x41>", 0, FM_BYTE, 0, "'v': piece 9 is a byte but byte_fallback is off");
    refused_piece("<0x4g>", 0, FM_BYTE, BYTE_FALLBACK, "'v': piece 9 is a byte without a number");
    refused_piece("<0x00>", 0, FM_BYTE, BYTE_FALLBACK,
                  "'v': byte_fallback without the piece <0x01>");
    fm_put_piece(&file, "a", 0, FM_NORMAL);
    fm_refused(&file, T2_EFORMAT, "'v': a SentencePiece model without an unknown piece");
    t2_buf_clear(&file);
    put_base(&file);
    fm_put_trainer(&file, 3, 0, 0);
    fm_refused(&file, T2_EUNSUPPORTED,
               "'v': a SentencePiece model of type 3; unigram (1) and BPE (2) are known");
    t2_buf_release(&file);
}

/* The piece's type says which one is unknown; unk_id of the trainer is only a spec. */
static void test_unk_id_out_of_range(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    (void) state;
    put_base(&file);
    fm_put_trainer(&file, FM_UNIGRAM, UNK_ID, 999999);
    e = fm_parse(&file);
    FM_IDS(e, "x", "3 0");
    tok_free(e);
    t2_buf_release(&file);
}

static void test_line_too_long(void **state)
{
    struct tok_encoder *e = encoder_of(UNIGRAM);
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};

    (void) state; /* the size alone is looked at */
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "", ((size_t) 64 << 20) + 1, &ids, &err),
                     T2_EFORMAT);
    assert_string_equal(err.message, "a line of 67108865 bytes is too long for SentencePiece "
                                     "unigram, which takes 67108864");
    assert_int_equal(ids.n, 0);
    tok_ids_release(&ids);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_as_sentencepiece), cmocka_unit_test(test_what_it_is),
       cmocka_unit_test(test_broken_text), cmocka_unit_test(test_unknown_surface),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_unk_id_out_of_range),
       cmocka_unit_test(test_line_too_long))
