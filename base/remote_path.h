/*
 * base/remote_path.h - paths that name another machine: gs://bucket/x, s3://bucket/x,
 * https://host/x.
 *
 * To open(2) such a path is a folder "gs:" in the current one, so a file meant for a bucket would
 * silently be on the local disk.  Until remote paths work they are refused: by t2_flags_parse for
 * the paths of a command line, and by the functions that open and create files for paths out of
 * files.  URLs of downloads are no paths and never come here.
 */
#ifndef T2_BASE_REMOTE_PATH_H
#define T2_BASE_REMOTE_PATH_H

#include <stdbool.h>

#include "base/err.h"

/* T2_OK for a local path; else, when path begins with a scheme of RFC 3986 and "://" (letter
 * *(letter / digit / + / - / .)), T2_EUNSUPPORTED, with the command that copies from or to there.
 * file:///x is refused too, and the message names x: no place for a path takes a URL. */
T2_MUST_CHECK enum t2_status t2_refuse_remote(const char *path, struct t2_err *err);

/* The same for each part of a list of paths: "a.en,gs://b/a.de", "news=gs://b/a.tsv;ted=b.tsv". */
T2_MUST_CHECK enum t2_status t2_refuse_remote_list(const char *paths, struct t2_err *err);

#endif
