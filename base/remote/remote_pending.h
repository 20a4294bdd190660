/*
 * base/remote/remote_pending.h - what this run has done to remote folders and not yet sent.
 *
 * Files that are to become objects, and objects to be removed, stand in a queue that one thread
 * works off in order: at any moment the store has what a prefix of the run's actions has made, so a
 * run that is killed leaves what it would leave on a local disk.  Within an unordered stretch
 * several files are on their way at once.  Whoever looks for a path meanwhile finds what it will
 * be.
 */
#ifndef T2_BASE_REMOTE_REMOTE_PENDING_H
#define T2_BASE_REMOTE_REMOTE_PENDING_H

#include <stdbool.h>

#include "base/remote/store.h"
#include "base/str.h"

enum t2_pending_kind {
    T2_PENDING_NONE,    /* nothing of it here: ask the store */
    T2_PENDING_FILE,    /* the local file is what it will be, or is, for this run */
    T2_PENDING_REMOVED, /* as absent */
    T2_PENDING_DIR      /* a folder that was made and may have nothing in it */
};

/* Takes the local file.  A failure of an earlier action is returned by the next one, and by
 * flush. */
T2_MUST_CHECK enum t2_status t2_pending_put(const char *path, const char *local,
                                            struct t2_err *err);
/* The same, and path goes on meaning its scratch file. */
T2_MUST_CHECK enum t2_status t2_pending_put_behind_scratch(const char *path, const char *local,
                                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_pending_remove(const char *path, struct t2_err *err);
/* Only this run knows these: a folder, and a local file that stands for path but is not sent. */
void t2_pending_dir(const char *path);
void t2_pending_scratch(const char *path, const char *local);

/* *fd (NULL is allowed) reads the local file, -1 when it cannot be opened; *local its path, owned
 * by the caller. */
enum t2_pending_kind t2_pending_look(const char *path, int *fd, char **local);
/* Adds and takes away names directly below dir. */
void t2_pending_list(const char *dir, struct t2_strs *names);

/* Between these, files have no order among each other. */
void t2_pending_unordered(bool is_on);
/* Waits until all is done; the first failure, which is forgotten. */
T2_MUST_CHECK enum t2_status t2_pending_flush(struct t2_err *err);
/* Bytes that wait. */
uint64_t t2_pending_bytes(void);

#endif
