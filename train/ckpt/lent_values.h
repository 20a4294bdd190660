/*
 * train/ckpt/lent_values.h - variables used where they lie in a mapped file, without a copy.
 *
 * A file that has the variables of a model, float32, in their order and without gaps, as all that
 * are written here have where sizes are multiples of 256 bytes, is what gr_params has in memory.
 */
#ifndef CKPT_LENT_VALUES_H
#define CKPT_LENT_VALUES_H

#include <stdbool.h>

#include "train/ckpt/safetensors.h"
#include "train/graph/params.h"

/* Can the params borrow the file's variables?  If so, what is read stays in memory (ckpt_forget
 * does nothing). */
bool ckpt_can_lend(struct ckpt_file *f, const struct gr_params *params);
/* What can be lent.  The params own the map then; the file can only be closed. */
void ckpt_lend(struct ckpt_file *f, struct gr_params *params);

#endif
