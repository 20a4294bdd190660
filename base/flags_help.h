/*
 * base/flags_help.h - the text of --help; used inside base/ only.
 */
#ifndef T2_BASE_FLAGS_HELP_H
#define T2_BASE_FLAGS_HELP_H

#include "base/buf.h"
#include "base/flags.h"

/* Appends usage, summary, flags by group with type and [default], examples, exit codes. */
void t2_flags_help(const struct t2_tool *tool, struct t2_buf *out);
/* Appends the same as a section of a Markdown document, and the flags of the originals that have no
 * row. */
void t2_flags_markdown(const struct t2_tool *tool, struct t2_buf *out);
/* "--data_dir=DIR", "--[no]quiet"; " [default]", nothing when there is none. */
void t2_flags_put_usage(struct t2_buf *out, const struct t2_flag *f);
void t2_flags_put_default(struct t2_buf *out, const struct t2_flag *f);
/* What stands for the value: "DIR", or by type "N", "X", "SIZE", "TEXT". */
const char *t2_flags_meta(const struct t2_flag *f);

#endif
