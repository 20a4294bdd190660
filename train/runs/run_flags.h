/*
 * train/runs/run_flags.h - the flag files of a run.
 */
#ifndef TR_RUN_FLAGS_H
#define TR_RUN_FLAGS_H

#include <stddef.h>

#include "base/err.h"
#include "base/flags.h"

/* Appends a flag and its value, "--name=value", "--name" or "--noname"; of a list one line for each
 * value.  Nothing for a group, or a string that was not given. */
void tr_flags_put(const struct t2_flag *flag, struct t2_strs *lines);

/*
 * Writes flags.txt (all rows; "--name=value", "--name", "--noname") and flags_t2t.txt (those of
 * tensor2tensor's utils/flags.py, "--name=value") into output_dir, as T2T does (spec t2t-trainer.md
 * §1.2).
 */
T2_MUST_CHECK enum t2_status tr_flags_write(const char *output_dir, const struct t2_flag *flags,
                                            size_t n_flags, struct t2_err *err);

#endif
