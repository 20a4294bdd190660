/*
 * base/remote_path.h - paths that name another machine: gs://bucket/x, s3://bucket/x,
 * https://host/x.
 *
 * The functions of io.h, file.h and dir_lock.h take them as they take local ones
 * (remote/remote_file.h).  To open(2) such a path would be a folder "gs:" in the current one, so
 * whatever cannot work with another machine refuses it by name: paths of other schemes always,
 * paths of flags that only a local file will do for, by t2_refuse_remote.
 */
#ifndef T2_BASE_REMOTE_PATH_H
#define T2_BASE_REMOTE_PATH_H

#include <stdbool.h>

#include "base/err.h"

enum t2_scheme { T2_SCHEME_NONE, T2_SCHEME_GS, T2_SCHEME_S3, T2_SCHEME_HTTP, T2_SCHEME_OTHER };

/* Of a path that begins with a scheme of RFC 3986 and "://" (letter *(letter / digit / + / - / .)),
 * in any case; http is https without TLS. */
enum t2_scheme t2_path_scheme(const char *path);
/* gs, s3, http or https. */
bool t2_is_remote(const char *path);

/* T2_OK for a local path, and for one that t2_is_remote.  Others are T2_EUNSUPPORTED; of
 * file:///x the message names x: no place for a path takes such a URL. */
T2_MUST_CHECK enum t2_status t2_check_scheme(const char *path, struct t2_err *err);
/* The same for each part of a list of paths: "a.en,gs://b/a.de", "news=gs://b/a.tsv;ted=b.tsv". */
T2_MUST_CHECK enum t2_status t2_check_schemes(const char *paths, struct t2_err *err);

/* T2_OK for local paths only; the message says what to copy with. */
T2_MUST_CHECK enum t2_status t2_refuse_remote(const char *path, struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_refuse_remote_list(const char *paths, struct t2_err *err);

#endif
