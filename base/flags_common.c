/*
 * base/flags_common.c - see the header.
 */
#include "base/flags_common.h"

struct t2_common_flags t2_common_flags = {.verbosity = "info"};

static const struct t2_flag flags[] = {
    {"num_threads", T2_FLAG_INT, &t2_common_flags.num_threads, "N",
     "Threads to use, this one included; 0 = one per CPU that is allowed. Also -j N.", NULL},
    {"quiet", T2_FLAG_BOOL, &t2_common_flags.quiet, NULL,
     "Print only warnings and errors, no progress.", &t2_common_flags.quiet_given},
    {"verbosity", T2_FLAG_STRING, &t2_common_flags.verbosity, "LEVEL",
     "error, warning, info or debug; T2_LOG in the environment does the same.",
     &t2_common_flags.verbosity_given},
};

const struct t2_flag *t2_flags_common(size_t *n)
{
    *n = sizeof flags / sizeof *flags;
    return flags;
}
