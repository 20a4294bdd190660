/*
 * train/runs/best_export.h - the best checkpoint in a folder of its own, as Model Garden's
 * trainer.best_checkpoint_export_subdir asks for: after an evaluation that is better than all
 * before it, <output_dir>/<subdir> gets what the run is at, and info.json what the evaluation says.
 */
#ifndef TR_BEST_EXPORT_H
#define TR_BEST_EXPORT_H

#include "train/runs/run.h"

/* The key of metrics.jsonl for a metric of Model Garden's evaluations; NULL: there is none. */
const char *tr_garden_metric_key(const char *garden);

/*
 * Rank 0: is the evaluation of the run's step, which metrics.jsonl has, better than all before it,
 * and not exported yet?  False where nothing is asked for (options.best_subdir).
 */
T2_MUST_CHECK enum t2_status tr_best_is_here(const struct tr_run *r, bool *is, struct t2_err *err);

/* Of all ranks.  The folder keeps one checkpoint. */
T2_MUST_CHECK enum t2_status tr_export_best(struct tr_run *r, struct t2_err *err);

#endif
