/*
 * tokenizer/convert.h - one kind of vocabulary file from another: exactly, or with a list of what
 * differs.
 *
 * Exact means: the program that the new file is for gives every text the ids that the old file's
 * gives. What text comes out of decoding may differ where a vocabulary has ids that no text gives
 * (control pieces, unknown).  docs/vocabularies.md has the table of pairs.
 */
#ifndef TOK_CONVERT_H
#define TOK_CONVERT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tokenizer/encoder.h"

enum tok_vocab_kind {
    TOK_VOCAB_T2T,
    TOK_VOCAB_OFFICIAL, /* the official Transformer's subwords */
    TOK_VOCAB_SENTENCEPIECE,
    TOK_VOCAB_HF, /* tokenizer.json */
    TOK_VOCAB_TIKTOKEN,
    TOK_VOCAB_SUBWORD_NMT,
    TOK_VOCAB_WORDPIECE, /* BERT's vocab.txt: by its content a list */
    TOK_VOCAB_LIST,
    TOK_N_VOCAB_KINDS
};

/* As in --from and --to: "t2t", "official", "sentencepiece", ...; tok_kind's "subwords" and
 * "tokens" are understood too, as t2t and list. */
const char *tok_vocab_kind_name(enum tok_vocab_kind kind);
bool tok_vocab_kind_named(const char *name, enum tok_vocab_kind *kind);
/* What a file was found to be. */
enum tok_vocab_kind tok_vocab_kind_of(const struct tok_encoder *e);
/* May a file that was found to be `found` be taken for `kind`?  Subwords of either dialect, and a
 * list that is a WordPiece vocabulary. */
bool tok_vocab_kind_fits(enum tok_vocab_kind found, enum tok_vocab_kind kind);

struct tok_conversion {
    bool cased;         /* in: a WordPiece vocabulary keeps case and accents */
    int32_t most_chars; /* in: of a word of WordPiece, longer ones are unknown; 0: 100 */
    bool ends; /* in: subwords get a tokenizer.json that ends a text with EOS; pad and EOS are
                * special
                */
    struct t2_buf file;         /* the new file */
    struct t2_strs differences; /* sentences; none: it is exact */
    struct t2_strs notes;       /* settings that its reader must be given */
};
void tok_conversion_release(struct tok_conversion *c);

/* T2_EUNSUPPORTED: there is no such conversion, however much is lost; or this vocabulary cannot be
 * written so at all.  The message says why. */
T2_MUST_CHECK enum t2_status tok_convert(const struct tok_encoder *e, enum tok_vocab_kind from,
                                         enum tok_vocab_kind to, struct tok_conversion *c,
                                         struct t2_err *err);

#endif
