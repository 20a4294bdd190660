/*
 * train/ckpt/saver.h - checkpoints written by a thread of their own while training goes on.
 *
 * Saving copies variables and slots, and returns; the thread of low priority writes, reads back and
 * hashes.  One checkpoint is under way at a time: the next save waits for it.  On disk nothing
 * differs from ckpt_save, so that a checkpoint is complete or absent whenever the run is killed.
 * Without memory for a copy the same happens before these return.  Called by one thread.
 */
#ifndef CKPT_SAVER_H
#define CKPT_SAVER_H

#include "train/ckpt/checkpoint.h"

struct ckpt_saver;

/* params and opt are borrowed; output_dir is copied.  writer, aside: as for ckpt_draft_new.
 * T2_ENOMEM: no room for the copy. */
T2_MUST_CHECK enum t2_status ckpt_saver_new(const char *output_dir, int keep,
                                            const struct gr_params *params,
                                            const struct opt_optimizer *opt,
                                            struct opt_share writer, bool aside,
                                            struct ckpt_saver **saver, struct t2_err *err);
/* Waits for what is under way. */
void ckpt_saver_free(struct ckpt_saver *s);

/* The only writer begins to save; nothing may be under way.  Errors come with ckpt_saver_wait. */
void ckpt_saver_begin(struct ckpt_saver *s, const struct ckpt_state *state,
                      const struct mdl_hparams *hp);
/*
 * Of several writers each does this part by part, with nothing under way in between: between the
 * parts they meet (checkpoint.h).  The draft is created or opened when ckpt_saver_write copies and
 * begins to write; ckpt_saver_commit is the first writer's.
 */
struct ckpt_draft *ckpt_saver_draft(struct ckpt_saver *s);
void ckpt_saver_write(struct ckpt_saver *s);
void ckpt_saver_commit(struct ckpt_saver *s, const struct ckpt_runs *runs); /* borrowed */
/* Waits until the copies' memory is there, so that nothing is under way before the first save. */
void ckpt_saver_settle(struct ckpt_saver *s);
/* Would ckpt_saver_wait return at once? */
bool ckpt_saver_done(struct ckpt_saver *s);
/* Waits, and says how writing ended; T2_OK when nothing is under way. */
T2_MUST_CHECK enum t2_status ckpt_saver_wait(struct ckpt_saver *s, struct t2_err *err);

#endif
