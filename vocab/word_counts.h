/*
 * vocab/word_counts.h - the words of a corpus, counted on all threads, in bounded memory if wanted.
 */
#ifndef VOC_WORD_COUNTS_H
#define VOC_WORD_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tokenizer/tally.h"
#include "vocab/corpus.h"

/*
 * Counts the blocks whose index is task modulo n_tasks (0 of 1: all).  *t is owned by the caller.
 *
 * Reading takes memory besides: up to 4 blocks of the input for each thread are on their way (a
 * block is 1 MiB, or a longer line), and 6 MiB buffer the runs.
 */
T2_MUST_CHECK enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task,
                                             uint64_t n_tasks, struct t2_pool *pool,
                                             const struct tok_tally_limits *limits,
                                             struct tok_tally **t, struct t2_err *err);

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
/* tok_tally_limits.beside for these flags, owned by the caller.  A tmp_dir that is no folder is
 * T2_EUSAGE. */
T2_MUST_CHECK enum t2_status voc_beside(const char *tmp_dir, const char *output, char **beside,
                                        struct t2_err *err);
/* Whether a file can be written is better known before the work than after it. */
T2_MUST_CHECK enum t2_status voc_try_output(const char *path, struct t2_err *err);

/* "2/8" (the third of eight): false when it is none. */
bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks);

#endif
