/*
 * base/remote/remote_fill.h - objects that arrive in local files while these are read.
 *
 * An object that is opened is a file of its size in the cache, empty at first.  Whoever reads says
 * which bytes it needs (t2_fill_need) and waits for these only; threads bring them in requests of
 * up to 8 MiB, T2_REMOTE_PARALLEL (16) at once, and go on behind a reader that reads in order:
 * twice as far each time, up to 256 MiB.  When all is there the hash of the whole is compared,
 * before the last bytes are given to whoever reads to the end, and the file is kept in the cache.
 *
 * Files are known by device and inode, so that a descriptor may be duplicated and closed by
 * anybody.
 */
#ifndef T2_BASE_REMOTE_REMOTE_FILL_H
#define T2_BASE_REMOTE_REMOTE_FILL_H

#include "base/remote/store.h"

/* *fd reads the object, which is there and has bytes.  is_wanted: all of it is. */
T2_MUST_CHECK enum t2_status t2_fill_open(const struct t2_location *l, const struct t2_object *o,
                                          bool is_wanted, int *fd, struct t2_err *err);
/* Waits until these bytes of fd are there; at once for other files.  0, or what t2_err_as_errno
 * gives. */
int t2_fill_need(int fd, uint64_t offset, uint64_t n);
/* No thread brings anything after it; files that are not whole are gone. */
void t2_fill_end(void);

#endif
