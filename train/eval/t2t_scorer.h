/*
 * train/eval/t2t_scorer.h - t2t-bleu --scorer=t2t: Tensor2Tensor's bin/t2t_bleu.py, from flags to
 * the text that is printed, or to an event file.
 */
#ifndef EV_T2T_SCORER_H
#define EV_T2T_SCORER_H

#include "base/buf.h"
#include "base/err.h"
#include "train/eval/score_flags.h"

T2_MUST_CHECK enum t2_status ev_score_t2t(const struct ev_score_flags *flags, struct t2_buf *out,
                                          struct t2_err *err);

#endif
