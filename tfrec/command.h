/*
 * tfrec/command.h - a command of tfrec: name, one sentence, what to call.
 *
 * One file a command, cmd_<name>.c; tfrec_main.c holds the list.  Each has its own flag table, so
 * `tfrec COMMAND --help` is complete.
 */
#ifndef REC_COMMAND_H
#define REC_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/flags.h"
#include "base/subcommands.h"
#include "tfrecord/inputs.h"

struct t2_pool;

/* Parses flags, takes the remaining arguments as INPUTs.  args and in are released by the
 * caller. */
T2_MUST_CHECK enum t2_status rec_parse_inputs(const struct t2_tool *tool, int argc, char **argv,
                                              struct tfr_inputs *in, struct t2_err *err);
/* tfr_inputs_find for a command line: -3, as other tools count, is answered by what it is here. */
T2_MUST_CHECK enum t2_status rec_find_inputs(const struct t2_strs *args, struct tfr_inputs *in,
                                             struct t2_err *err);
/* Adds the way out to a failure that says a record file is damaged. */
void rec_explain(struct t2_err *err);
/* A pool of the size that -j asks for. */
struct t2_pool *rec_pool_new(void);

#endif
