/*
 * datagen/source/archive_kind.h - what the first bytes of a file say that it is; names of members.
 */
#ifndef DG_SOURCE_ARCHIVE_KIND_H
#define DG_SOURCE_ARCHIVE_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DG_KIND_BYTES = 1024 }; /* to give to dg_bytes_kind, fewer at the end of a file */

enum dg_bytes_kind {
    DG_BYTES_OTHER,
    DG_BYTES_TAR,
    DG_BYTES_ZEROS, /* the end of a tar archive: one without members */
    DG_BYTES_ZIP,   /* with something in front it is DG_BYTES_OTHER */
    DG_BYTES_GZIP,
    DG_BYTES_BZIP2,
    DG_BYTES_XZ,
    DG_BYTES_7Z,
    DG_BYTES_WEB_PAGE,
    DG_BYTES_LFS_POINTER /* what Git LFS keeps in place of the file */
};
enum dg_bytes_kind dg_bytes_kind(const uint8_t *head, size_t len_bytes);

/* What a compressed file holds, by its name: without folder and .gz, .bz2, .xz; "x.tgz" gives
 * "x.tar". Owned by the caller. */
char *dg_name_inside(const char *path);

/* The rules for names of members: cuts "./" in front of *name; NULL when it is fine, else what the
 * member has that is refused ("an absolute name"). */
const char *dg_member_name(const char **name);

/* T2_EFORMAT: says which member of the archive is refused, and for what it has; its name is made
 * printable. */
T2_MUST_CHECK enum t2_status dg_refuse_member(const char *archive, const char *name,
                                              const char *why, struct t2_err *err);

#endif
