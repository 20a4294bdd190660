/*
 * datagen/fetch/source_lookup.h - where a file may be, and whether what is there is it.
 */
#ifndef DG_SOURCE_LOOKUP_H
#define DG_SOURCE_LOOKUP_H

#include "base/str.h"
#include "datagen/fetch/fetch_files.h"

/* T2_OK when the file at path may be f: not empty, of the size and digest that are known (unless
 * keep_unverified), of its kind.  Else T2_EFORMAT, or that it cannot be read. */
T2_MUST_CHECK enum t2_status dg_check_source(const struct dg_source_file *f, const char *name,
                                             const char *path, bool keep_unverified,
                                             struct t2_err *err);

/* DG_KIND_BY_NAME replaced. */
enum dg_file_kind dg_source_kind(const struct dg_source_file *f, const char *name);

/*
 * Looks in tmp_dir, archive_dir, and at URLs that are local, in this order, without the network.
 * What is there but is not the file is warned about and left alone.  r->how is DG_FETCH_ABSENT when
 * it is nowhere.
 */
void dg_find_source(const struct dg_source_file *f, const char *name, const char *tmp_dir,
                    const struct dg_fetch_options *options, struct dg_fetch_result *r);

/* The http(s) URLs to try, in order: those of the mirror when there is one, none of a source that
 * is gone. */
void dg_remote_urls(const struct dg_source_file *f, const char *name,
                    const struct dg_fetch_options *options, struct t2_strs *urls);

#endif
