/*
 * base/remote/location.h - a remote path taken apart: gs://bucket/key, s3://bucket/key, or a URL.
 */
#ifndef T2_BASE_REMOTE_LOCATION_H
#define T2_BASE_REMOTE_LOCATION_H

#include "base/buf.h"
#include "base/remote_path.h"

struct t2_location {
    enum t2_scheme scheme;
    char *path;   /* as it was given, for messages: "S3://b/x//y" */
    char *name;   /* the same for every way to write it: "s3://b/x/y" */
    char *bucket; /* "b"; of a URL, "" */
    char *key;    /* "x/y": no slash in front, none doubled, none at the end; of a URL, all of it */
};

/* T2_EUSAGE for a path without a bucket, and for a URL that holds a password or a signature: paths
 * are printed.  *l is owned by the caller (t2_location_release, also on failure). */
T2_MUST_CHECK enum t2_status t2_location_parse(const char *path, struct t2_location *l,
                                               struct t2_err *err);
void t2_location_release(struct t2_location *l);

/* Appends s with all but letters, digits, "-._~" and the bytes in `also` as %41. */
void t2_url_encode(const char *s, const char *also, struct t2_buf *out);

#endif
