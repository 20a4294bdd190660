/*
 * datagen/fetch/verified_files.h - files whose digest this process has compared already.
 *
 * A source is looked up for every split; an archive of gigabytes is read for its digest once.
 */
#ifndef DG_VERIFIED_FILES_H
#define DG_VERIFIED_FILES_H

#include "base/err.h"

/* SHA-256 of the file at path is `sha256` (64 hex digits, any case): T2_OK, else T2_EFORMAT or that
 * it cannot be read. Not read again while inode, size and time stay as they were, unless it had
 * only just been written.  Thread-safe. */
T2_MUST_CHECK enum t2_status dg_verify_digest(const char *path, const char *sha256,
                                              struct t2_err *err);

#endif
