/*
 * base/dir_lock.h - only one process at a time works in a folder.
 *
 * An advisory lock on <dir>/<name>.lock.  The system gives it back when the process ends,
 * however it ends; a lock file that was left behind excludes no other process.
 */
#ifndef T2_BASE_DIR_LOCK_H
#define T2_BASE_DIR_LOCK_H

#include <stdbool.h>

#include "base/err.h"

struct t2_lock {
    int fd; /* -1: nothing held */
    char *path;
};

/* T2_EIO, naming the process, when another one holds it: "another run (process 123) is <doing> in
 * '<dir>'".  Where the file system has no locks, warns and goes on. */
T2_MUST_CHECK enum t2_status t2_lock_take(const char *dir, const char *name, const char *doing,
                                          struct t2_lock *lock, struct t2_err *err);
/* The same, but waits for the other process; a warning says so.  T2_EINTERRUPTED when a signal ends
 * that. */
T2_MUST_CHECK enum t2_status t2_lock_wait(const char *dir, const char *name, const char *doing,
                                          struct t2_lock *lock, struct t2_err *err);
void t2_lock_give(struct t2_lock *lock);

#endif
