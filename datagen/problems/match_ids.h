/*
 * datagen/problems/match_ids.h - what two sequences of ids have in common (T2T's
 * fast_match_sequences).
 */
#ifndef DG_MATCH_IDS_H
#define DG_MATCH_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a[i1:i2] beside b[j1:j2]. */
struct dg_match {
    bool is_equal;
    size_t i1, i2, j1, j2;
};

/* Zero-initialise; dg_matcher_release.  Used again for the next two. */
struct dg_matcher {
    struct dg_match *items; /* of the last call, in order; they cover a and b */
    size_t n, capacity;
    struct dg_first { /* of each id */
        uint32_t place, turn;
    } * firsts;
    size_t n_firsts;
    uint32_t turn;
};
void dg_matcher_release(struct dg_matcher *m);

/*
 * Aligns a and b; ids are 0 or more, sequences shorter than 2^32.  The longest run that is found
 * first stays, then what is before and behind it the same way, to a depth of 128: runs are looked
 * for at the first place of an id in b only, so the longest may be missed.  Runs shorter than 3
 * count as different; one that touches both beginnings, or both ends, counts as 3 longer.
 */
void dg_match_ids(struct dg_matcher *m, const int32_t *a, size_t n_a, const int32_t *b, size_t n_b);

#endif
