/*
 * tests/unit/tokenizer/sp_cuts.h - random SentencePiece models over the letters a, b, c and U+00E9,
 * for the two ways to cut a text.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_SP_CUTS_H
#define T2_TESTS_UNIT_TOKENIZER_SP_CUTS_H

#include "tests/unit/tokenizer/foreign_models.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/sentencepiece.h"

enum { SC_PIECES = 40, SC_SPECIALS = 3 };

static const char *const sc_letters[] = {"a", "b", "c", "\xC3\xA9"};

/* A text of n letters; to has room for 2n + 1 bytes. */
static inline void sc_text(uint64_t seed, size_t n, char *to)
{
    *to = 0;
    for (size_t i = 0; i < n; i++) {
        const char *letter = sc_letters[t_hash64(seed * 1000 + i) % 4];

        memcpy(to, letter, strlen(letter) + 1);
        to += strlen(letter);
    }
}

/* Distinct pieces of one to five letters after the specials; their scores are multiples of 1/8, so
 * that sums are exact.  Some letters have no piece.  user, unused: now and then a piece is of this
 * type. */
static inline struct tok_encoder *sc_model(uint64_t seed, int model_type, bool user, bool unused)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;
    char pieces[SC_PIECES][16];
    size_t n = 0;

    fm_put_specials(&file);
    for (size_t i = 0; n < SC_PIECES && i < 400; i++) {
        uint64_t h = t_hash64(seed * 5000 + i);
        int type = user && h >> 60 == 0 ? FM_USER : unused && h >> 60 == 1 ? FM_UNUSED : FM_NORMAL;
        bool is_new = true;

        sc_text(h, 1 + h % 5, pieces[n]);
        for (size_t k = 0; k < n; k++)
            is_new &= strcmp(pieces[k], pieces[n]) != 0;
        if (!is_new)
            continue;
        fm_put_piece(&file, pieces[n], -(float) (h >> 8 & 63) / 8, type);
        n++;
    }
    fm_put_trainer(&file, model_type, 0, 0);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static inline void sc_cut_release(struct tok_sp_cut *cut)
{
    tok_ids_release(&cut->ids);
    tok_ids_release(&cut->lengths);
}

/* The pieces cover the text, and each is what its id says, unless it is unknown. */
static inline void sc_check_cover(const struct tok_sp_model *m, const char *text,
                                  const struct tok_sp_cut *cut)
{
    size_t at = 0;

    assert_int_equal(cut->ids.n, cut->lengths.n);
    for (size_t i = 0; i < cut->ids.n; i++) {
        struct t2_slice piece = m->pieces[cut->ids.items[i]];
        size_t n = (size_t) cut->lengths.items[i];

        if (cut->ids.items[i] != m->unknown) {
            assert_int_equal(piece.len_bytes, n);
            assert_memory_equal(piece.data, text + at, n);
        }
        at += n;
    }
    assert_int_equal(at, strlen(text));
}

#endif
