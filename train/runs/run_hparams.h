/*
 * train/runs/run_hparams.h - the hyperparameters of a run: chosen, compared with those it began
 * with, and written to hparams.json.
 *
 * Difference to T2T, on purpose: there the hparams.json of the run silently overrides --hparams_set
 * (spec t2t-trainer.md §1.3).  Here a run that is continued has the hparams it began with: leave
 * the flags out, or give the same.  What differs is refused by name, in three classes:
 *   - always accepted, and logged: what only says how long (learning_rate_decay_steps,
 *     learning_rate_cosine_cycle_steps) or how much is reported;
 *   - accepted with --allow_hparams_change: learning rate, clipping, dropout, noise, decay, the
 *     optimizer's numbers;
 *   - never: everything else changes the model or the order of the data.
 */
#ifndef TR_RUN_HPARAMS_H
#define TR_RUN_HPARAMS_H

#include <stdbool.h>

#include "base/err.h"
#include "train/models/hparams.h"

/*
 * set may be NULL when `old`, the hparams of the run that is continued, is not.  overrides may be
 * NULL.  layers: the text of a layer file, whose parameters are hparams, too; NULL: that of `old`,
 * or none.  *hp is owned by the caller.  T2_EUSAGE names what is wrong, or up to three hparams that
 * differ with both values.
 */
T2_MUST_CHECK enum t2_status tr_hparams_choose(const char *set, const char *layers,
                                               const char *overrides, const struct mdl_hparams *old,
                                               bool allow_change, struct mdl_hparams **hp,
                                               struct t2_err *err);

/* An entry of hparams.json that is not an hparam. */
struct tr_runtime_entry {
    const char *key;
    const char *json; /* its value */
};

/* Writes <output_dir>/hparams.json as T2T does: keys sorted, one a line. */
T2_MUST_CHECK enum t2_status tr_hparams_write(const char *output_dir, const struct mdl_hparams *hp,
                                              const struct tr_runtime_entry *entries,
                                              size_t n_entries, struct t2_err *err);

#endif
