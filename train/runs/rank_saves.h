/*
 * train/runs/rank_saves.h - checkpoints that all ranks of a run write together: what they tell each
 * other between the parts of a draft (ckpt/checkpoint.h).  All of them call these together.
 */
#ifndef TR_RANK_SAVES_H
#define TR_RANK_SAVES_H

#include "train/ckpt/checkpoint.h"
#include "train/runs/run.h"

/* Which part of a checkpoint this rank writes. */
struct opt_share tr_rank_writer(const struct tr_run *r);

/*
 * Begins a checkpoint of the step that the run is at in a folder.  `before`: what rank 0 has to
 * say so far.  *together: each rank has found the files, and writes its part now; otherwise rank 0
 * has written all of it when this returns, with what it got from the others.
 */
T2_MUST_CHECK enum t2_status tr_rank_save_begin(struct tr_run *r, struct ckpt_draft *d,
                                                const char *dir, enum t2_status before,
                                                bool *together, struct t2_err *err);
/* The parts are written, or not (`mine`): rank 0 gets what all have written.  On failure its files
 * go.  *all is the caller's, to free `items`. */
T2_MUST_CHECK enum t2_status tr_rank_save_meet(struct tr_run *r, struct ckpt_draft *d,
                                               enum t2_status mine, struct ckpt_runs *all,
                                               struct t2_err *err);
/* All of it, before it returns; keep: as for ckpt_save. */
T2_MUST_CHECK enum t2_status tr_rank_save(struct tr_run *r, const char *dir, int keep,
                                          struct t2_err *err);

#endif
