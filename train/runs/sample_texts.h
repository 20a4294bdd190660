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
 * decode_hparams, or options.decodes; each goes to metrics.jsonl (kind "sample") and, as
 * "samples/<i>", to TensorBoard's text.  The memory of the search is taken beside the plan and
 * given back.  Nothing for problems that do not turn text into text.  The run's next evaluation
 * begins anew (in_rewind).
 */
T2_MUST_CHECK enum t2_status tr_sample_texts(struct tr_run *r, struct t2_err *err);

/* Called for row i of a batch; the texts are borrowed. */
typedef enum t2_status (*tr_translated_fn)(void *context, int64_t i, const char *source,
                                           const char *target, const char *output,
                                           struct t2_err *err);
/* The same of up to most_rows rows of the first most_batches batches, which are told one by one, of
 * a problem that turns text into text. */
T2_MUST_CHECK enum t2_status tr_translate_eval(struct tr_run *r, int64_t most_batches,
                                               int64_t most_rows, tr_translated_fn tell,
                                               void *context, struct t2_err *err);

#endif
