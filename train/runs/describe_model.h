/*
 * train/runs/describe_model.h - `--describe` of a model: its layers as a table, or as a drawing.
 */
#ifndef TR_DESCRIBE_MODEL_H
#define TR_DESCRIBE_MODEL_H

#include "train/runs/run.h"

/*
 * Of the model, set and data that the options name, without a run: for a layer file a line for each
 * layer, for a built-in model one for each variable.  `to` is "" for a table in *text; or the name
 * of a file that ends in .svg, which gets a drawing of a layer file's layers.
 */
T2_MUST_CHECK enum t2_status tr_describe_model(const struct tr_options *o, const char *to,
                                               struct t2_buf *text, struct t2_err *err);

#endif
