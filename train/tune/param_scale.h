/*
 * train/tune/param_scale.h - the values of one hparam along its scale: from a share of the way to a
 * value, and back.
 *
 * A share is evenly in the value (linear), in its logarithm (log), or in that of min + max - value
 * (reverse_log); 0 is min, 1 is max.
 */
#ifndef TUNE_PARAM_SCALE_H
#define TUNE_PARAM_SCALE_H

#include <stdbool.h>

#include "train/tune/hparam_range.h"

/* How many whole numbers a TUNE_INT has. */
double tune_whole_values(const struct tune_param *p);
/* The value at a share of the way from min to max, not rounded. */
double tune_value_at(const struct tune_param *p, double share);
/* The value that has the share: of a TUNE_INT the whole number in whose bin it lies; bins have the
 * same width along [min, max + 1). */
double tune_value_drawn(const struct tune_param *p, double share);
/* The share that a value has which is drawn so: of a TUNE_INT the middle of the bin. */
double tune_share_drawn(const struct tune_param *p, double share);
/* Appends a value of a TUNE_FLOAT with six digits, which are its value; of a TUNE_INT, whole. */
void tune_put_value(const struct tune_param *p, double value, struct t2_buf *out);

/* Where a value lies: of a TUNE_FLOAT its share, twice; of a TUNE_INT the ends of its bin; of one
 * of `values` its index, twice. */
struct tune_coord {
    double from, to;
};
/* False when `text` is no value of p. */
bool tune_coord_of(const struct tune_param *p, const char *text, struct tune_coord *c);
/* The coordinates of "name=value,name=value", (range->n); false when one is missing or no value. */
bool tune_coords_read(const struct tune_range *range, const char *hparams, struct tune_coord *at);

/* The value of a param in "name=value,name=value"; *n its length; NULL when it is not there. */
const char *tune_hparam_value(const char *hparams, const char *name, size_t *n);

#endif
