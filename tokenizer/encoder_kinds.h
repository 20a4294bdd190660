/*
 * tokenizer/encoder_kinds.h - inside an encoder: what a kind of vocabulary must supply; for the
 * files of this folder only.
 *
 * A new kind is one file with a struct tok_kind, a line in vocab_kinds.c (how a file of it is
 * recognised), and a test.
 */
#ifndef TOK_ENCODER_KINDS_H
#define TOK_ENCODER_KINDS_H

#include "tokenizer/encoder.h"

struct tok_kind {
    const char *name; /* "subwords", "sentencepiece unigram": tok_kind() */
    bool keeps_ids;   /* T2T's own: tok_shift changes nothing */
    /* Appends native ids (before tok_encoder.offset).  ids may be changed on failure. */
    enum t2_status (*encode)(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err);
    /* The same of every line of a text: see tok_encode_lines.  NULL: one after another. */
    enum t2_status (*encode_lines)(const struct tok_encoder *e, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct tok_ends *ends, struct t2_err *err);
    /* Appends the ids of one word, for the word cache (word_cache.h); NULL: the kind has no words.
     * The result depends on the bytes of the word alone. */
    enum t2_status (*cut)(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                          struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err);
    void (*decode)(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text);
    /* Appends the pieces of a text with blanks between, where the entries of its ids do not say
     * all; NULL: they do. */
    enum t2_status (*pieces)(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                             struct t2_buf *out, struct t2_err *err);
    /* Appends the bytes of the vocabulary file; NULL: it has none, or writing it is not known. */
    void (*write)(const struct tok_encoder *e, struct t2_buf *file);
    void (*free_model)(void *model); /* may be NULL */
};

struct tok_encoder {
    const struct tok_kind *kind;
    int32_t n;                /* native ids are 0 ... n-1 */
    int32_t offset;           /* added to native ids: see tok_shift */
    bool is_bare;             /* no special ids around a text: see tok_shift */
    struct t2_slice *entries; /* in text; the bytes a piece is shown as */
    struct t2_buf text;
    char sha256[65];            /* of the file; "" when made in memory */
    struct tok_special special; /* native */
    void *model;                /* of the kind */
};

/* An encoder of n entries, copied; without a model, no special ids. */
struct tok_encoder *tok_encoder_new(const struct tok_kind *kind, const struct t2_slice *entries,
                                    size_t n);

/*
 * Foreign kinds number the bytes of a line by 32 bits, and normal forms can make a line eleven
 * times as long; they refuse lines above this.  T2_EFORMAT names both sizes.
 */
enum { TOK_MAX_LINE_BYTES = 64 << 20 };
T2_MUST_CHECK enum t2_status tok_check_line(const struct tok_encoder *e, size_t len_bytes,
                                            struct t2_err *err);

/* ---- Tensor2Tensor's kinds, for vocab_file.c ---- */

/* Both take the entries in id order; is_quoted: as they stand in the file. */
struct tok_encoder *tok_subwords_of(const struct t2_slice *entries, size_t n, bool is_quoted);
struct tok_encoder *tok_tokens_of(const struct t2_slice *entries, size_t n);

#endif
