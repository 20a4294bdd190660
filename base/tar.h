/*
 * base/tar.h - tar archives: reading ustar, pax and GNU long names; writing ustar with pax for long
 * names.
 *
 * For data sets, not for unpacking: nothing is ever created from a name in an archive.
 */
#ifndef T2_BASE_TAR_H
#define T2_BASE_TAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- reading ---- */

struct t2_tar;

/* A plain or compressed file (text.h), or "-". */
T2_MUST_CHECK enum t2_status t2_tar_new(const char *path, struct t2_tar **t, struct t2_err *err);
void t2_tar_free(struct t2_tar *t);
/*
 * The next regular file: its name without a leading "./", borrowed until the next call, and its
 * content (content is replaced).  Folders are passed over.  T2_EOF behind the last; what follows
 * the end of the archive is read (so that a gzip checksum is looked at) and ignored.
 *
 * T2_EFORMAT: an empty file, a wrong checksum, a cut archive, an absolute name or one with "..".
 * T2_EUNSUPPORTED: links, devices, sparse files.  Messages name the file, the member and the
 * offset.
 */
T2_MUST_CHECK enum t2_status t2_tar_next(struct t2_tar *t, const char **name,
                                         struct t2_buf *content, struct t2_err *err);

/* ---- writing ---- */

/* Appends a file with owner, group and time 0 and mode 0644; then t2_tar_end behind the last. */
void t2_tar_put(struct t2_buf *out, const char *name, const void *content, size_t len_bytes);
void t2_tar_end(struct t2_buf *out);

#endif
