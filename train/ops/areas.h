/*
 * train/ops/areas.h - areas of neighbouring positions as a memory for attention (Li et al. 2019;
 * layers/area_attention.py of Tensor2Tensor, compute_area_features and basic_pool).
 */
#ifndef NN_AREAS_H
#define NN_AREAS_H

#include "train/graph/graph.h"

/* The L positions of a memory lie in `height` rows; one after the other, if that is 1 or does not
 * divide L. */
struct nn_areas {
    int64_t height;
    int64_t most_height, most_width; /* of an area */
};

/* x (B, L, D) -> (B, A, D), with heads > 0 (B, A, heads, D / heads): for each channel what `kind`
 * says of its values in each of the A = L most_height most_width areas (struct dev_areas). */
struct gr_tensor *nn_area_values(struct gr_graph *g, struct gr_tensor *x,
                                 const struct nn_areas *areas, enum dev_area_kind kind,
                                 int64_t heads);

/* (B, A), ids: what a mask says of the areas of L positions.  ids (B, L), NULL where the kind reads
 * none. */
struct gr_tensor *nn_area_ids(struct gr_graph *g, int64_t B, int64_t L, struct gr_tensor *ids,
                              const struct nn_areas *areas, enum dev_area_id_kind kind);

#endif
