/*
 * datagen/source/source_files.h - the files that a problem is made from: unpacked in --tmp_dir by
 * someone, or members of an archive there.
 *
 * T2T unpacks every archive into tmp_dir and opens files there.  Here a file that lies where T2T
 * would have put it is used, so that it can be placed or edited by hand; otherwise it is read out
 * of the archive, which is not unpacked.  Both give the same bytes and the same hashes.
 */
#ifndef DG_SOURCE_FILES_H
#define DG_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/source/archive.h"
#include "datagen/stream.h"

/* An archive, or a file that is none.  Constant. */
struct dg_source {
    const struct dg_source_file *file;
    const char *folder; /* of tmp_dir: where the file is; NULL: tmp_dir itself */
    const char *into;   /* below `folder`: where it is unpacked to; NULL: there */
    const char
        *sign;     /* below `into`: what is there when it was unpacked: "aclImdb", "CoLA/dev.tsv" */
    bool is_plain; /* not an archive: the only member is the file itself */
};

/*
 * For prepare of a problem: downloads the sources of which nothing is there, neither the file nor
 * `sign`. T2_ENOTFOUND and others as dg_fetch.
 */
T2_MUST_CHECK enum t2_status dg_sources_fetch(const struct dg_source *const *sources, size_t n,
                                              const struct dg_options *options, struct t2_err *err);

/* ---- one file ---- */

/* Zero-initialise; dg_source_close. */
struct dg_source_text {
    struct t2_in *in;
    char *path;     /* of the file, "archive: member" else; for messages */
    uint64_t lines; /* read so far */
    uint64_t bytes; /* of the file, not unpacked further; UINT64_MAX: not known */
    struct dg_archive *archive;
    bool hash_on;
};

/*
 * Opens a member ("CoLA/train.tsv"; NULL of a plain file) from its start.  T2_ENOTFOUND names the
 * file and the archive where it would be.  hash_on: for dg_source_note; the rest of the archive is
 * then read too, so that its checksums are compared.
 */
T2_MUST_CHECK enum t2_status dg_source_open(const struct dg_source *source, const char *member,
                                            const struct dg_options *options, bool hash_on,
                                            struct dg_source_text *t, struct t2_err *err);
/* The next line (base/text.h), counted. */
T2_MUST_CHECK enum t2_status dg_source_line(struct dg_source_text *t, struct t2_slice *line,
                                            struct t2_err *err);
/* All that is left, appended.  More than max_bytes: T2_EFORMAT. */
T2_MUST_CHECK enum t2_status dg_source_rest(struct dg_source_text *t, uint64_t max_bytes,
                                            struct t2_buf *text, struct t2_err *err);
/* After T2_EOF, with hash_on: adds the file to the list of a stream. */
void dg_source_note(struct dg_source_text *t, const char *role, struct dg_input_files *files);
void dg_source_close(struct dg_source_text *t);

/* ---- many files ---- */

/* Files by name, sorted by bytes.  Those of an archive are copied to a scratch file without a
 * name. */
struct dg_file_set;

/*
 * All members that match one of the patterns: '*' does not match '/', unless the pattern holds
 * "**", where every '*' does.  T2_ENOTFOUND when there is none.
 */
T2_MUST_CHECK enum t2_status dg_file_set_open(const struct dg_source *source,
                                              const char *const *patterns, size_t n_patterns,
                                              const struct dg_options *options,
                                              struct dg_file_set **set, struct t2_err *err);
void dg_file_set_free(struct dg_file_set *set); /* NULL is allowed */
size_t dg_file_set_count(const struct dg_file_set *set);
/* Of the member, "aclImdb/train/pos/0_9.txt"; borrowed for the life of the set. */
const char *dg_file_set_name(const struct dg_file_set *set, size_t i);
/* Index of the name, or count when it is not there. */
size_t dg_file_set_find(const struct dg_file_set *set, const char *name);
/* Borrowed until the next call. */
T2_MUST_CHECK enum t2_status dg_file_set_content(struct dg_file_set *set, size_t i,
                                                 struct t2_slice *content, struct t2_err *err);
/* Adds one entry for the files whose names begin with prefix: a hash over their names and
 * contents. */
T2_MUST_CHECK enum t2_status dg_file_set_note(struct dg_file_set *set, const char *prefix,
                                              const char *role, struct dg_input_files *files,
                                              struct t2_err *err);

/* Where the file of a source is (owned by the caller), without network.  T2_ENOTFOUND. */
T2_MUST_CHECK enum t2_status dg_source_path(const struct dg_source *source,
                                            const struct dg_options *options, char **path,
                                            struct t2_err *err);
/* Where its file is downloaded to.  Owned by the caller. */
char *dg_source_folder(const struct dg_source *source, const struct dg_options *options);
/* Tells the sizes of a source (input_sizes.h): `member` of it (NULL of a plain file) where it is
 * unpacked, else the file; copies: how often its text is written to tmp_dir. */
void dg_source_add_sizes(const struct dg_source *source, const char *member,
                         const struct dg_options *options, unsigned copies,
                         struct dg_input_sizes *sizes);
/* Is anything of it there: unpacked, or the file? */
bool dg_source_is_there(const struct dg_source *source, const struct dg_options *options);
/* Where the member lies unpacked, whether it is there or not.  Owned by the caller. */
char *dg_source_unpacked(const struct dg_source *source, const char *member,
                         const struct dg_options *options);

#endif
