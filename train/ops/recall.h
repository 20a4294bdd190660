/*
 * train/ops/recall.h - what earlier batches left in a state, before what this one has: the memory
 * of Transformer-XL (Dai et al. 2019; transformer_memory.py of Tensor2Tensor, RecentTokensMemory).
 */
#ifndef NN_RECALL_H
#define NN_RECALL_H

#include "train/graph/graph.h"

/*
 * memory (R, M, D) a state, x (B, C, D) with B <= R -> y (B, M + C, D): the memory of the first B
 * rows, and behind it x.  Then the last M positions of y become their memory: in training, and in
 * graphs that are not for training always.  No gradient flows into the memory.
 *
 * It runs once: with remat y is kept, as the memory is another one afterwards.
 */
struct gr_tensor *nn_recall(struct gr_graph *g, struct gr_tensor *memory, struct gr_tensor *x);

#endif
