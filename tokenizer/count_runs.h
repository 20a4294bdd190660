/*
 * tokenizer/count_runs.h - word counts that do not fit into memory: sorted runs on disk, and their
 * merge.
 *
 * The files have no name (base/spool.h), so nothing is left behind however the program ends.
 */
#ifndef TOK_COUNT_RUNS_H
#define TOK_COUNT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/vocab_builder.h"

/* Runs of any number of threads. */
struct tok_runs;
/* The files are made in the folder of the file `beside`; "-": in TMPDIR or /tmp. */
struct tok_runs *tok_runs_new(const char *beside);
void tok_runs_free(struct tok_runs *r);
/* Moves the words of c into a new run; c is empty then.  May be called by several threads.  A
 * failure is remembered: tok_runs_status. */
void tok_runs_add(struct tok_runs *r, struct tok_counts *c);
enum t2_status tok_runs_status(struct tok_runs *r, struct t2_err *err);
size_t tok_runs_count(const struct tok_runs *r); /* how often tok_runs_add was called */

/* All words of the runs and of some tables once each in ascending order, with the sums of their
 * counts. */
struct tok_merge;
/* Sorts the tables.  runs (may be NULL) and tables are borrowed for the life of the merge; runs can
 * be merged once. */
T2_MUST_CHECK enum t2_status tok_merge_new(struct tok_runs *runs, struct tok_counts **tables,
                                           size_t n_tables, struct tok_merge **m,
                                           struct t2_err *err);
void tok_merge_free(struct tok_merge *m);
/* T2_EOF after the last.  The word is borrowed until the next call.  Looks for signals now and
 * then. */
T2_MUST_CHECK enum t2_status tok_merge_next(struct tok_merge *m, struct t2_slice *word, uint64_t *n,
                                            struct t2_err *err);

#endif
