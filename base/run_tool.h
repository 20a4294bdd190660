/*
 * base/run_tool.h - main() of a tool with flags and no commands (those: subcommands.h).
 */
#ifndef T2_BASE_RUN_TOOL_H
#define T2_BASE_RUN_TOOL_H

#include "base/err.h"
#include "base/flags.h"

/* What the tool does, once its flags are set.  T2_EOF: the work was done and found what is wrong;
 * exit code 1, already reported. */
typedef enum t2_status (*t2_tool_work)(struct t2_err *err);

/* Log, signals, flags (no other arguments are expected), run, stdout; returns the exit code. */
int t2_run_tool(const struct t2_tool *tool, int argc, char **argv, t2_tool_work run);

/* What every main() does first: log, signals, and what is said when a mapped file is cut under the
 * program. */
void t2_begin_tool(const char *name);

/* T2_EIO when something that was printed did not get out: a full disk, a closed pipe. */
T2_MUST_CHECK enum t2_status t2_flush_stdout(struct t2_err *err);

#endif
