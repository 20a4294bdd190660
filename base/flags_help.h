/*
 * base/flags_help.h - the text of --help; used inside base/ only.
 */
#ifndef T2_BASE_FLAGS_HELP_H
#define T2_BASE_FLAGS_HELP_H

#include "base/buf.h"
#include "base/flags.h"

/* Appends usage, summary, flags by group with type and [default], examples, exit codes. */
void t2_flags_help(const struct t2_tool *tool, struct t2_buf *out);
/* What stands for the value: "DIR", or by type "N", "X", "SIZE", "TEXT". */
const char *t2_flags_meta(const struct t2_flag *f);

#endif
