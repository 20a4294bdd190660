/*
 * datagen/dir_lock.h - only one run at a time makes a data set.
 *
 * An advisory lock on <data_dir>/<name>.lock.  The system gives it back when the process ends,
 * however it ends; a lock file that was left behind locks nobody out.
 */
#ifndef DG_DIR_LOCK_H
#define DG_DIR_LOCK_H

#include "base/err.h"

struct dg_lock {
    int fd; /* -1: nothing held */
    char *path;
};

/* T2_EIO, naming the process, when another one holds it.  Where the file system has no locks, warns
 * and goes on. */
T2_MUST_CHECK enum t2_status dg_lock_take(const char *data_dir, const char *name,
                                          struct dg_lock *lock, struct t2_err *err);
void dg_lock_give(struct dg_lock *lock);

#endif
