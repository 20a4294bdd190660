/*
 * tokenizer/byte_bpe.h - byte-level BPE: pieces by a pattern, bytes merged by rank; inside the
 * encoders.
 *
 * GPT-2's scheme, as tiktoken's rank files (tiktoken.c) and tokenizer.json (hf_models.c) hold it.
 */
#ifndef TOK_BYTE_BPE_H
#define TOK_BYTE_BPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "tokenizer/encoder.h"
#include "tokenizer/pretokenize.h"

/* Which two neighbours become which id, and when: the lowest rank first. */
struct tok_merges;
struct tok_merges *tok_merges_new(size_t n_expected);
void tok_merges_free(struct tok_merges *m);
/* A pair that is there already keeps its lower rank. */
void tok_merges_add(struct tok_merges *m, int32_t left, int32_t right, uint32_t rank, int32_t id);
/* A pair that is there already gets the new rank and id. */
void tok_merges_set(struct tok_merges *m, int32_t left, int32_t right, uint32_t rank, int32_t id);

struct tok_byte_bpe {
    enum tok_pattern pattern;
    int32_t bytes[256]; /* id of each single byte; -1: none, then it is left out or unknown */
    struct tok_merges *merges;
    struct t2_map *whole; /* pieces that are one token, not to be merged; NULL: none */
};
void tok_byte_bpe_release(struct tok_byte_bpe *b);

/* Appends the ids of symbols that were merged: n ids in, at most n out. */
void tok_merge_symbols(const struct tok_merges *m, const int32_t *symbols, size_t n,
                       struct tok_ids *out);
/* Ids of one piece. */
void tok_byte_bpe_cut(const struct tok_byte_bpe *b, const uint8_t *piece, size_t len_bytes,
                      struct tok_ids *ids);
/* Ids of a text: its pieces, through the cache when there is one (its encoder's cut must call
 * tok_byte_bpe_cut). */
T2_MUST_CHECK enum t2_status tok_byte_bpe_encode(const struct tok_byte_bpe *b,
                                                 struct tok_cache *cache, const uint8_t *text,
                                                 size_t len_bytes, struct tok_ids *ids,
                                                 struct t2_err *err);

/* tiktoken.c: "<base64> <rank>" lines. */
/* The pattern that a file of so many ranks is read with. */
enum tok_pattern tok_tiktoken_pattern(int32_t n_ranks);
bool tok_tiktoken_looks_like(const void *data, size_t len_bytes);
T2_MUST_CHECK enum t2_status tok_tiktoken_parse(const char *origin, const void *data,
                                                size_t len_bytes, struct tok_encoder **e,
                                                struct t2_err *err);

#endif
