/*
 * train/tune/trial_draw.h - the hparams of a trial: drawn from a range, or a point of its grid.
 *
 * They are a function of (range, way, seed, number of the trial), so every process and every
 * continued study draws the same.
 */
#ifndef TUNE_TRIAL_DRAW_H
#define TUNE_TRIAL_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "train/tune/hparam_range.h"

enum { TUNE_MOST_GRID_POINTS = 1000 };

struct tune_drawing {
    const struct tune_range *range;
    bool grid;
    int64_t grid_points; /* of a float, and of an int with more values, evenly along its scale */
    int64_t n_spread;    /* trials that are spread over the range, the first; 0: none */
    uint64_t seed;
};

/*
 * How many trials differ: of a grid its points; else, when no param is TUNE_FLOAT, all
 * combinations.  UINT64_MAX: more than can be counted.
 */
uint64_t tune_draw_count(const struct tune_drawing *d);

/*
 * Appends "name=value,name=value" for a trial, 0 <= trial < tune_draw_count().
 *
 * Where trials can be counted they are taken in a pseudo-random order without repetition, so the
 * first of a large grid are not a corner of it.  Else each param is drawn by itself: uniform, or
 * uniform in the logarithm of the value, or in that of min + max - value (reverse_log); of the
 * first n_spread trials there is one in each of as many equal parts of a param (a Latin hypercube:
 * McKay, Beckman and Conover 1979).  A number has six digits, which are its value.
 */
void tune_draw(const struct tune_drawing *d, uint64_t trial, struct t2_buf *hparams);

#endif
