/*
 * train/runs/ranks.h - a run on several ranks: who has which shards, who writes, and whether all
 * were started alike.
 */
#ifndef TR_RANKS_H
#define TR_RANKS_H

#include "train/dist/shard_tree.h"
#include "train/runs/data_shards.h"
#include "train/runs/run.h"

/* Sets r->dist. */
T2_MUST_CHECK enum t2_status tr_ranks_open(struct tr_run *r, struct t2_err *err);

/* How many shards a batch has: options.data_shards for each rank, or as many as the run has that is
 * continued, whatever the number of ranks.  T2_EUSAGE: both are said. */
T2_MUST_CHECK enum t2_status tr_ranks_settle_shards(struct tr_run *r, struct t2_err *err);
/* Those of this rank. */
struct dist_span tr_ranks_shards(const struct tr_run *r);
/* r->shards, where a step needs it. */
void tr_ranks_make_shards(struct tr_run *r);

/* Before step 0: do all ranks have the same program, flags, hparams, data and variables?  T2_EUSAGE
 * names what differs, and both values. */
T2_MUST_CHECK enum t2_status tr_ranks_check_alike(struct tr_run *r, struct t2_err *err);

/* tr_next_batch of training; with shards also the targets of all of it, and whether all ranks begin
 * its step: T2_EINTERRUPTED, on all, where one was told to stop.  wants_save: r->saves_now is what
 * rank 0 says. */
T2_MUST_CHECK enum t2_status tr_ranks_next_batch(struct tr_run *r, bool wants_save,
                                                 struct mdl_batch *batch, uint64_t *samples,
                                                 int64_t *n_targets, struct t2_err *err);
/* mdl_evaluate of a batch, whose size and loss are those of all ranks then.  `st`: what this rank
 * has got instead of one.  predicted: its ids, of all ranks, too; NULL: nobody wants them. */
T2_MUST_CHECK enum t2_status tr_ranks_evaluate(struct tr_run *r, struct mdl_batch *batch,
                                               enum t2_status st, struct mdl_loss *loss,
                                               struct tr_predicted *predicted, struct t2_err *err);

/* Folders and reports are written by rank 0. */
bool tr_ranks_writes(const struct tr_run *r);
/* "<output_dir>/<kind>-<step>.json", with the rank in it where there are several; owned by the
 * caller. */
char *tr_ranks_path(const struct tr_run *r, const char *kind, int64_t step);

#endif
