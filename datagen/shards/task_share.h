/*
 * datagen/shards/task_share.h - which shards of a data set are one task's.
 *
 * Shard s, counted through train, dev and test, belongs to task s mod n.  Every task reads all the
 * text, but encodes, orders and writes only its own shards, so tasks need nothing of each other but
 * the vocabulary.
 */
#ifndef DG_TASK_SHARE_H
#define DG_TASK_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Tasks first .. end-1 of n in one process; n 0: all of the work. */
struct dg_task_share {
    int first, end, n;
};
static inline bool dg_owns_shard(const struct dg_task_share *t, size_t shard)
{
    int task;

    if (t->n == 0)
        return true;
    task = (int) (shard % (size_t) t->n);
    return task >= t->first && task < t->end;
}

/* "2/8": the third of eight.  T2_EUSAGE names the flag --task. */
T2_MUST_CHECK enum t2_status dg_task_parse(const char *text, struct dg_task_share *t,
                                           struct t2_err *err);
/*
 * What mpirun or mpiexec say in the environment of each process it starts (Open MPI, MPICH and
 * those made from it): false when there is only one process.  No MPI library is asked.
 */
bool dg_task_of_mpirun(struct dg_task_share *t);

/* "<name>.part-00002-00003-of-00008.json"; owned by the caller. */
char *dg_part_file(const char *name, const struct dg_task_share *t);

#endif
