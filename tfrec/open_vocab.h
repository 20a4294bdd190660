/*
 * tfrec/open_vocab.h - the vocabulary of --vocab as the ids of records mean it.
 */
#ifndef REC_OPEN_VOCAB_H
#define REC_OPEN_VOCAB_H

#include "base/err.h"
#include "tfrecord/inputs.h"
#include "tokenizer/encoder.h"

/*
 * Loads a vocabulary of any kind.  In data sets the ids of other programs' models are raised by 2
 * (see tok_shift).  Theirs are expected when the file has the name that t2t-datagen gives to such a
 * copy (vocab.<data set>.<size>.sentencepiece), or when a manifest in the folder of an input names
 * a vocabulary with this file's SHA-256 and its id_offset; else the model's own ids.  in may be
 * NULL.
 */
T2_MUST_CHECK enum t2_status rec_open_vocab(const char *path, const struct tfr_inputs *in,
                                            struct tok_encoder **e, struct t2_err *err);

/* Which ids are padding and the end of a text: those of the vocabulary; 0 and 1 for a list of
 * words, which may not say so; -1: none. */
void rec_vocab_ends(const struct tok_encoder *e, int64_t *pad, int64_t *eos);

#endif
