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

#endif
