/*
 * train/models/shortlist.h - logits of a few symbols for each source; for model_decoder.c.
 *
 * Of each source the rows of its symbols are gathered from the table of the softmax and packed
 * (device/packed_kernels.h); in each step its hypotheses are multiplied by them alone.  So what a
 * source gets depends on nothing but its own list, to the bit, and the product costs what the lists
 * have in place of the vocabulary.  All of it lies in the block of the search.
 */
#ifndef MDL_SHORTLIST_H
#define MDL_SHORTLIST_H

#include "train/models/choice.h"
#include "train/models/model_parts.h"

struct mdl_shortlist {
    struct mdl_graph gather; /* targets (1,W) to logits (1,W,D): rows of the table; g NULL: none */
    enum dev_type type;      /* of packs */
    int64_t batch, beam, W, D, pack_floats, scratch_floats;
    size_t bytes; /* in the block */
    /* After mdl_shortlist_bind. */
    float *packs; /* (batch, pack_floats) */
    float *bias;  /* (batch, W): 0, and -1e9 behind a list */
    float *scratch;
    float *logits; /* (batch * beam, W) */
    int32_t *ids;  /* (batch, W), on the host: what columns stand for */
};

/* The end of a step: logits, or, with parts->shortlist, what they are a product of; the table is
 * kept there. */
struct gr_tensor *mdl_step_logits(const struct mdl_build *b, struct mdl_step *parts,
                                  struct gr_tensor *x, struct gr_tensor *table);

/* For the step that was built, zeroed before; to be released, also on failure. */
T2_MUST_CHECK enum t2_status mdl_shortlist_build(struct mdl *m, enum dev_type type,
                                                 const struct mdl_step *parts,
                                                 struct mdl_shortlist *s, struct t2_err *err);
void mdl_shortlist_release(struct mdl_shortlist *s);
/* To memory of s->bytes, aligned. */
void mdl_shortlist_bind(struct mdl_shortlist *s, void *place);
/* The list of a source: n ids, 1 to W, ascending, none 0. */
void mdl_shortlist_set(struct mdl_shortlist *s, int32_t source, const int32_t *ids, int32_t n);
/* The logits of x (batch * beam, D) of those that live (NULL: all). */
struct mdl_logit_rows mdl_shortlist_logits(const struct mdl_shortlist *s, const float *x,
                                           const struct dev_live *live);
/* Candidates (batch * beam, n) of the rows that were asked for, by columns, become ids of the
 * vocabulary. */
void mdl_shortlist_name(const struct mdl_shortlist *s, const struct dev_ask *asks,
                        struct dev_candidate *best, int64_t n);

#endif
