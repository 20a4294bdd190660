/*
 * train/runs/hp_flags.h - Tensor2Tensor's --hp_NAME VALUE: hparams as flags, which programs that
 * start trials use.
 */
#ifndef TR_HP_FLAGS_H
#define TR_HP_FLAGS_H

#include "base/err.h"
#include "base/str.h"

/* The arguments with every "--hp_NAME VALUE" and "--hp_NAME=VALUE" as NAME=VALUE behind what
 * --hparams says, in their order; the others as they are.  T2_EUSAGE: no name, or no value. */
T2_MUST_CHECK enum t2_status tr_join_hp_flags(int argc, char *const *argv, struct t2_strs *args,
                                              struct t2_err *err);

#endif
