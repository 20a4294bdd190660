/*
 * train/runs/sample_texts.h - the first sentences of an evaluation, as the model translates them at
 * that step (--eval_samples).
 */
#ifndef TR_SAMPLE_TEXTS_H
#define TR_SAMPLE_TEXTS_H

#include "base/err.h"
#include "train/runs/run.h"

/*
 * Translates the first options.eval_samples rows of the evaluation's first batch, with the usual
 * decode_hparams; each goes to metrics.jsonl (kind "sample") and, as "samples/<i>", to
 * TensorBoard's text.  The memory of the search is taken beside the plan and given back.  Nothing
 * for problems that do not turn text into text.  The run's next evaluation begins anew (in_rewind).
 */
T2_MUST_CHECK enum t2_status tr_sample_texts(struct tr_run *r, struct t2_err *err);

#endif
