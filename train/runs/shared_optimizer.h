/*
 * train/runs/shared_optimizer.h - a run whose ranks share the state of the optimizer
 * (--shard_optimizer; optim/optimizer.h): values after a step, checkpoints.
 *
 * All of it is the same as without where there is one rank.
 */
#ifndef TR_SHARED_OPTIMIZER_H
#define TR_SHARED_OPTIMIZER_H

#include "train/runs/run.h"

/* That of this rank; {0, 1} where nothing is shared. */
struct opt_share tr_share(const struct tr_run *r);

/* Each rank has updated its part of the values: all get all of them. */
T2_MUST_CHECK enum t2_status tr_share_gather_values(struct tr_run *r, struct t2_err *err);
/* opt_swap_averages, of all ranks. */
T2_MUST_CHECK enum t2_status tr_share_swap_averages(struct tr_run *r, struct t2_err *err);

/* tr_check_finite of what any rank has. */
T2_MUST_CHECK enum t2_status tr_share_check_finite(struct tr_run *r, struct t2_err *err);

#endif
