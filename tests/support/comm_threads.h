/*
 * tests/support/comm_threads.h - ranks that are threads of one process: a transport for tests.
 */
#ifndef T_COMM_THREADS_H
#define T_COMM_THREADS_H

#include "train/dist/dist.h"

/* What a rank does, on a thread of its own; its result is what it returns. */
typedef enum t2_status (*t_rank_fn)(struct dist *dist, void *arg, struct t2_err *err);

struct t_rank_result {
    enum t2_status status;
    struct t2_err err;
};

/* Runs fn on `size` ranks, on hosts 'host0', 'host0', 'host1', ..., and waits for all. */
void t_run_ranks(int size, t_rank_fn fn, void *arg, struct t_rank_result *results);
/* On the main thread: every rank has T2_OK, and what it says where not. */
void t_assert_ranks(int size, const struct t_rank_result *results);

#endif
