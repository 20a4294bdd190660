/*
 * train/ckpt/checkpoint.h - save and restore a training run (architecture D11).
 *
 * output_dir holds model-<step>.safetensors, optimizer-<step>.safetensors and, written last,
 * state-<step>.json with the hashes of both.  A step without a valid state file does not exist.
 */
#ifndef CKPT_CHECKPOINT_H
#define CKPT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

/* A checkpoint's own description, and that of the data that it belongs to. */
struct ckpt_state {
    int64_t step;
    uint64_t seed;
    uint64_t samples; /* position in the sample order (input's `next`) */
    char model[64];
    char hparams_set[128];
    char problem[256];
    char inputs_vocab_sha256[65]; /* "" when the problem has no such vocabulary */
    char targets_vocab_sha256[65];
    char manifest_sha256[65];
    char precision[16];  /* dev_precision_name; "" in a state that does not say */
    double wall_seconds; /* training time so far */
};

/* How many a run keeps, and how many a mean is of, unless the user says otherwise. */
enum { CKPT_KEEP_DEFAULT = 5 };

/* Saves under output_dir (made when absent) and removes all but the newest keep (0 = keep all)
 * checkpoints, after the new one reads back.  opt may be NULL (averaged checkpoints: they can be
 * decoded, not trained on).  Interrupted at any point, the older checkpoints stand and the new one
 * does not exist. */
T2_MUST_CHECK enum t2_status ckpt_save(const char *output_dir, const struct ckpt_state *state,
                                       const struct mdl_hparams *hp, const struct gr_params *params,
                                       const struct opt_optimizer *opt, int keep,
                                       struct t2_err *err);

/*
 * Removes what a killed run left of checkpoints that it did not finish: model and optimizer files
 * of steps without a state, and temporary files nobody writes.  *n counts them.  Call with the
 * folder locked.
 */
T2_MUST_CHECK enum t2_status ckpt_remove_unfinished(const char *output_dir, int64_t *n,
                                                    struct t2_err *err);

/* Steps with a state file, ascending; *steps owned by the caller (t2_free).  None is no error, nor
 * is an absent output_dir. */
T2_MUST_CHECK enum t2_status ckpt_list(const char *output_dir, int64_t **steps, size_t *n,
                                       struct t2_err *err);

/* Reads the state and hparams of a step (-1 = the newest); T2_ENOTFOUND when there is none.  hp
 * (may be NULL) gets a new object owned by the caller.  A damaged file is T2_EFORMAT, here and
 * below; the message names it and says how to go on from the checkpoint before. */
T2_MUST_CHECK enum t2_status ckpt_load_state(const char *output_dir, int64_t step,
                                             struct ckpt_state *state, struct mdl_hparams **hp,
                                             struct t2_err *err);
/* Fills variables (and slots and the count of updates when opt is not NULL); the files' hashes are
 * checked first.  Names and shapes must agree exactly: the
 * message names the first that does not, both shapes, or what is missing. */
T2_MUST_CHECK enum t2_status ckpt_restore(const char *output_dir, int64_t step,
                                          struct gr_params *params, struct opt_optimizer *opt,
                                          struct t2_err *err);
/* The same of variables that are not to be trained on, with their moving averages in place of them
 * where the hparams of the run have some (optim/optimizer.h) and the checkpoint, too. */
T2_MUST_CHECK enum t2_status ckpt_restore_for_use(const char *output_dir, int64_t step,
                                                  const struct mdl_hparams *hp,
                                                  struct gr_params *params, struct t2_err *err);
/* Mean of the variables of the newest n checkpoints at or before step (-1 = newest) into params; of
 * fewer when there are not as many.  Sums are double. */
T2_MUST_CHECK enum t2_status ckpt_restore_average(const char *output_dir, int64_t step, int n,
                                                  struct gr_params *params, struct t2_err *err);

#endif
