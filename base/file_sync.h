/*
 * base/file_sync.h - bringing files and folders to disk; used inside base/ only.
 */
#ifndef T2_BASE_FILE_SYNC_H
#define T2_BASE_FILE_SYNC_H

#include "base/err.h"

/* fsync; path is for the message. */
T2_MUST_CHECK enum t2_status t2_sync_fd(int fd, const char *path, struct t2_err *err);
/* Makes a rename of path durable. */
T2_MUST_CHECK enum t2_status t2_sync_dir_of(const char *path, struct t2_err *err);

#endif
