/*
 * train/eval/official_bleu.h - corpus BLEU as the official Transformer's compute_bleu reads files.
 *
 * Spec official-transformer.md §9.2.  The score itself is Tensor2Tensor's (bleu.h); here a text is
 * stripped as a whole first, and lines end where Python's splitlines ends them.  Where that leaves
 * lines without partners (blank ones at either end), the original stops; here lines that LF ends
 * are partners then, if there are as many.
 */
#ifndef EV_OFFICIAL_BLEU_H
#define EV_OFFICIAL_BLEU_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * *score: 0..100, 100 times a float32.  T2_EFORMAT: the numbers of lines differ, or a text is not
 * UTF-8; `names` are those of hypotheses and references, for messages.
 */
T2_MUST_CHECK enum t2_status ev_official_bleu(struct t2_slice hypotheses,
                                              struct t2_slice references,
                                              const char *const names[2], bool lower_case,
                                              double *score, struct t2_err *err);

#endif
