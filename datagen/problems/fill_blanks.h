/*
 * datagen/problems/fill_blanks.h - a text becomes two with gaps, each with what the other lacks.
 *
 * "X quick brown X the lazy X" and "The X fox jumps over X dog.": T2T's
 * generator_utils.random_deinterleave, draw for draw.
 */
#ifndef DG_FILL_BLANKS_H
#define DG_FILL_BLANKS_H

#include "base/buf.h"
#include "base/mt19937.h"

/* Replaces both texts.  A text of one word stays whole, the other is empty. */
void dg_fill_blanks(struct t2_mt *mt, struct t2_slice text, struct t2_buf *first,
                    struct t2_buf *second);

#endif
