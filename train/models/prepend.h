/*
 * train/models/prepend.h - what follows from the zero between inputs and targets of one row (hparam
 * prepend_mode).
 */
#ifndef MDL_PREPEND_H
#define MDL_PREPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "train/models/hparams.h"

/* Are the labels of a batch those of mdl_prepend_labels, and not the ids? */
bool mdl_prepend_has_labels(const struct mdl_hparams *hp);

/* The ids (rows, length) with 0 up to and including the first 0 of each row: what counts in the
 * loss. common_layers.weights_prepend_inputs_to_targets. */
void mdl_prepend_labels(const int32_t *ids, int64_t rows, int64_t length, int32_t *labels);

/* A position sees those of no higher level: 0 up to the first 0, then rising.
 * common_attention.attention_bias_prepend_inputs_full_attention. */
void mdl_prepend_levels(const int32_t *ids, int64_t rows, int64_t length, int32_t *levels);

#endif
