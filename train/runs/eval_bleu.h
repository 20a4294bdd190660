/*
 * train/runs/eval_bleu.h - an evaluation's translations: their BLEU, as Model Garden's translation
 * task says it (sacrebleu_score), and their files, as those of Tensor2Tensor's decode_from_dataset.
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
 *
 * With options.decodes all samples of the split are translated, or num_samples, and one process
 * alone writes them, a line each: <decode_to_file>.<model>.<set>.<problem>.beam4.alpha0.6.decodes,
 * and beside it .targets and .inputs; without decode_to_file, and not with decode_in_memory,
 * decode_00000/<problem>-<step>.decodes and so on in the run's folder.
 */
T2_MUST_CHECK enum t2_status tr_eval_bleu(struct tr_run *r, double *score, struct t2_err *err);

#endif
