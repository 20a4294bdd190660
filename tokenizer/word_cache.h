/*
 * tokenizer/word_cache.h - ids of words that were cut before; inside the encoders.
 *
 * A word is cut once (tok_kind.cut) and then remembered: a word of up to 15 bytes and three ids
 * takes one slot of 32 bytes and nothing else, two slots one cache line.  Words are looked up in
 * batches, so that the memory of one is fetched while the others are hashed.
 */
#ifndef TOK_WORD_CACHE_H
#define TOK_WORD_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "tokenizer/encoder.h"
#include "tokenizer/word_key.h"

enum { TOK_BATCH = 256 };

/* A word of a batch. */
struct tok_pending {
    const uint8_t *word;
    size_t len_bytes;
    struct tok_key key;
    uint64_t hash;
    size_t ids_end; /* set by tok_cache_encode: ids->n behind this word */
};

/* Fills p for the word at text[at ..]; begins to fetch its slot. */
static inline void tok_cache_prepare(const struct tok_cache *c, struct tok_pending *p,
                                     const uint8_t *text, size_t text_bytes);

/* Appends the ids of n <= TOK_BATCH words in order. */
T2_MUST_CHECK enum t2_status tok_cache_encode(struct tok_cache *c, struct tok_pending *batch,
                                              size_t n, struct tok_ids *ids, struct t2_err *err);

/* ---- the parts that must be inline ---- */

struct tok_cache_slot;
struct tok_cache {
    const struct tok_encoder *e;
    struct tok_cache_slot *slots;
    unsigned slots_log2;
    size_t n_words;
    size_t max_bytes;
    struct tok_ids more_ids;
    struct t2_buf long_words;
    struct t2_buf scratch; /* of cut */
    struct tok_ids cut;
};

enum { TOK_CACHE_SLOT_IDS = 3 };
struct tok_cache_slot {
    struct tok_key key;
    uint32_t n; /* ids; 0 = the slot is free; a high bit is added when they are not in the slot */
    /* The ids of a short word that has few; else ids[0] is where they are in more_ids, and of a
     * long word ids[1] is where its length and bytes are in long_words. */
    int32_t ids[TOK_CACHE_SLOT_IDS];
};

static inline void tok_cache_prepare(const struct tok_cache *c, struct tok_pending *p,
                                     const uint8_t *text, size_t text_bytes)
{
    p->key = tok_key_of(text, text_bytes, (size_t) (p->word - text), p->len_bytes);
    p->hash = tok_key_hash(p->key);
    __builtin_prefetch(&c->slots[p->hash >> (64 - c->slots_log2)]);
}

#endif
