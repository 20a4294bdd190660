/*
 * train/eval/line_scorers.h - t2t-bleu --scorer=rouge and --scorer=wer: two files, line by line,
 * from flags to the text that is printed.
 */
#ifndef EV_LINE_SCORERS_H
#define EV_LINE_SCORERS_H

#include "base/buf.h"
#include "base/err.h"
#include "train/eval/score_flags.h"

T2_MUST_CHECK enum t2_status ev_score_rouge(const struct ev_score_flags *flags, struct t2_buf *out,
                                            struct t2_err *err);
T2_MUST_CHECK enum t2_status ev_score_wer(const struct ev_score_flags *flags, struct t2_buf *out,
                                          struct t2_err *err);

#endif
