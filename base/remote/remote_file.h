/*
 * base/remote/remote_file.h - remote paths for a program: beginning, ending, and what no function
 * of file.h says.
 *
 * After t2_remote_begin every function of io.h, file.h, dir_lock.h and match_files.h takes
 * gs://bucket/key, s3://bucket/key and, for reading, https://host/path:
 *
 *   reading  what is opened is a local file whose bytes arrive while it is read (remote_fill.h)
 *   writing  t2_out writes a local file; its commit sends it (remote_pending.h), whole or not
 *   folders  are prefixes of keys; one that was made and is empty is known to this run alone
 *   the rest  locks, spilled data and logs that grow are local files (t2_scratch_path)
 */
#ifndef T2_BASE_REMOTE_REMOTE_FILE_H
#define T2_BASE_REMOTE_REMOTE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* is_behind: a commit returns when the file is on the local disk, and t2_remote_end waits for the
 * store; else a commit waits itself.  Called once, before threads. */
void t2_remote_begin(bool is_behind);
/* Waits until everything is sent; says on a terminal how much waits.  T2_OK at once in a program
 * that touched no remote path.  A run that was told to stop still sends what it has written. */
T2_MUST_CHECK enum t2_status t2_remote_end(struct t2_err *err);

/* A file of this run that grows by t2_io_write (O_APPEND): its present bytes become the object.
 * T2_OK for local paths. */
T2_MUST_CHECK enum t2_status t2_remote_publish(const char *path, struct t2_err *err);
/* Remote ones among these files will be read soon, in this order: they are brought to the cache in
 * the background.  Failures are left to whoever opens the file. */
void t2_remote_prefetch(const struct t2_strs *paths);

#endif
