/*
 * train/input/rank.h - the rows of a batch that one of several processes has.
 *
 * The B rows of a batch are cut among n ranks: rank r has the rows [r * B / n, (r + 1) * B / n),
 * which may be none.  So one order of batches serves any number of ranks.
 */
#ifndef IN_RANK_H
#define IN_RANK_H

#include <stdint.h>

/* Which of so many processes this is. */
struct in_rank {
    int32_t index, count; /* 0 <= index < count */
};

/* Rows first .. first + n - 1 of a batch. */
struct in_span {
    int32_t first, n;
};

struct in_span in_rank_rows(struct in_rank rank, int32_t n_rows);
/* The same of ranks rank .. rank + n - 1 together. */
struct in_span in_ranks_rows(struct in_rank rank, int32_t n, int32_t n_rows);
/* The most rows that a rank has of a batch of n_rows or fewer: the same for all ranks, so that all
 * plan the same memory. */
int32_t in_rank_most_rows(struct in_rank rank, int32_t n_rows);

#endif
