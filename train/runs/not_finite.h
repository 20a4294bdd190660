/*
 * train/runs/not_finite.h - a step whose loss or gradients are not finite: what it was about, and
 * how a run goes on behind it.
 */
#ifndef TR_NOT_FINITE_H
#define TR_NOT_FINITE_H

#include "base/err.h"
#include "train/graph/watch.h"
#include "train/runs/run.h"

/* A step that was not finite.  Nothing was updated by it. */
struct tr_bad_step {
    int64_t number;        /* from 1 */
    uint64_t first_sample; /* state.samples before it */
    const char *what;      /* "the loss is not a number" */
    struct mdl_batch kept; /* its ids, of this rank */
    /* of tr_not_finite: */
    uint64_t next_sample; /* state.samples behind it */
};

/*
 * Where the batch is computed as a whole: computes the step once more to find the first operator,
 * layer and tensor that is not finite, and writes <output_dir>/not-finite-<number>.json: that, the
 * ranges of all operators, the ids of the batch, its texts, and which records they come from.
 * Returns T2_EFORMAT with a message that says all of it in short, or why it could not be found out.
 * With data shards the file has the ids alone, and its name the rank.
 *
 * No step is queued on the model.  The next batch of run->train must be named (in_rewind) then.
 */
enum t2_status tr_not_finite(struct tr_run *r, struct tr_bad_step *bad, struct t2_err *err);

/*
 * Goes on behind a bad step as --on_nan says (TR_NAN_SKIP, TR_NAN_ROLLBACK): without its batch,
 * from where the run is, or from its newest checkpoint.  *why, what tr_not_finite said, is what is
 * left to say when that cannot be done.  A run that came here TR_MAX_RECOVERIES times without a
 * checkpoint in between is given up; with options.max_recoveries, behind so many in all.
 */
enum { TR_MAX_RECOVERIES = 10 };
T2_MUST_CHECK enum t2_status tr_recover(struct tr_run *r, const struct tr_bad_step *bad,
                                        const struct t2_err *why, struct t2_err *err);

/* A mean loss above options.loss_bound: T2_EFORMAT, or a rollback like that of tr_recover. */
T2_MUST_CHECK enum t2_status tr_above_bound(struct tr_run *r, double loss, struct t2_err *err);

/* T2_EUNSUPPORTED: --on_nan=skip and rollback, and --replay_step, of a run with data shards. */
T2_MUST_CHECK enum t2_status tr_check_alone(const struct tr_run *r, struct t2_err *err);

/* For tests: T2_PLANT_NAN=STEP:LAYER in the environment makes the first output of that layer NaN in
 * the first batch that has this step.  Before a step is queued, and behind it. */
void tr_plant(struct tr_run *r, int64_t number, uint64_t first_sample);
void tr_plant_end(struct tr_run *r);

/* Before a save: numbers that are not finite must not replace a checkpoint whose numbers are. */
T2_MUST_CHECK enum t2_status tr_check_finite(struct tr_run *r, struct t2_err *err);
/* "the checkpoint of step 40 is intact" */
const char *tr_saved_text(const struct tr_run *r, char *out, size_t n);

/* One step with every operator's range, of the state that the run is in; the loss may be NaN. */
T2_MUST_CHECK enum t2_status tr_watch_step(struct tr_run *r, const struct mdl_batch *batch,
                                           struct gr_watch *watch, struct mdl_loss *loss,
                                           struct t2_err *err);

#endif
