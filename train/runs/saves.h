/*
 * train/runs/saves.h - checkpoints of a run: begun by the loop, written beside it (ckpt/saver.h).
 *
 * Where there is no memory for a copy of variables and slots, a save is written before it returns;
 * the files are the same.  All ranks call these together, and each writes a part of both files.
 */
#ifndef TR_SAVES_H
#define TR_SAVES_H

#include "base/err.h"
#include "train/runs/run.h"

/* Is there memory for the copy beside the plan?  Before anything is allocated. */
bool tr_saves_fit_aside(const struct tr_run *r);
/* Makes room for the copy, if it fits.  The optimizer is there. */
T2_MUST_CHECK enum t2_status tr_saves_open(struct tr_run *r, struct t2_err *err);
void tr_saves_close(struct tr_run *r);

/* Begins to save the step that the run is at; what was under way is waited for.  Nothing happens
 * when it is saved, or is being saved.  The message of an error says how to go on. */
T2_MUST_CHECK enum t2_status tr_save_begin(struct tr_run *r, struct t2_err *err);
/* Waits until what is being saved is there, and says so.  T2_OK when nothing is. */
T2_MUST_CHECK enum t2_status tr_save_end(struct tr_run *r, struct t2_err *err);
/* The same, if that takes no time; called between two steps. */
T2_MUST_CHECK enum t2_status tr_save_poll(struct tr_run *r, struct t2_err *err);
#endif
