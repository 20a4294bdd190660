/*
 * base/match_files.h - the files that a pattern of a command line means.
 */
#ifndef T2_BASE_MATCH_FILES_H
#define T2_BASE_MATCH_FILES_H

#include <stdbool.h>

#include "base/str.h"

/* Does it hold '*', '?' or '['? */
bool t2_is_pattern(const char *s);

/*
 * Appends the paths that match, sorted by bytes: not folders, nor hidden files, nor what is still
 * "<name>.incomplete".
 * '*', '?' and '[...]' stand for parts of the last name only, not of its folder, which may hold
 * such characters itself.  T2_OK also when there is none; a folder that cannot be read is an error.
 */
T2_MUST_CHECK enum t2_status t2_match_files(const char *pattern, struct t2_strs *paths,
                                            struct t2_err *err);

#endif
