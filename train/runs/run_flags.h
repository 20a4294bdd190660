/*
 * train/runs/run_flags.h - flags of tensor2tensor's trainer that have no row in ours, and the flag
 * files of a run.
 */
#ifndef TR_RUN_FLAGS_H
#define TR_RUN_FLAGS_H

#include <stddef.h>

#include "base/err.h"
#include "base/flags.h"

/*
 * Takes flags out of argv that tensor2tensor's programs share, of which `tool` has no row, and that
 * mean nothing to it (TPU, TensorFlow internals; steps and schedules where something is decoded),
 * so that a command line of the original works; a warning names them.  Others that would change the
 * result are T2_EUNSUPPORTED, unless they have the value that means "off".
 *
 * *kept (owned by the caller, t2_free) has the rest of argv, NULL-terminated.
 */
T2_MUST_CHECK enum t2_status tr_flags_take_foreign(const struct t2_tool *tool, int argc,
                                                   char **argv, char ***kept, int *n_kept,
                                                   struct t2_err *err);

/*
 * Writes flags.txt (all rows; "--name=value", "--name", "--noname") and flags_t2t.txt (those of
 * tensor2tensor's utils/flags.py, "--name=value") into output_dir, as T2T does (spec t2t-trainer.md
 * §1.2).
 */
T2_MUST_CHECK enum t2_status tr_flags_write(const char *output_dir, const struct t2_flag *flags,
                                            size_t n_flags, struct t2_err *err);

#endif
