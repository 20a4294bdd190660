/*
 * train/ops/mark_rows.h - which positions of a sequence of vectors hold something.
 */
#ifndef NN_MARK_ROWS_H
#define NN_MARK_ROWS_H

#include "train/graph/graph.h"

/* x (B,L,D) -> ids (B,L): 1 where some element of the row is not 0, else 0, which is padding for
 * whoever reads ids (T2T's common_attention.embedding_to_padding). */
struct gr_tensor *nn_mark_rows(struct gr_graph *g, struct gr_tensor *x);

/* The same, but for the last n_marked rows of each sequence, which are 1 whatever they hold. */
struct gr_tensor *nn_mark_rows_but(struct gr_graph *g, struct gr_tensor *x, int64_t n_marked);

#endif
