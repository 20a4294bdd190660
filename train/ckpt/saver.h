/*
 * train/ckpt/saver.h - checkpoints written by a thread of their own while training goes on.
 *
 * Saving copies variables and slots, and returns; the thread of low priority writes, hashes and
 * reads back.  One checkpoint is under way at a time: the next save waits for it.  On disk nothing
 * differs from ckpt_save, so that a checkpoint is complete or absent whenever the run is killed.
 * Called by one thread.
 */
#ifndef CKPT_SAVER_H
#define CKPT_SAVER_H

#include "train/ckpt/checkpoint.h"

struct ckpt_saver;

/* params and opt are borrowed; output_dir is copied.  T2_ENOMEM: no room for the copy. */
T2_MUST_CHECK enum t2_status ckpt_saver_new(const char *output_dir, int keep,
                                            const struct gr_params *params,
                                            const struct opt_optimizer *opt,
                                            struct ckpt_saver **saver, struct t2_err *err);
/* Waits for what is under way. */
void ckpt_saver_free(struct ckpt_saver *s);

/* Begins to save; nothing may be under way (ckpt_saver_wait). */
T2_MUST_CHECK enum t2_status ckpt_saver_begin(struct ckpt_saver *s, const struct ckpt_state *state,
                                              const struct mdl_hparams *hp, struct t2_err *err);
/* Would ckpt_saver_wait return at once? */
bool ckpt_saver_done(struct ckpt_saver *s);
/* Waits, and says how writing ended; T2_OK when nothing is under way. */
T2_MUST_CHECK enum t2_status ckpt_saver_wait(struct ckpt_saver *s, struct t2_err *err);

#endif
