/*
 * datagen/official/official_raw.h - the text files of the official Transformer's sources: found, or
 * downloaded and unpacked.
 *
 * Spec official-transformer.md §2.4 (get_raw_files, download_and_extract, download_from_url of
 * data_download.py), with its log lines.
 */
#ifndef DG_OFFICIAL_RAW_H
#define DG_OFFICIAL_RAW_H

#include "base/pool.h"
#include "datagen/official/official_sources.h"
#include "datagen/stream.h"

/* Appends the two files of each source, as they lie somewhere below dir.  T2_ENOTFOUND when one is
 * not there: the message names it and its archive. */
T2_MUST_CHECK enum t2_status dg_official_find(const char *dir,
                                              const struct dg_official_source *sources, size_t n,
                                              struct dg_text_parts *parts, struct t2_err *err);

/*
 * Brings what is missing: archives that lie in dir, or are downloaded to it all at once, are
 * unpacked.  Of the original's "everything" only the two members that are wanted are written, under
 * their names in the archive.  fetch may be NULL.
 */
T2_MUST_CHECK enum t2_status dg_official_get(const char *dir,
                                             const struct dg_official_source *sources, size_t n,
                                             const struct dg_fetch_options *fetch,
                                             struct t2_pool *pool, struct t2_err *err);

/* For --dry_run: a line for each file that is there, and for each archive to be unpacked or
 * downloaded. */
T2_MUST_CHECK enum t2_status dg_official_describe(const char *dir,
                                                  const struct dg_official_source *sources,
                                                  size_t n, const struct dg_fetch_options *fetch,
                                                  struct dg_input_sizes *sizes, struct t2_err *err);

/*
 * Unpacks the members of an archive whose names end with one of the two, "/" in front of it or
 * nothing; they appear when the whole archive was good.  None is no error.
 */
T2_MUST_CHECK enum t2_status dg_official_unpack(const char *archive, const char *const names[2],
                                                const char *dir, struct t2_err *err);

#endif
