/*
 * base/run_tool.h - main() of a tool with flags and no commands (those: subcommands.h).
 */
#ifndef T2_BASE_RUN_TOOL_H
#define T2_BASE_RUN_TOOL_H

#include "base/err.h"
#include "base/flags.h"

/* The tool's work, once its flags are set.  T2_EOF: the work was done and found faults, already
 * reported; exit code 1. */
typedef enum t2_status (*t2_tool_work)(struct t2_err *err);

/* Log, signals, flags (no other arguments are expected), run, stdout; returns the exit code. */
int t2_run_tool(const struct t2_tool *tool, int argc, char **argv, t2_tool_work run);

/* The middle of it: flags, run, stdout. */
T2_MUST_CHECK enum t2_status t2_try_tool(const struct t2_tool *tool, int argc, char **argv,
                                         t2_tool_work run, struct t2_err *err);

/* The first call of every main(): log, signals, remote paths, and the message for a mapped file
 * that is truncated while it is read. */
void t2_begin_tool(const char *name);
/* The last one: waits until remote files are sent, reports *err unless st is T2_OK or T2_EOF, and
 * returns the exit code. */
int t2_end_tool(enum t2_status st, struct t2_err *err);

/* T2_EIO when printed text could not be written: a full disk, a closed pipe. */
T2_MUST_CHECK enum t2_status t2_flush_stdout(struct t2_err *err);

#endif
