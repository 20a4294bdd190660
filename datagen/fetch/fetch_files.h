/*
 * datagen/fetch/fetch_files.h - the files a problem is made from: found, or downloaded and
 * verified.
 *
 * What T2T's generator_utils.maybe_download does, for several files at once.  A file is looked for
 * in tmp_dir, then in --archive_dir; only what is absent is downloaded, to "<name>.part" in
 * tmp_dir, and gets its name when it is complete and verified.  A run that was stopped goes on
 * where it was.
 */
#ifndef DG_FETCH_FILES_H
#define DG_FETCH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "datagen/fetch/file_kind.h"

/* One file of a public source.  Constant; strings are borrowed. */
struct dg_source_file {
    const char *name;        /* in tmp_dir; NULL: that of the first URL, as T2T takes it */
    const char *const *urls; /* mirrors in order of preference, NULL-ended; NULL: none.
                              * http, https, file://, or a local path */
    uint64_t size_bytes;     /* 0: unknown */
    uint64_t about_bytes;    /* the size at some time, for forecasts: not verified */
    double text_factor;  /* bytes of text that a problem reads, for a byte of it; 0: typical of its
                          * kind of file */
    const char *sha256;  /* 64 hex digits; NULL: unknown */
    const char *licence; /* of the data, for the data card; NULL: not known */
    const char *gone; /* what happened to the public source and what to put in its place; the URLs
                       * are then not tried.  NULL: it should be there */
    bool is_made;     /* by the problem, out of its other sources: absent is not missing */
    bool is_folder;   /* that someone puts there; nothing is known of what is in it */
    enum dg_file_kind
        kind; /* DG_KIND_BY_NAME: .tgz must begin like gzip, nothing may be HTML ... */
};

/* What the command line says of downloads; zero is the default of everything.  Strings are
 * borrowed. */
struct dg_fetch_options {
    const char *archive_dir; /* read-only folder of files that are there already; NULL: none */
    const char *mirror;      /* take <mirror>/<name> instead of every URL; NULL: none */
    const char *proxy;       /* for libcurl; NULL: as http_proxy, https_proxy, no_proxy say */
    bool offline;            /* download nothing: what is missing is an error that lists it */
    bool keep_unverified;    /* sizes and digests that are known are not compared */
    uint64_t max_rate;       /* bytes per second, all files together; 0: no limit */
    int64_t min_rate;        /* of a connection, over stall_timeout_s; 0: 500; -1: any */
    uint64_t max_bytes;      /* no file of unknown size may be larger; 0: 512 GiB */
    int parallel;            /* files at once; 0: 4 */
    int retries;             /* failures in a row, without a byte gained, per URL; 0: 5; -1: none */
    int stall_timeout_s;     /* give up a connection that brings nothing for so long; 0: 60 */
    int connect_timeout_s;   /* 0: 30 */
    double first_wait_s;     /* before the first retry; doubled for each, up to 60 s; 0: 1 s */
};

enum dg_fetch_how {
    DG_FETCH_ABSENT,
    DG_FETCH_FOUND,
    DG_FETCH_ARCHIVE,
    DG_FETCH_LOCAL,
    DG_FETCH_DOWNLOADED
};

struct dg_fetch_result {
    char *path; /* where the file is: in tmp_dir, archive_dir, or a local path that was the URL */
    uint64_t size_bytes;
    enum dg_fetch_how how;
};

/*
 * Brings all n files (of the list in struct dg_problem: dg_source_count); results[i] belongs to
 * files[i] and is owned by the caller (dg_fetch_release, also on failure).  options may be NULL.
 * tmp_dir is made when missing.
 *
 * The same file may be in the list twice.  What another
 * process is downloading to the same place is waited for.  All files are tried even when one fails;
 * every failure is logged, the first is returned: T2_ENOTFOUND (a source that is gone, or
 * --offline; the message says what to put where), T2_EIO (network, disk), T2_EFORMAT (not what was
 * expected: digest, size, an HTML page), T2_EUNSUPPORTED (no libcurl), T2_EINTERRUPTED.  Not
 * thread-safe; starts threads of its own.
 */
T2_MUST_CHECK enum t2_status dg_fetch(const struct dg_source_file *const *files, size_t n,
                                      const char *tmp_dir, const struct dg_fetch_options *options,
                                      struct dg_fetch_result *results, struct t2_err *err);
size_t dg_source_count(const struct dg_source_file *const *files); /* of a NULL-ended list */
void dg_fetch_release(struct dg_fetch_result *results, size_t n);

/* What dg_fetch would do, for --dry_run. */
struct dg_fetch_plan {
    enum dg_fetch_how how; /* ABSENT: it would be downloaded, or is gone */
    char *path;            /* where it is or would be */
    char *url; /* ABSENT: where it would come from; NULL: nowhere, see dg_source_file.gone */
    uint64_t size_bytes; /* of the file that is there, known, expected, or announced; 0: unknown */
    uint64_t part_bytes; /* ABSENT: already downloaded by a run that was stopped */
};

/* ask_sizes: a HEAD request for every absent file of unknown size; one that fails leaves 0. plan[i]
 * belongs to files[i], owned by the caller (dg_fetch_plan_release, also on failure).  Nothing is
 * written. */
T2_MUST_CHECK enum t2_status dg_fetch_make_plan(const struct dg_source_file *const *files, size_t n,
                                                const char *tmp_dir,
                                                const struct dg_fetch_options *options,
                                                bool ask_sizes, struct dg_fetch_plan *plan,
                                                struct t2_err *err);
/* A line per file. */
void dg_fetch_plan_put(const struct dg_fetch_plan *plan, size_t n, const char *indent,
                       struct t2_buf *text);
void dg_fetch_plan_release(struct dg_fetch_plan *plan, size_t n);

/* The name of f in tmp_dir; T2_EUSAGE when it has none that can be used.  Owned by the caller. */
T2_MUST_CHECK enum t2_status dg_source_name(const struct dg_source_file *f, char **name,
                                            struct t2_err *err);

#endif
