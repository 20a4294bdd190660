/*
 * base/flags_common.h - the flags that every tool has besides --help and --version; used inside
 * base/ only.
 */
#ifndef T2_BASE_FLAGS_COMMON_H
#define T2_BASE_FLAGS_COMMON_H

#include "base/flags.h"

/* Their values; t2_flags_parse turns them into the log level and the two accessors. */
struct t2_common_flags {
    int64_t num_threads;
    bool quiet, quiet_given;
    const char *verbosity;
    bool verbosity_given;
};
extern struct t2_common_flags t2_common_flags;

const struct t2_flag *t2_flags_common(size_t *n);

#endif
