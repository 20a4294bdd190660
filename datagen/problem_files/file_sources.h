/*
 * datagen/problem_files/file_sources.h - `files` and `sources` of a problem file: what is
 * downloaded.
 */
#ifndef DG_PROBLEM_FILES_FILE_SOURCES_H
#define DG_PROBLEM_FILES_FILE_SOURCES_H

#include "datagen/problem_files/file_values.h"
#include "datagen/source/source_files.h"

struct dg_file_source {
    const char *key; /* of an entry of `files` */
    struct dg_source_file file;
    struct dg_source source;    /* of that file */
    const char *const *members; /* of `sources`: to unpack into tmp_dir, NULL-ended; NULL: none */
    size_t n_members;
};

/* The entries of a file, and what a problem uses of them.  Borrowed from the memory. */
struct dg_file_sources {
    struct dg_file_source *items;
    size_t n;
};

/* `files`, a mapping of names to mappings. */
T2_MUST_CHECK enum t2_status dg_file_read_files(const struct dg_file_value *v,
                                                struct dg_file_sources *files, struct t2_err *err);
/* `sources`, a list of mappings with url. */
T2_MUST_CHECK enum t2_status dg_file_read_sources(const struct dg_file_value *v,
                                                  struct dg_file_sources *sources,
                                                  struct t2_err *err);
/* The entry that the value names. */
T2_MUST_CHECK enum t2_status dg_file_find(const struct dg_file_sources *files,
                                          const struct dg_file_value *v,
                                          const struct dg_file_source **found, struct t2_err *err);

#endif
