/*
 * base/remote/remote_cache.h - objects on the local disk.
 *
 * T2_CACHE names the folder (~/.cache/t2t.c); T2_CACHE_SIZE how much of it objects may take that
 * nobody reads (20G; 0: nothing is kept).  Below it:
 *
 *   objects/<2 digits>/<hash of path and version>   whole and verified
 *   incoming/<process>/<n>                          on the way in or out; goes with the process
 *   work/<hash of folder>/<name>                    locks, spilled data, logs of remote folders
 *
 * An object of another version has another name, so nothing here is ever wrong, only unused; the
 * one that was opened longest ago goes first.  Processes share the folder.
 */
#ifndef T2_BASE_REMOTE_REMOTE_CACHE_H
#define T2_BASE_REMOTE_REMOTE_CACHE_H

#include "base/remote/store.h"

/* A new empty file below incoming/; *fd (read and write) may be NULL.  *path is owned by the
 * caller. */
T2_MUST_CHECK enum t2_status t2_cache_incoming(char **path, int *fd, struct t2_err *err);

/* Opens the object when it is here.  false: it is not. */
bool t2_cache_open(const struct t2_location *l, const struct t2_object *o, int *fd);
/* The whole file at path (of this process's incoming/) becomes the object's, or goes, also on
 * failure.  What is too much is removed. */
void t2_cache_keep(const char *path, const struct t2_location *l, const struct t2_object *o);
/* Gives an open file the object's time, which says to whoever compares files whether they are the
 * same. */
void t2_cache_set_time(int fd, const struct t2_object *o);

/* The file below work/ for a remote path; owned by the caller.  Its folder is made. */
char *t2_cache_work(const char *path);

/* Removes what this process has below incoming/. */
void t2_cache_end(void);

#endif
