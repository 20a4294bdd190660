/*
 * tokenizer/encoder.h - one interface for every kind of vocabulary: text <-> ids.
 *
 * Ids 0 and 1 are <pad> and <EOS>; encoders never append EOS (the problem does).
 */
#ifndef TOK_ENCODER_H
#define TOK_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { TOK_PAD = 0, TOK_EOS = 1 };

/* Growable list of ids; zero-initialise. */
struct tok_ids {
    int32_t *items;
    size_t n;
    size_t capacity;
};
void tok_ids_push(struct tok_ids *ids, int32_t id);
void tok_ids_append(struct tok_ids *ids, const int32_t *items, size_t n);
void tok_ids_release(struct tok_ids *ids);

struct tok_encoder; /* immutable after loading: shared by threads */
struct tok_cache;   /* word cache of one thread; optional */

/* Loads a vocabulary file; the kind is found by content: T2T subwords ('…' quoted or plain lines
 * beginning with <pad>), T2T tokens.  T2_EFORMAT names the line. */
T2_MUST_CHECK enum t2_status tok_load(const char *path, struct tok_encoder **e, struct t2_err *err);
/* Of entries in memory (id order); copied. */
struct tok_encoder *tok_subwords_new(const struct t2_slice *entries, size_t n);
/* UTF-8 bytes + 2; no file. */
struct tok_encoder *tok_bytes_new(void);
void tok_free(struct tok_encoder *e);

struct tok_cache *tok_cache_new(const struct tok_encoder *e, size_t max_bytes);
void tok_cache_free(struct tok_cache *c);

/* Appends the ids of text (valid UTF-8).  cache may be NULL.  T2_EFORMAT when a character cannot be
 * encoded (hand-made vocabularies only). */
T2_MUST_CHECK enum t2_status tok_encode(const struct tok_encoder *e, struct tok_cache *cache,
                                        const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                        struct t2_err *err);
/* Appends the text of ids.  Out of range ids decode to nothing, as in the original. */
void tok_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text);

int32_t tok_size(const struct tok_encoder *e);           /* number of ids, for the embedding */
struct t2_slice tok_entry(const struct tok_encoder *e, int32_t id); /* the raw piece */
const char *tok_kind(const struct tok_encoder *e);       /* "subwords", "tokens", "bytes" */
void tok_sha256(const struct tok_encoder *e, char hex[65]); /* of the file it was loaded from, or
                                                               of what tok_save would write */
T2_MUST_CHECK enum t2_status tok_save(const struct tok_encoder *e, const char *path,
                                      struct t2_err *err);

#endif
