/*
 * train/graph/frozen_variables.h - variables that a run leaves as they are: found by their names,
 * without slots of an optimizer.
 */
#ifndef GR_FROZEN_VARIABLES_H
#define GR_FROZEN_VARIABLES_H

#include <stdbool.h>

#include "base/err.h"
#include "train/graph/params.h"

/* Patterns joined by '+', one of which is the whole name; '*' stands for any characters, '?' for
 * one. Takes length of pattern times length of name at most. */
bool gr_name_fits(const char *patterns, const char *name);

/*
 * Variables whose names fit are no longer trainable (struct gr_variable): an optimizer leaves them
 * alone, and what it keeps for the others lies in the first n_trained_floats of an arena, as they
 * do.  Graphs leave out gradients that only they would need (gr_finish).
 *
 * Of parameters that are all there and not placed.  T2_EUSAGE: a pattern fits no variable, or
 * nothing is left to train.
 */
T2_MUST_CHECK enum t2_status gr_freeze_variables(struct gr_params *p, const char *patterns,
                                                 struct t2_err *err);

#endif
