/*
 * tokenizer/tally.h - word counts in several tables, one for each thread, with a limit to their
 * memory.
 *
 * What does not fit goes to disk in sorted runs (count_runs.h).  The sums do not depend on the
 * limit, on which table a word went to, or on the number of tables.
 */
#ifndef TOK_TALLY_H
#define TOK_TALLY_H

#include "base/err.h"
#include "base/pool.h"
#include "tokenizer/count_runs.h"
#include "tokenizer/vocab_builder.h"

struct tok_tally_limits {
    uint64_t max_memory; /* of the tables; what is above goes to disk; 0 = no limit */
    const char *beside;  /* in the folder of this file (count_runs.h) */
    /* Asked about a table by tok_tally_check, on its thread: whether to go on.  May be NULL. */
    enum t2_status (*check)(void *arg, const struct tok_counts *part, struct t2_err *err);
    void *check_arg;
};

struct tok_tally;
/* limits is copied, its texts are borrowed. */
struct tok_tally *tok_tally_new(size_t n_tables, const struct tok_tally_limits *limits);
void tok_tally_free(struct tok_tally *t); /* NULL is allowed */
/* Table i, to be filled; one thread at a time. */
struct tok_counts *tok_tally_counts(struct tok_tally *t, size_t i);
/* After something was added to table i: the check, and whether bringing counts to disk failed. */
T2_MUST_CHECK enum t2_status tok_tally_check(struct tok_tally *t, size_t i, struct t2_err *err);
/* How often a table was brought to disk. */
size_t tok_tally_runs(const struct tok_tally *t);
/* Moves all words into one table, owned by the caller.  Asks the check for it, too.  pool may be
 * NULL. */
T2_MUST_CHECK enum t2_status tok_tally_table(struct tok_tally *t, struct t2_pool *pool,
                                             struct tok_counts **counts, struct t2_err *err);
/* Writes them as a file of counts (counts_file.h).  The tally is used up. */
T2_MUST_CHECK enum t2_status tok_tally_save(struct tok_tally *t, struct t2_pool *pool,
                                            const char *path, uint64_t *n_distinct,
                                            struct t2_err *err);

#endif
