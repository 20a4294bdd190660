/*
 * base/remote/entry_name.h - names and times in listings.
 */
#ifndef T2_BASE_REMOTE_ENTRY_NAME_H
#define T2_BASE_REMOTE_ENTRY_NAME_H

#include <stdint.h>

#include "base/err.h"

/*
 * The name behind the prefix ("x/y.gz" below "x/" is "y.gz"; of a folder, "x/z/", it is "z").  NULL
 * for what has no name in a folder: the prefix itself, "", ".", "..", and keys with a doubled
 * slash.  T2_EFORMAT when key does not begin with prefix, or lies deeper.  *name is owned by the
 * caller.
 */
T2_MUST_CHECK enum t2_status t2_entry_name(const char *key, const char *prefix, const char *origin,
                                           char **name, struct t2_err *err);

/* Seconds since 1970 of "2026-11-23T15:04:05.000Z"; 0 for what is none. */
int64_t t2_iso_time(const char *text);

#endif
