/*
 * train/runs/step_replay.h - --replay_step=N: one step of a run again, alone, with the range of all
 * that its operators write.
 */
#ifndef TR_STEP_REPLAY_H
#define TR_STEP_REPLAY_H

#include "base/buf.h"
#include "train/runs/run.h"

/*
 * The run was opened with options.replay_step, from its newest checkpoint before that step, or as
 * it began.  Trains to the step before it, writing nothing, and appends a table of the step: a line
 * for each tensor, in the order in which they were written, and the first that is not finite.
 */
T2_MUST_CHECK enum t2_status tr_replay(struct tr_run *r, struct t2_buf *text, struct t2_err *err);

#endif
