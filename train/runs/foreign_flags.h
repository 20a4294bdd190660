/*
 * train/runs/foreign_flags.h - flags of Tensor2Tensor's trainer and decoder that have no row in
 * ours, for struct t2_tool.
 */
#ifndef TR_FOREIGN_FLAGS_H
#define TR_FOREIGN_FLAGS_H

#include "base/flags.h"

extern const struct t2_foreign tr_foreign_flags[];
/* Those that every program of absl has. */
extern const struct t2_foreign tr_absl_flags[];

#endif
