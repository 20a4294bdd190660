/*
 * tokenizer/sp_scores.h - SentencePiece's .vocab, piece TAB score a line, taken as a model.
 *
 * The list does not hold the type of the model and of pieces, the normalizer, and exact scores.
 * What is assumed is said.
 */
#ifndef TOK_SP_SCORES_H
#define TOK_SP_SCORES_H

#include "base/str.h"
#include "tokenizer/encoder.h"

/*
 * Adds a sentence to assumed for each thing that the list does not hold.  T2_EFORMAT names the line
 * that is none of such a list; T2_EUNSUPPORTED: no <unk>, or a piece twice.
 */
T2_MUST_CHECK enum t2_status tok_sp_parse_scores(const char *origin, const void *data,
                                                 size_t len_bytes, struct tok_encoder **e,
                                                 struct t2_strs *assumed, struct t2_err *err);
T2_MUST_CHECK enum t2_status tok_sp_load_scores(const char *path, struct tok_encoder **e,
                                                struct t2_strs *assumed, struct t2_err *err);

#endif
