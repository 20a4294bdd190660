/*
 * base/pool.h - the one thread pool.
 *
 * Work is cut into pieces that do not depend on the number of threads; results are joined in order.
 * The default size is the number of CPUs that affinity and the cgroup allow.
 */
#ifndef T2_BASE_POOL_H
#define T2_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct t2_pool;

int t2_cpu_count(void); /* affinity and cgroup quota respected; at least 1 */

/* n_threads 0 = t2_cpu_count().  n_threads counts the calling thread: 1 starts no thread. */
struct t2_pool *t2_pool_new(int n_threads);
void t2_pool_free(struct t2_pool *p);
int t2_pool_threads(const struct t2_pool *p); /* of NULL: 1 */

/* Calls fn(arg, piece, worker) for piece = 0 .. n_pieces-1, each exactly once, on any thread
 * (0 <= worker < threads), and returns when all are done.  The caller works too.  Pieces are taken
 * in ascending order.  Workers spin briefly before they sleep, so that many short calls are cheap.
 * Not reentrant: fn must not call it on the same pool; one caller at a time.  NULL: the caller
 * does all. */
typedef void (*t2_pool_fn)(void *arg, int64_t piece, int worker);
void t2_pool_run(struct t2_pool *p, int64_t n_pieces, t2_pool_fn fn, void *arg);

/*
 * Ordered pipeline: produce (any thread, one at a time) -> work (any thread, in parallel) ->
 * consume (one at a time, in production order).  At most n_slots items are in flight.  Items are
 * n_slots structures of item_bytes, zeroed once and reused.
 * produce returns T2_EOF at the end.  The first failure in item order stops all and is returned.
 */
struct t2_pipeline {
    size_t item_bytes;
    int n_slots; /* 0 = 4 per thread */
    enum t2_status (*produce)(void *context, void *item, struct t2_err *err);
    enum t2_status (*work)(void *context, void *item, int worker, struct t2_err *err);
    enum t2_status (*consume)(void *context, void *item, struct t2_err *err);
    void (*release)(void *context, void *item); /* once per slot at the end; may be NULL */
    void *context;
};
T2_MUST_CHECK enum t2_status t2_pool_pipeline(struct t2_pool *p, const struct t2_pipeline *pipeline,
                                              struct t2_err *err);

#endif
