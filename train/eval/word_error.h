/*
 * train/eval/word_error.h - word error rate and character error rate, as jiwer 4 computes them:
 * edits (substitutions, deletions, insertions) by words, or characters, of the reference.
 */
#ifndef EV_WORD_ERROR_H
#define EV_WORD_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "train/eval/word_ids.h"

/* Product of the lengths of two texts that are aligned: two bits each are kept. */
#define EV_MAX_ALIGNED (UINT64_C(1) << 32)

struct ev_edits {
    uint64_t hits, substitutions, deletions, insertions;
};

/* (S + D + I) / (H + S + D); without a word in the references the number of insertions. */
double ev_error_rate(const struct ev_edits *e);

struct ev_error; /* working memory of one thread */

struct ev_error *ev_error_new(void);
void ev_error_free(struct ev_error *e);
/* Adds the edits of one line, of words or of characters.  Lines are UTF-8.  T2_EFORMAT: they are
 * too long to be aligned. */
T2_MUST_CHECK enum t2_status ev_error_line(struct ev_error *e, struct t2_slice hypothesis,
                                           struct t2_slice reference, bool characters,
                                           struct ev_edits *edits, struct t2_err *err);
/* The same of words that have numbers already: below the number of words of both. */
T2_MUST_CHECK enum t2_status ev_error_ids(struct ev_error *e, const struct ev_ids *hypothesis,
                                          const struct ev_ids *reference, struct ev_edits *edits,
                                          struct t2_err *err);

#endif
