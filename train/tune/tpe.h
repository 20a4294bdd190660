/*
 * train/tune/tpe.h - the hparams of a trial from those before it: the tree-structured Parzen
 * estimator.
 *
 * Bergstra, Bardenet, Bengio and Kegl 2011, "Algorithms for hyper-parameter optimization", section
 * 4: of two densities, l over the best trials and g over the others, the next trial is the one of a
 * few drawn from l whose l / g is the largest, which is where the expected improvement is.
 */
#ifndef TUNE_TPE_H
#define TUNE_TPE_H

#include "train/tune/trials.h"

/*
 * Appends the hparams of the next trial, number t->n.  The first TUNE_FIRST (study.h) are those of
 * tune_draw.  They are a function of the study's seed,
 * that number, and what stands in *t of the trials before: of their order alone, not of when they
 * ended.
 *
 * Best are trials in the order of tune_trials_ranked, so of a study with rungs those that went
 * farther: a tenth of those that have a value, at most 25.  Others are in g, those that have none
 * yet too, so that the next one goes elsewhere ("constant liar"), and those that failed.
 *
 * Where trials can be counted (tune_draw_count) none comes twice.
 */
void tune_tpe_draw(const struct tune_trials *t, struct t2_buf *hparams);

#endif
