/*
 * datagen/source/archive_in_place.h - where the members of a tar archive lie in its file, so that
 * they are read from there, in any order and by any number of threads: nothing is unpacked or
 * copied.
 *
 * An archive within an archive is a part of the same file.  Only plain tar can be read so;
 * compressed archives are refused (source/archive.h reads them from begin to end).  No member can
 * be larger than the file, whatever its header says.
 *
 * Refused by name (T2_EFORMAT): what source/archive.h refuses, links and files with holes; archives
 * cut short.
 */
#ifndef DG_SOURCE_ARCHIVE_IN_PLACE_H
#define DG_SOURCE_ARCHIVE_IN_PLACE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Bytes of a file. */
struct dg_place {
    uint64_t offset, bytes;
};

/* A member; name is borrowed for the call. */
typedef enum t2_status (*dg_see_member)(void *context, const char *name,
                                        const struct dg_place *place, struct t2_err *err);

/*
 * Calls `see` for each file of the archive at `place` of the file `path` (NULL: all of it), in the
 * archive's order; its headers are read, the contents passed over.  shown: what messages call it.
 */
T2_MUST_CHECK enum t2_status dg_archive_places(const char *path, const struct dg_place *place,
                                               const char *shown, dg_see_member see, void *context,
                                               struct t2_err *err);

/* The bytes of a place -> buf (replaced).  T2_EFORMAT when the file has become shorter. */
T2_MUST_CHECK enum t2_status dg_place_read(const char *path, const struct dg_place *place,
                                           struct t2_buf *buf, struct t2_err *err);

#endif
