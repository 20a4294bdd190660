/*
 * datagen/problems/algebra_inverse.h - equations and what one of their letters is equal to.
 *
 * "b:c=a*b" and "c/a": algebra_inverse of T2T's algorithmic_math.py, draw for draw.
 */
#ifndef DG_ALGEBRA_INVERSE_H
#define DG_ALGEBRA_INVERSE_H

#include "base/buf.h"
#include "base/mt19937.h"

/* The number that a character of the texts is stored as; 0, the padding, for others. */
int64_t dg_algebra_symbol(char c);
enum { DG_ALGEBRA_SYMBOLS = 35 };

/* The next equation with expressions of min_depth to max_depth operators on top of each other (the
 * side without the letter: from none).  Replaces both texts. */
void dg_algebra_draw(struct t2_mt *mt, int min_depth, int max_depth, struct t2_buf *equation,
                     struct t2_buf *answer);

#endif
