/*
 * train/eval/sacrebleu_scorer.h - t2t-bleu --scorer=sacrebleu: from flags to the text that is
 * printed.
 */
#ifndef EV_SACREBLEU_SCORER_H
#define EV_SACREBLEU_SCORER_H

#include "base/buf.h"
#include "base/err.h"
#include "train/eval/score_flags.h"

T2_MUST_CHECK enum t2_status ev_score_sacrebleu(const struct ev_score_flags *flags,
                                                struct t2_buf *out, struct t2_err *err);

#endif
