/*
 * vocab/word_counts.h - the words of a corpus, counted on all threads, in bounded memory if wanted.
 */
#ifndef VOC_WORD_COUNTS_H
#define VOC_WORD_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tokenizer/vocab_builder.h"
#include "vocab/corpus.h"

/*
 * What counting may take.  Reading takes more: up to 4 blocks of the input for each thread are on their
 * way (a block is 1 MiB, or a longer line), and 6 MiB buffer the runs.
 */
struct voc_count_limits {
    uint64_t max_memory; /* of the tables; what is above goes to disk; 0 = no limit */
    const char *beside;  /* in the folder of this file (count_runs.h) */
    /* Asked about each table after each block, on its thread: whether to go on.  May be NULL. */
    enum t2_status (*check)(void *arg, const struct tok_counts *part, struct t2_err *err);
    void *check_arg;
};

/* The words of a corpus, in several tables and runs. */
struct voc_tally;
/* Counts the blocks whose index is task modulo n_tasks (0 of 1: all).  *t is owned by the caller. */
T2_MUST_CHECK enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task,
                                             uint64_t n_tasks, struct t2_pool *pool,
                                             const struct voc_count_limits *limits,
                                             struct voc_tally **t, struct t2_err *err);
void voc_tally_free(struct voc_tally *t);
/* How often a table was brought to disk. */
size_t voc_tally_runs(const struct voc_tally *t);
/* Moves all words into one table, owned by the caller.  Asks the check for it, too. */
T2_MUST_CHECK enum t2_status voc_tally_table(struct voc_tally *t, struct tok_counts **counts,
                                             struct t2_err *err);
/* Writes them as a file of counts (counts_file.h).  The tally is used up. */
T2_MUST_CHECK enum t2_status voc_tally_save(struct voc_tally *t, struct t2_pool *pool,
                                            const char *path, uint64_t *n_distinct,
                                            struct t2_err *err);

/* Row for a tool's flag table: --file_byte_budget; -1 when not given. */
#define VOC_BUDGET_FLAGS(budget)                                                                   \
    {                                                                                              \
        "file_byte_budget", T2_FLAG_INT, &(budget), "N",                                           \
            "Sample each file as the originals' generators do, N characters of each; 0 = all, "    \
            "-1 = all (t2t) or 1000000 (official).",                                               \
            NULL                                                                                   \
    }
/* Sets dialect and budget of a corpus; T2_EUSAGE for unknown dialects. */
T2_MUST_CHECK enum t2_status voc_set_budget(struct voc_corpus *c, const char *dialect,
                                            int64_t budget, struct t2_err *err);

/* Rows for a tool's flag table: --max_memory, --tmp_dir. */
#define VOC_MEMORY_FLAGS(max_memory, tmp_dir, help)                                                \
    {"max_memory", T2_FLAG_SIZE, &(max_memory), "SIZE", help, NULL},                               \
    {                                                                                              \
        "tmp_dir", T2_FLAG_STRING, &(tmp_dir), "DIR",                                              \
            "Where sorted counts go when memory is short; else beside the output.", NULL           \
    }
/* voc_count_limits.beside for these flags, owned by the caller.  A tmp_dir that is no folder is
 * T2_EUSAGE. */
T2_MUST_CHECK enum t2_status voc_beside(const char *tmp_dir, const char *output, char **beside,
                                        struct t2_err *err);
/* Whether a file can be written is better known before the work than after it. */
T2_MUST_CHECK enum t2_status voc_try_output(const char *path, struct t2_err *err);

/* "2/8" (the third of eight): false when it is none. */
bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks);

#endif
