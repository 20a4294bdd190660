/*
 * train/tune/untried.h - which hparams a study has tried, and some that it has not.
 */
#ifndef TUNE_UNTRIED_H
#define TUNE_UNTRIED_H

#include "base/map.h"
#include "train/tune/trials.h"

/* The hparams of all trials; released with t2_map_free. */
struct t2_map *tune_tried(const struct tune_trials *t);
bool tune_is_tried(const struct t2_map *tried, const struct t2_buf *hparams);

/* Appends the first of the random trials that was not tried; where they cannot be counted, the one
 * with the number of the next trial. */
void tune_draw_untried(const struct tune_trials *t, const struct t2_map *tried,
                       struct t2_buf *hparams);

#endif
