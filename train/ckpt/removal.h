/*
 * train/ckpt/removal.h - checkpoints that go: old ones, and what a killed run left of one
 * (ckpt_remove_unfinished of checkpoint.h); for checkpoint.c only.
 */
#ifndef CKPT_REMOVAL_H
#define CKPT_REMOVAL_H

#include <stdint.h>

#include "base/err.h"

/* Makes the folder; an older state of this step no longer vouches for the files that come. */
T2_MUST_CHECK enum t2_status ckpt_begin_files(const char *output_dir, int64_t step,
                                              struct t2_err *err);
/* All but the newest `keep` up to `step`, and those that are protected. */
T2_MUST_CHECK enum t2_status ckpt_remove_old(const char *output_dir, int64_t step, int keep,
                                             struct t2_err *err);

#endif
