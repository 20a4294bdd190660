/*
 * tokenizer/subword_nmt.h - codes of subword-nmt; inside the encoders.
 */
#ifndef TOK_SUBWORD_NMT_H
#define TOK_SUBWORD_NMT_H

#include <stdbool.h>
#include <stddef.h>

#include "tokenizer/encoder.h"

/* A file that begins with "#version: ". */
bool tok_nmt_looks_like(const void *data, size_t len_bytes);
T2_MUST_CHECK enum t2_status tok_nmt_parse(const char *origin, const void *data, size_t len_bytes,
                                           struct tok_encoder **e, struct t2_err *err);

/*
 * The symbols and merges of an encoder of this kind.  Symbol i has id 1 + i and is spelled as in
 * the file, "in" or "in</w>"; a merge is given in the order of the file by the spellings of its
 * sides.
 */
size_t tok_nmt_n_symbols(const struct tok_encoder *e);
struct t2_slice tok_nmt_symbol(const struct tok_encoder *e, size_t i);
typedef void tok_nmt_merge_fn(void *arg, struct t2_slice left, struct t2_slice right);
void tok_nmt_merges(const struct tok_encoder *e, tok_nmt_merge_fn *fn, void *arg);

#endif
