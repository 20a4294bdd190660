/*
 * train/eval/bleu_spm.h - a line as the pieces of a SentencePiece model, for sacreBLEU's spBLEU.
 */
#ifndef EV_BLEU_SPM_H
#define EV_BLEU_SPM_H

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"

/* T2_EFORMAT: the file is no SentencePiece model. */
T2_MUST_CHECK enum t2_status ev_spm_load(const char *path, struct tok_encoder **model,
                                         struct t2_err *err);
/* Appends ' '.join(EncodeAsPieces(line)): a run of unknown characters is a piece of its own text.
 */
T2_MUST_CHECK enum t2_status ev_spm_cut(const struct tok_encoder *model, struct t2_slice line,
                                        struct t2_buf *out, struct t2_err *err);

#endif
