/*
 * base/remote_path.h - paths that name another machine: gs://bucket/x, s3://bucket/x,
 * https://host/x.
 *
 * To open(2) such a path is a folder "gs:" in the current one, so what should have been in a bucket
 * is on the local disk and nobody says so.  Until remote paths work they are refused: by
 * t2_flags_parse for what a command line names, and by those who open and create files for what a
 * file names. URLs of downloads are no paths and never come here.
 */
#ifndef T2_BASE_REMOTE_PATH_H
#define T2_BASE_REMOTE_PATH_H

#include <stdbool.h>

#include "base/err.h"

/* T2_OK for a local path; else, when path begins with a scheme of RFC 3986 and "://" (letter
 * *(letter / digit / + / - / .)), T2_EUNSUPPORTED, with the command that copies from or to there.
 * file:///x is refused too, with x: what takes paths takes no URLs. */
T2_MUST_CHECK enum t2_status t2_refuse_remote(const char *path, struct t2_err *err);

/* The same for each part of a list of paths: "a.en,gs://b/a.de", "news=gs://b/a.tsv;ted=b.tsv". */
T2_MUST_CHECK enum t2_status t2_refuse_remote_list(const char *paths, struct t2_err *err);

#endif
