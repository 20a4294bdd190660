/*
 * train/runs/eval_bleu.h - BLEU of an evaluation's translations, as Model Garden's translation task
 * says it (sacrebleu_score).
 */
#ifndef TR_EVAL_BLEU_H
#define TR_EVAL_BLEU_H

#include "base/err.h"
#include "train/runs/run.h"

/*
 * Translates the evaluation with the usual decode_hparams and compares texts: sacreBLEU's corpus
 * score with its default tokenizer, 0 to 100; NaN when there was nothing to translate.  For a
 * problem that turns text into text, not packed (sample_texts.h).  Ranks come here together, and
 * each translates its rows.
 */
T2_MUST_CHECK enum t2_status tr_eval_bleu(struct tr_run *r, double *score, struct t2_err *err);

#endif
