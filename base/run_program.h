/*
 * base/run_program.h - another program of ours as a process that is waited for.
 */
#ifndef T2_BASE_RUN_PROGRAM_H
#define T2_BASE_RUN_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Runs argv (argv[0] is the program; ends with NULL when this returns) and waits for its end.  A
 * program without a slash in its name is the one beside this one, or else in PATH.  With
 * stdout_to_stderr what it prints goes to stderr.
 *
 * T2_ENOTFOUND, T2_EIO: it cannot be started; T2_EFORMAT: it failed, and has said why, or a signal
 * ended it; T2_EINTERRUPTED.
 */
T2_MUST_CHECK enum t2_status t2_run_program(struct t2_strs *argv, bool stdout_to_stderr,
                                            struct t2_err *err);

#endif
