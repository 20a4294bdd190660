/*
 * datagen/fetch/fetch_flags.h - the flags of downloads, for the flag tables of tools.
 */
#ifndef DG_FETCH_FLAGS_H
#define DG_FETCH_FLAGS_H

#include "base/buf.h"
#include "datagen/fetch/fetch_files.h"

struct dg_fetch_flags {
    const char *fetch, *sha256, *mirror, *archive_dir, *proxy;
    int64_t size, parallel, timeout, retries;
    uint64_t max_rate, min_rate, max_bytes;
    double first_wait;
    bool offline, verify;
};

#define DG_FETCH_FLAGS_INIT                                                                        \
    {                                                                                              \
        .fetch = "", .sha256 = "", .mirror = "", .archive_dir = "", .proxy = "", .parallel = 4,    \
        .timeout = 60, .retries = 5, .min_rate = 500, .max_bytes = UINT64_C(512) << 30,            \
        .first_wait = 1, .verify = true                                                            \
    }

/* Rows for a table whose ROW is (role, name, type, value, meta, help); f is a struct
 * dg_fetch_flags.  The second set is for tools that also download by themselves (dg_fetch_command).
 */
/* clang-format off */
#define DG_FETCH_OPTION_ROWS(ROW, role, f)                                                         \
    ROW(role, "archive_dir", STRING, &(f).archive_dir, "DIR",                                      \
        "Folder with archives that are there already, under the names of their URLs.")             \
    ROW(role, "offline", BOOL, &(f).offline, NULL,                                                 \
        "Download nothing; what is missing is listed with its URL and where to put it.")           \
    ROW(role, "mirror", STRING, &(f).mirror, "URL",                                                \
        "Take URL/NAME instead of the public address of every file.")                              \
    ROW(role, "proxy", STRING, &(f).proxy, "URL",                                                  \
        "Proxy; without the flag as http_proxy, https_proxy, no_proxy in the environment say.")    \
    ROW(role, "max_rate", SIZE, &(f).max_rate, "BYTES",                                            \
        "Bytes per second, all downloads together; 0 means no limit.")                             \
    ROW(role, "min_rate", SIZE, &(f).min_rate, "BYTES",                                            \
        "Give up a connection that brings fewer per second for --download_timeout; 0: never.")     \
    ROW(role, "max_parallel_downloads", INT, &(f).parallel, "N", "Files at once.")                 \
    ROW(role, "download_timeout", INT, &(f).timeout, "SECONDS",                                    \
        "Give up a connection that brings nothing, or no whole head, for so long; try again.")     \
    ROW(role, "download_retries", INT, &(f).retries, "N",                                          \
        "Failures in a row, without a byte gained, before the next mirror is tried.")              \
    ROW(role, "download_wait", DOUBLE, &(f).first_wait, "SECONDS",                                 \
        "Pause before the first retry; doubled with every further one, up to a minute.")           \
    ROW(role, "max_download", SIZE, &(f).max_bytes, "BYTES",                                       \
        "Refuse files of unknown size that are larger.")                                           \
    ROW(role, "verify_downloads", BOOL, &(f).verify, NULL,                                         \
        "Compare sizes and digests that are known.")
#define DG_FETCH_ROWS(ROW, role, f)                                                                \
    DG_FETCH_OPTION_ROWS(ROW, role, f)                                                             \
    ROW(role, "fetch", STRING, &(f).fetch, "URLS",                                                 \
        "Only download these files, 'a,b', into --tmp_dir and print their paths; mirrors of "      \
        "one file are joined by '|'.")                                                             \
    ROW(role, "sha256", STRING, &(f).sha256, "HEX", "With --fetch: of each file, 'x,y'.")          \
    ROW(role, "size", INT, &(f).size, "BYTES", "With --fetch of one file: its size.")
/* clang-format on */

/* Checks the values.  options borrows from f. */
T2_MUST_CHECK enum t2_status dg_fetch_flags_read(const struct dg_fetch_flags *f,
                                                 struct dg_fetch_options *options,
                                                 struct t2_err *err);

/* --fetch: downloads and appends the path of each file that is there now, also on failure;
 * is_dry_run: appends what it would do. */
T2_MUST_CHECK enum t2_status dg_fetch_command(const struct dg_fetch_flags *f, const char *tmp_dir,
                                              bool is_dry_run, struct t2_buf *text,
                                              struct t2_err *err);

#endif
