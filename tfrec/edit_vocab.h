/*
 * tfrec/edit_vocab.h - were records that are to be appended made with the vocabulary of the set?
 */
#ifndef REC_EDIT_VOCAB_H
#define REC_EDIT_VOCAB_H

#include "tfrec/edit.h"

/*
 * Where a manifest beside the records lists their files, its hashes of the vocabularies must be
 * those of the set.  Other files are tried: the ids of their first records must come back when the
 * text is encoded again (tokenizer/reencode.h), as those of the set do.  A set whose manifest knows
 * no vocabulary takes all.
 *
 * T2_EFORMAT names the file, both vocabularies and what to do.  *n_not_known: files without a
 * manifest that could not be tried or had too few records for a decision.
 */
T2_MUST_CHECK enum t2_status rec_edit_check_vocab(const struct rec_edit *e,
                                                  const struct tfr_inputs *records,
                                                  size_t *n_not_known, struct t2_err *err);

#endif
