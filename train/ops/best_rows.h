/*
 * train/ops/best_rows.h - the most likely id of every row, without the logits of all rows.
 */
#ifndef NN_BEST_ROWS_H
#define NN_BEST_ROWS_H

#include "train/graph/graph.h"

/*
 * best (rows): of each row of logits = x table^T the id of the largest, of equals the lowest, as a
 * struct dev_candidate (search_kernels.h; its id is -1 where a logit is not a number).  x (rows, K)
 * or (B, L, K), table (V, K).  Logits are made for some rows at a time.  Inference only.
 *
 * The tensor is of floats, two an element; whoever downloads it reads candidates.
 */
struct gr_tensor *nn_best_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table);

#endif
