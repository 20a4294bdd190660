/*
 * train/runs/run_study.h - t2t-trainer --hparams_range: a study in place of one run.
 */
#ifndef TR_RUN_STUDY_H
#define TR_RUN_STUDY_H

#include <stdbool.h>

#include "base/buf.h"
#include "train/runs/run.h"
#include "train/runs/trainer_flags.h"

/* True when tr_flags asks for a search.  T2_EUSAGE: flags of one without it. */
T2_MUST_CHECK enum t2_status tr_study_is_asked(bool *asked, struct t2_err *err);

/*
 * Begins or joins the study in o->output_dir, trains its trials (tune_work), and appends what it
 * found to *text: words, or one JSON object for --json.  A run with the hparams that all trials
 * share is opened first, so that what no trial could do is refused before there is a study.
 *
 * With --dry_run: nothing is written; the trials as they will be drawn, which of them hparams_*.c
 * would refuse, steps and time.
 *
 * defaults: tr_flags before it was parsed.  T2_EUSAGE when the folder has another study.  T2_EOF:
 * no trial has a result; *text says what they failed of.
 */
T2_MUST_CHECK enum t2_status tr_study(const struct tr_trainer_flags *defaults,
                                      const struct tr_options *o, struct t2_buf *text,
                                      struct t2_err *err);

#endif
