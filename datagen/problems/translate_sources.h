/*
 * datagen/problems/translate_sources.h - the files of parallel sources: there, unpacked, or
 * downloaded.
 */
#ifndef DG_PROBLEMS_TRANSLATE_SOURCES_H
#define DG_PROBLEMS_TRANSLATE_SOURCES_H

#include "base/str.h"
#include "datagen/problems/translate.h"

/* A growing list of borrowed sources; zero-initialise, t2_free(l.items). */
struct dg_parallel_list {
    const struct dg_parallel_source **items;
    size_t n;
};
/* Appends those of a table (ended by one without file); optional ones only when they are there. */
void dg_parallel_add(struct dg_parallel_list *l, const struct dg_parallel_source *table,
                     const struct dg_options *options);

/* The path of a member: <tmp_dir>/<member>; of "x.gz" it is "x" when that exists, as T2T unpacks
 * it. Owned by the caller. */
char *dg_member_path(const char *member, const struct dg_options *options);
/* Appends the files of a TSV source, sorted. */
T2_MUST_CHECK enum t2_status dg_tsv_files(const struct dg_parallel_source *s,
                                          const struct dg_options *options, struct t2_strs *paths,
                                          struct t2_err *err);
/* The text of a TMX source, in tmp_dir or archive_dir, unpacked or not; NULL: it is nowhere.  Owned
 * by the caller. */
char *dg_tmx_file(const struct dg_parallel_source *s, const struct dg_options *options);

/* Brings all of l: downloads what is in no folder, unpacks the members that are missing, in one
 * pass over each archive. */
T2_MUST_CHECK enum t2_status dg_parallel_provide(const struct dg_parallel_list *l,
                                                 const struct dg_options *options,
                                                 struct t2_err *err);

/* Tells each source, a line and its sizes; copies: how often its text is written to tmp_dir besides
 * being unpacked. */
void dg_parallel_describe(const struct dg_parallel_list *l, const struct dg_options *options,
                          unsigned copies, struct dg_input_sizes *sizes);

#endif
