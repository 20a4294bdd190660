/*
 * tokenizer/counts_file.h - word counts in a file: what `t2t-vocab count` writes and `build
 * --counts` joins.
 *
 * Text: the line "t2t.c word counts 1", then "<count> <word>" in ascending byte order of the words;
 * in a word, backslash, LF, CR and TAB are written as \\ \n \r \t.  Any number of tasks give files
 * whose sum does not depend on how the work was cut.
 */
#ifndef TOK_COUNTS_FILE_H
#define TOK_COUNTS_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "tokenizer/count_runs.h"
#include "tokenizer/vocab_builder.h"

/* Writes what the merge gives, up to its end. */
T2_MUST_CHECK enum t2_status tok_counts_save(struct tok_merge *m, const char *path,
                                             uint64_t *n_distinct, struct t2_err *err);
/* Adds the counts of a file, asking check (may be NULL) now and then whether to go on.  T2_EFORMAT
 * names file and line. */
T2_MUST_CHECK enum t2_status tok_counts_load(const char *path, struct tok_counts *c,
                                             enum t2_status (*check)(void *arg,
                                                                     const struct tok_counts *c,
                                                                     struct t2_err *err),
                                             void *check_arg, struct t2_err *err);

#endif
