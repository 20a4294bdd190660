/*
 * datagen/fetch/part_finish.h - a complete part gets its name, or does not.
 */
#ifndef DG_PART_FINISH_H
#define DG_PART_FINISH_H

#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"

/*
 * Brings the part to disk, verifies it, renames it to `path`.  A body that came with
 * Content-Encoding gzip is decoded, unless the encoded bytes are what is wanted: servers label .tgz
 * files so.
 *
 * T2_EFORMAT when it is not the file; the part is then still there.
 */
T2_MUST_CHECK enum t2_status dg_part_finish(struct dg_part *p, const struct dg_source_file *f,
                                            const char *name, const char *path,
                                            const struct dg_fetch_options *options,
                                            struct t2_err *err);

#endif
