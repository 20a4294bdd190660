/*
 * datagen/official/official_text.h - the text files of an official data set: the words that feed
 * its vocabulary, and all of a side in one file.
 *
 * Spec official-transformer.md §2.4 (compile_files of data_download.py), §3.6 (_count_tokens of
 * tokenizer.py).  Lines are those of TensorFlow's reader: LF ends one, carriage returns are
 * deleted; both ends are stripped.  Files may be gzip.
 */
#ifndef DG_OFFICIAL_TEXT_H
#define DG_OFFICIAL_TEXT_H

#include <stdint.h>

#include "base/pool.h"
#include "datagen/stream.h"
#include "tokenizer/tally.h"

/* Characters of each file that feed the vocabulary: file_byte_limit of the original. */
enum { DG_OFFICIAL_BUDGET = 1000000 };

/* The words of the sampled lines of all files, in limited memory (tokenizer/tally.h); *counts is
 * owned by the caller.  Text that is not UTF-8 was refused before. */
T2_MUST_CHECK enum t2_status dg_official_count(const struct dg_text_parts *parts, uint64_t budget,
                                               const struct tok_tally_limits *limits,
                                               struct t2_pool *pool, struct tok_counts **counts,
                                               struct t2_err *err);

/* Writes the cleaned lines of each side, one file behind the other, to paths[0] and paths[1]. */
T2_MUST_CHECK enum t2_status dg_official_compile(const struct dg_text_parts *parts,
                                                 char *const paths[2], struct t2_pool *pool,
                                                 struct t2_err *err);

#endif
