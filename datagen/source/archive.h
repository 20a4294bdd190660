/*
 * datagen/source/archive.h - the members of tar, zip and 7z archives, as streams; nothing is
 * written to disk.
 *
 * An archive is what its bytes say, not its name: tar, tar in gzip, bzip2 or xz (several members
 * each), zip, 7z, or one compressed file by itself, whose only member is called like the file
 * without .gz, .bz2, .xz. A web page, a Git LFS pointer and a file compressed twice are recognised
 * and said.
 *
 * Refused by name (T2_EFORMAT): members with "..", absolute names and backslashes, symbolic links,
 * devices, pipes, encrypted members; archives cut short, with wrong checksums, or larger than the
 * limits.  A hard link to an earlier file reads like that file.  Names lose "./" in front; folders
 * are not given.
 *
 * Nothing may be trusted before dg_archive_next said T2_EOF: only then all checksums were compared.
 */
#ifndef DG_SOURCE_ARCHIVE_H
#define DG_SOURCE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"

enum { DG_MAX_UNPACK_RATIO = 200 };

/* Zeros: max_ratio DG_MAX_UNPACK_RATIO, max_bytes no limit. */
struct dg_unpack_limits {
    uint64_t
        max_ratio; /* unpacked bytes for each byte of the file, once they are more than 64 MiB */
    uint64_t max_bytes; /* unpacked in all */
};

/* What NULL stands for below, from the command line.  Not thread-safe: before threads start. */
void dg_set_unpack_limits(const struct dg_unpack_limits *limits);

struct dg_archive;

struct dg_member {
    const char *name; /* borrowed until the next call */
    uint64_t bytes;   /* UINT64_MAX: not known before it was read */
};

/* limits NULL: those of dg_set_unpack_limits.  One archive belongs to one thread. */
T2_MUST_CHECK enum t2_status dg_archive_open(const char *path,
                                             const struct dg_unpack_limits *limits,
                                             struct dg_archive **a, struct t2_err *err);
void dg_archive_free(struct dg_archive *a); /* NULL is allowed */
/* The next file, in the archive's order; what was not read of the one before is skipped.  T2_EOF
 * after the last one. */
T2_MUST_CHECK enum t2_status dg_archive_next(struct dg_archive *a, struct dg_member *m,
                                             struct t2_err *err);
/* Bytes of the current member; *n_read is 0 only at its end. */
T2_MUST_CHECK enum t2_status dg_archive_read(struct dg_archive *a, void *data, size_t len_bytes,
                                             size_t *n_read, struct t2_err *err);
/* The current member as lines (base/text.h), unpacked once more when it is gzip itself.  Valid
 * until dg_archive_next; owned by the caller (t2_in_free). */
void dg_archive_text(struct dg_archive *a, struct t2_in **in);

/*
 * Writes members to <dir>/<member>, all in one pass.  `wanted` are names, or patterns when they
 * hold
 * '*' or '?' ('/' is matched by '/' only).  Files appear when the whole archive was good; of
 * members of the same name the last one counts.  T2_ENOTFOUND when a wanted member is not there:
 * nothing appears. made, if not NULL: appends the names, sorted.
 */
T2_MUST_CHECK enum t2_status dg_archive_extract(const char *path,
                                                const struct dg_unpack_limits *limits,
                                                const struct t2_strs *wanted, const char *dir,
                                                struct t2_strs *made, struct t2_err *err);

#endif
