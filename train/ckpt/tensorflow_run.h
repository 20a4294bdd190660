/*
 * train/ckpt/tensorflow_run.h - run folders of the original trainers: which checkpoints they hold,
 * and what their other files say of the run; for checkpoint*.c.
 *
 *   model.ckpt-<step>            Tensor2Tensor and other estimators
 *   ctl_step_<step>.ckpt-<n>     the official Transformer's own loop
 *   ckpt-<step>                  Model Garden
 *   hparams.json, flags_t2t.txt, flags.txt    Tensor2Tensor's description of the run
 */
#ifndef CKPT_TENSORFLOW_RUN_H
#define CKPT_TENSORFLOW_RUN_H

#include "train/ckpt/checkpoint_state.h"

/* "model.ckpt-700.index" -> 700; -1 for every other name. */
int64_t ckpt_tf_step_of_name(const char *name);
/* The prefix of the bundle of a step in a folder; NULL: there is none.  Owned by the caller. */
char *ckpt_tf_prefix(const char *output_dir, int64_t step);

/* What the folder says of the run: step, and model, problem and hparams set where the files of
 * flags name them ("" where not).  *hp (may be NULL) is NULL when no set is named. */
T2_MUST_CHECK enum t2_status ckpt_tf_record_read(const char *output_dir, int64_t step,
                                                 struct ckpt_record *record,
                                                 struct mdl_hparams **hp, struct t2_err *err);

#endif
