/*
 * train/tune/importance.h - how much of the objective's spread each param explains.
 */
#ifndef TUNE_IMPORTANCE_H
#define TUNE_IMPORTANCE_H

#include <stddef.h>

#include "train/tune/trials.h"

/*
 * The share, 0 to 1, of the variance of the trials' ranks that groups of like values of one param
 * explain: omega squared of an analysis of variance (Hays 1963), which is 0 on average where a
 * param changes nothing.  Ranks are of the objective at the first rung, which all trials have;
 * groups are the values of a param, or where there are many, up to four of equal size along its
 * scale.  NaN: too few trials have ended, or there is one group only.
 */
double tune_importance(const struct tune_trials *t, size_t param);

#endif
