/*
 * train/decode/decode_typed.h - translations of what a person types, or a pipe brings, line by
 * line.
 */
#ifndef DEC_DECODE_TYPED_H
#define DEC_DECODE_TYPED_H

#include <stdio.h>

#include "train/decode/translator.h"

/*
 * Reads stdin until its end or a line "q", and writes "<translation>" TAB "<score>" for each
 * hypothesis of a line at once.  Lines that are not UTF-8 are skipped with a warning; one of more
 * than max_line_bytes (0: no limit) is an error.  On a terminal lines can be edited, and earlier
 * ones come back.
 */
T2_MUST_CHECK enum t2_status dec_decode_typed(struct dec_translator *t,
                                              const struct dec_hparams *hp, uint64_t max_line_bytes,
                                              FILE *to, struct t2_err *err);

#endif
