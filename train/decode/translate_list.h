/*
 * train/decode/translate_list.h - texts in memory, translated in batches of similar length; files
 * are decode_file.h's.
 */
#ifndef DEC_TRANSLATE_LIST_H
#define DEC_TRANSLATE_LIST_H

#include "train/decode/translator.h"

/* May a source of n ids share a batch whose longest has so many?  All are padded to it, and a
 * search goes on until all have ended, so that one line of 3,000 letters would make 31 words as
 * slow as itself. */
bool dec_shares_batch(size_t longest, size_t n);

/*
 * Translates n texts into out, (n, dec_n_best) zeroed hypotheses in their order, whose texts are
 * the caller's, also on failure; that of white space stays empty.  Batches are those of a file with
 * these lines.  T2_EFORMAT names a text that is no UTF-8.  *n_cut: how many lost ids because of
 * max_input_size or memory.
 */
T2_MUST_CHECK enum t2_status dec_translate_list(struct dec_translator *t,
                                                const struct dec_hparams *hp,
                                                const struct t2_slice *texts, size_t n,
                                                struct dec_hypothesis *out, size_t *n_cut,
                                                struct t2_err *err);

#endif
