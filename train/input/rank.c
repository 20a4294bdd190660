/*
 * train/input/rank.c - the rows of a rank.
 */
#include "train/input/rank.h"

static int32_t first_row(struct in_rank rank, int32_t n_rows)
{
    return (int32_t) ((int64_t) rank.index * n_rows / rank.count);
}

struct in_span in_rank_rows(struct in_rank rank, int32_t n_rows)
{
    return in_ranks_rows(rank, 1, n_rows);
}

struct in_span in_ranks_rows(struct in_rank rank, int32_t n, int32_t n_rows)
{
    struct in_span s = {.first = first_row(rank, n_rows)};

    rank.index += n;
    s.n = first_row(rank, n_rows) - s.first;
    return s;
}

int32_t in_rank_most_rows(struct in_rank rank, int32_t n_rows)
{
    return (int32_t) (((int64_t) n_rows + rank.count - 1) / rank.count);
}
