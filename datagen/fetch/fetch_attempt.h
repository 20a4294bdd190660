/*
 * datagen/fetch/fetch_attempt.h - one request for a file, and the reaction to its answer.
 *
 * Resuming: bytes in the part are only continued when the server says that they are of the same
 * file (If-Range), or when a SHA-256 is known that will decide; any other answer starts the part
 * again.
 */
#ifndef DG_FETCH_ATTEMPT_H
#define DG_FETCH_ATTEMPT_H

#include "base/remote/http.h"
#include "base/str.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/fetch_meter.h"
#include "datagen/fetch/part_file.h"

/* One file on its way. */
struct dg_fetch_job {
    const struct dg_source_file *file;
    char *name;                             /* owned by the maker of the job */
    const char *tmp_dir;                    /* exists */
    const struct dg_fetch_options *options; /* without zeros: dg_fetch_defaults */
    struct dg_fetch_meter *meter;
    struct dg_fetch_share share;
    struct t2_http_session *session;
    struct dg_part part;
    /* of the URL that is being tried */
    const char *url;
    char *confirmed_url; /* what the form of a confirmation page led to; NULL */
};

enum dg_verdict {
    DG_COMPLETE, /* the part holds all, not yet verified */
    DG_AGAIN,    /* failed in a way that may pass */
    DG_AFRESH,   /* as it went it cannot go on; without a part it may */
    DG_NEXT,     /* no use asking this server again */
    DG_GIVE_UP   /* disk full, interrupted */
};

/* *err is set unless DG_COMPLETE; *wait_s is what the server asked for, else 0. */
enum dg_verdict dg_fetch_attempt(struct dg_fetch_job *job, int64_t *wait_s, struct t2_err *err);

#endif
