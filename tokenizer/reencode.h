/*
 * tokenizer/reencode.h - were these ids made with this vocabulary?
 *
 * An encoder is a function of its text, so ids that it made come back when their text is encoded
 * again. Ids of another vocabulary stand for a jumble: most of its words come back, being pieces by
 * themselves, but of whole texts a good part does not.  Texts that were cut anywhere do not come
 * back either, so the share is compared with that of records whose vocabulary is known.  A list of
 * words says nothing: each of its ids is a word.
 */
#ifndef TOK_REENCODE_H
#define TOK_REENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "tokenizer/encoder.h"

struct tok_reencoded {
    uint64_t n_texts, n_same;
};

/* Adds one text; <pad> and <EOS> at its end do not count, ids out of range do not come back. */
void tok_reencode(const struct tok_encoder *e, struct tok_cache *cache, const int64_t *ids,
                  size_t n, struct tok_reencoded *r);

/* In percent. */
double tok_reencoded_share(const struct tok_reencoded *r);

/* Whether r is so like `usual` (ids that are known to be right) that it is of the same vocabulary,
 * or so unlike that it must be of another.  Both are false when there are too few ids to decide, or
 * when `usual` does not come back either. */
bool tok_is_same(const struct tok_reencoded *usual, const struct tok_reencoded *r);
bool tok_is_another(const struct tok_reencoded *usual, const struct tok_reencoded *r);

#endif
