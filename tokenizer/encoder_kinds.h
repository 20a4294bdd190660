/*
 * tokenizer/encoder_kinds.h - inside an encoder; for the files of this folder only.
 */
#ifndef TOK_ENCODER_KINDS_H
#define TOK_ENCODER_KINDS_H

#include "base/map.h"
#include "tokenizer/encoder.h"
#include "tokenizer/escape.h"
#include "tokenizer/trie.h"

enum tok_kind_id { TOK_SUBWORDS, TOK_TOKENS, TOK_BYTES };

struct tok_encoder {
    enum tok_kind_id kind;
    bool is_quoted; /* in its file */
    int32_t n;
    struct t2_slice *entries; /* in text */
    struct t2_buf text;
    char sha256[65];
    /* subwords */
    struct tok_alphabet alphabet;
    struct tok_trie trie;
    uint8_t needs_escape[256]; /* by byte: 1 when a word with it cannot be cut as it stands */
    uint8_t *shapes;           /* by id: what decoding must know of the entry */
    /* tokens */
    struct t2_map *ids; /* entry -> id */
    int32_t unknown;    /* id for other words, or -1 */
};

/* An encoder of n entries, copied; nothing of its kind is set up. */
struct tok_encoder *tok_encoder_new(enum tok_kind_id kind, const struct t2_slice *entries,
                                    size_t n);

/* vocab_file.c: the bytes of the file. */
void tok_write_entries(const struct tok_encoder *e, struct t2_buf *out);

/* subwords.c */
void tok_subwords_prepare(struct tok_encoder *e);
enum t2_status tok_subwords_encode(const struct tok_encoder *e, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct t2_err *err);
void tok_subwords_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text);

/* tokens.c */
void tok_tokens_prepare(struct tok_encoder *e);
enum t2_status tok_tokens_encode(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                                 struct tok_ids *ids, struct t2_err *err);
void tok_tokens_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                       struct t2_buf *text);

#endif
