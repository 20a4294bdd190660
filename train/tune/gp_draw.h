/*
 * train/tune/gp_draw.h - the hparams of a trial from those before it: the largest expected
 * improvement under a Gaussian process.
 *
 * Jones, Schonlau and Welch 1998, "Efficient global optimization of expensive black-box functions".
 * Numbers lie along their scales, those of `discrete` evenly in their order; words are as far from
 * each other as a range is wide.
 */
#ifndef TUNE_GP_DRAW_H
#define TUNE_GP_DRAW_H

#include "train/tune/trials.h"

/* The process goes through so many trials at most: the best, and the newest of the others. */
enum { TUNE_GP_MOST = 200 };

/*
 * Appends the hparams of the next trial, number t->n.  They are a function of the study's seed,
 * that number, and what stands in *t of the trials before: of their order, not of when they ended.
 *
 * The first are those of tune_draw, TUNE_FIRST at least.  Then values of the better half count as
 * they are; those of the others, of trials with fewer rungs than the best has, and of those that
 * failed, by their ranks alone: how bad a bad one is says nothing about the good ones.  Trials
 * without a value yet are taken for what is expected of them, so that the next one goes elsewhere.
 *
 * Where trials can be counted (tune_draw_count) none comes twice.
 */
void tune_gp_draw(const struct tune_trials *t, struct t2_buf *hparams);

#endif
