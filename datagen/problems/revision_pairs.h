/*
 * datagen/problems/revision_pairs.h - two revisions of a page become pairs of short texts (T2T's
 * wiki_revision.py): errors are brought into the old one, both are aligned, and cut at random
 * places of what they have in common.
 *
 * What is drawn, and in which order, is the original's under Python 3: random.random() for each
 * character, then for the cuts, then for each pair that is the same on both sides.
 */
#ifndef DG_REVISION_PAIRS_H
#define DG_REVISION_PAIRS_H

#include "base/buf.h"
#include "base/mt19937.h"
#include "datagen/problems/match_ids.h"
#include "tokenizer/encoder.h"

/* Counts for the report of a shard. */
struct dg_pair_counts {
    uint64_t pairs, identical, too_long, thrown_identical, thrown_distance;
    uint64_t with_errors, errors; /* revisions with errors; errors */
    uint64_t source_tokens, target_tokens;
};

/* Zero-initialise but for the first three; dg_pairs_release. */
struct dg_pairs {
    size_t max_length;        /* ids of a side, EOS among them; longer pairs are left out */
    double percent_identical; /* share of pairs that are the same on both sides */
    double
        max_equal_to_diff; /* more different than so many times the equal ids: left out; 0: never */
    struct t2_mt mt;
    struct dg_pair_counts counts;
    struct dg_matcher matcher, inner;
    struct dg_cut {
        size_t i, j;
    } * cuts;
    size_t n_cuts, cuts_capacity;
    uint32_t *places; /* of the characters of a text */
    size_t places_capacity;
};
void dg_pairs_release(struct dg_pairs *p);

/*
 * text with errors to *out (replaced), valid UTF-8 both: at a character in about 333 one is left
 * out, put in, replaced, exchanged with the next, or up to eight are replaced by "|?|".  Texts
 * shorter than 2^32 bytes.  introduce_errors
 */
void dg_pairs_bring_errors(struct dg_pairs *p, struct t2_slice text, struct t2_buf *out);

/* A pair, without EOS; borrowed.  Stops at a failure. */
typedef enum t2_status (*dg_pair_fn)(void *context, const int32_t *source, size_t n_source,
                                     const int32_t *target, size_t n_target, struct t2_err *err);
/* The pairs of two revisions, in order.  make_examples */
T2_MUST_CHECK enum t2_status dg_pairs_cut(struct dg_pairs *p, const struct tok_ids *old_ids,
                                          const struct tok_ids *new_ids, dg_pair_fn give,
                                          void *context, struct t2_err *err);

#endif
