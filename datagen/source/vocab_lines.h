/*
 * datagen/source/vocab_lines.h - the lines that the vocabulary of a translation problem is built
 * from (T2T's generate_lines_for_vocab, spec t2t-datagen.md §4.9).
 */
#ifndef DG_SOURCE_VOCAB_LINES_H
#define DG_SOURCE_VOCAB_LINES_H

#include <stdint.h>

#include "base/str.h"
#include "datagen/stream.h"

enum { DG_VOCAB_BUDGET = 1000000 }; /* T2T's default */

/*
 * From each file in turn: every (skip+1)-th line, skip = floor(bytes / budget / 2) of the unpacked
 * file, until the lines taken have `budget` code points (stripped; the last one may go beyond). The
 * lines are the targets of the samples.  Files may be gzip: their unpacked size is then found by
 * reading them once. paths are copied.
 */
T2_MUST_CHECK enum t2_status dg_vocab_lines_new(const struct t2_strs *paths, uint64_t budget,
                                                uint64_t max_memory, struct dg_stream **stream,
                                                struct t2_err *err);

#endif
