/*
 * train/ckpt/checkpoint.h - save and restore a training run (architecture D11).
 *
 * output_dir holds model-<step>.safetensors, optimizer-<step>.safetensors and, written last,
 * state-<step>.json with the hashes of both.  A step without a valid state file does not exist.
 * Checkpoints of TensorFlow's that lie there (tensorflow_run.h) are read as if they were ours, and
 * neither written nor removed.
 */
#ifndef CKPT_CHECKPOINT_H
#define CKPT_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/ckpt/pieces.h"
#include "train/ckpt/safetensors.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/loss_scale.h"
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
    char precision[16];               /* dev_precision_name; "" in a state that does not say */
    double wall_seconds;              /* training time so far */
    int64_t data_shards;              /* of its batches; 0 in a state that does not say: 1 */
    bool global_batch_size;           /* hparam batch_size is of all data shards */
    uint32_t damage_crc;              /* of the damaged records passed over; 0: none */
    struct opt_loss_scale loss_scale; /* of --precision=float16; its scale is 0 otherwise */
    /* One of the original trainers wrote it: samples is 0, and names are "" where its files do not
     * tell. */
    bool of_tensorflow;
};

/* How many a run keeps, and how many a mean is of, unless the user says otherwise. */
enum { CKPT_KEEP_DEFAULT = 5 };

enum { CKPT_MOST_SHARDS = 4096 };

/* Saves under output_dir (made when absent) and removes all but the newest keep (0 = keep all)
 * checkpoints, after the new one reads back.  opt may be NULL (averaged checkpoints: they can be
 * decoded, not trained on).  Interrupted at any point, the older checkpoints stand and the new one
 * does not exist. */
T2_MUST_CHECK enum t2_status ckpt_save(const char *output_dir, const struct ckpt_state *state,
                                       const struct mdl_hparams *hp, const struct gr_params *params,
                                       const struct opt_optimizer *opt, int keep,
                                       struct t2_err *err);

/*
 * A checkpoint that is being written, by one writer or by several (ranks) at the same time: each
 * puts its part of the bytes into the files, which are those of one writer, whatever their number.
 * Nothing has its name before all of it is there and has been read.
 *
 *   the first writer          the others
 *   ckpt_draft_create
 *   ckpt_draft_places   ->    ckpt_draft_open       do all find the files?
 *   ckpt_draft_copy           ckpt_draft_copy       then values may change
 *   ckpt_draft_write          ckpt_draft_write      by any thread
 *   ckpt_draft_commit   <-    ckpt_draft_runs       of all writers; by any thread
 *
 * Made once, used again and again.  A draft that failed is dropped before it is used again.
 */
struct ckpt_draft;

/* Memory that its copies take, of the host. */
uint64_t ckpt_draft_bytes(const struct gr_params *params, const struct opt_optimizer *opt,
                          struct opt_share writer);
/* params and opt are borrowed; opt NULL: as for ckpt_save; of an optimizer that is shared a writer
 * has the same share.  aside: with memory for copies (T2_ENOMEM).  *draft is owned by the
 * caller. */
T2_MUST_CHECK enum t2_status ckpt_draft_new(const struct gr_params *params,
                                            const struct opt_optimizer *opt,
                                            struct opt_share writer, bool aside,
                                            struct ckpt_draft **draft, struct t2_err *err);
void ckpt_draft_free(struct ckpt_draft *d);
bool ckpt_draft_copies(const struct ckpt_draft *d);
/* Writes to all memory of the copies, so that the system has given it before the first one. */
void ckpt_draft_warm(struct ckpt_draft *d);

/* The first writer begins: makes the folder and both files under temporary names. */
T2_MUST_CHECK enum t2_status ckpt_draft_create(struct ckpt_draft *d, const char *output_dir,
                                               const struct ckpt_state *state,
                                               const struct mdl_hparams *hp, struct t2_err *err);
/* Where its files are, for the others: places (CKPT_FILES). */
enum { CKPT_FILES = 2, CKPT_PLACE_BYTES = 4096 };
struct ckpt_place {
    char path[CKPT_PLACE_BYTES];
    uint64_t inode;
    uint64_t data_at; /* behind the header */
};
void ckpt_draft_places(const struct ckpt_draft *d, struct ckpt_place *places);
/* Another writer begins.  False: it does not find these very files, as it has another disk. */
bool ckpt_draft_open(struct ckpt_draft *d, int64_t step, const struct ckpt_place *places);

/* Copies what this writer writes, with the host's threads; without memory for it nothing. */
void ckpt_draft_copy(struct ckpt_draft *d);
/* Its part, from the copies, or from the values as they are now. */
T2_MUST_CHECK enum t2_status ckpt_draft_write(struct ckpt_draft *d, struct t2_err *err);

/*
 * Where not all find the files: the first writer writes what it has by itself, which is all but
 * shared slots; these it gets from the others, while they send theirs, in this order.  In place of
 * ckpt_draft_copy.
 */
void ckpt_draft_keep_alone(struct ckpt_draft *d);
typedef enum t2_status (*ckpt_receive_fn)(void *context, int from, void *to, size_t bytes,
                                          struct t2_err *err);
T2_MUST_CHECK enum t2_status ckpt_draft_receive(struct ckpt_draft *d, ckpt_receive_fn receive,
                                                void *context, struct t2_err *err);
typedef enum t2_status (*ckpt_send_fn)(void *context, const void *data, size_t bytes,
                                       struct t2_err *err);
T2_MUST_CHECK enum t2_status ckpt_draft_send(const struct ckpt_draft *d, ckpt_send_fn send,
                                             void *context, struct t2_err *err);

/* What this writer has written; borrowed. */
const struct ckpt_runs *ckpt_draft_runs(const struct ckpt_draft *d);
/* The first writer: brings the files to disk, reads them, gives them their names, writes the state,
 * and removes old checkpoints, as ckpt_save.  `runs` are those of all.  On failure nothing new has
 * its name. */
T2_MUST_CHECK enum t2_status ckpt_draft_commit(struct ckpt_draft *d, const struct ckpt_runs *runs,
                                               int keep, struct t2_err *err);
/* Temporary files go, and the draft can be used again. */
void ckpt_draft_drop(struct ckpt_draft *d);

/*
 * Checkpoints that ckpt_save does not remove, whatever its keep: the file kept.txt of output_dir, a
 * line "<why> <step>" for each.  Adds these steps; `replace`: in place of those that were there for
 * the same reason, a word.
 */
T2_MUST_CHECK enum t2_status ckpt_protect(const char *output_dir, const char *why,
                                          const int64_t *steps, size_t n, bool replace,
                                          struct t2_err *err);
/* Is it one of them? */
T2_MUST_CHECK enum t2_status ckpt_is_protected(const char *output_dir, int64_t step, bool *is,
                                               struct t2_err *err);

/*
 * Removes what a killed run left of checkpoints that it did not finish: model and optimizer files
 * of steps without a state, and temporary files nobody writes.  *n counts them.  Call with the
 * folder locked.
 */
T2_MUST_CHECK enum t2_status ckpt_remove_unfinished(const char *output_dir, int64_t *n,
                                                    struct t2_err *err);

/* Steps with a state file or a bundle of TensorFlow's, ascending; *steps owned by the caller
 * (t2_free).  None is no error, nor is an absent output_dir. */
T2_MUST_CHECK enum t2_status ckpt_list(const char *output_dir, int64_t **steps, size_t *n,
                                       struct t2_err *err);

/* Reads the state and hparams of a step (-1 = the newest); T2_ENOTFOUND when there is none.  hp
 * (may be NULL) gets a new object owned by the caller; NULL of a run of TensorFlow's whose files do
 * not name the set (ckpt_tf_hparams).  A damaged file is T2_EFORMAT, here and below; the message
 * names it and says how to go on from the checkpoint before. */
T2_MUST_CHECK enum t2_status ckpt_load_state(const char *output_dir, int64_t step,
                                             struct ckpt_state *state, struct mdl_hparams **hp,
                                             struct t2_err *err);
/* The hparams of a run of Tensor2Tensor's, of which the set is known: its hparams.json; NULL: there
 * is none.  Owned by the caller. */
T2_MUST_CHECK enum t2_status ckpt_tf_hparams(const char *output_dir, const char *set,
                                             struct mdl_hparams **hp, struct t2_err *err);
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
/*
 * The file with the variables of a checkpoint that `from` names: a folder of a run (its newest), a
 * file of one of its checkpoints, another .safetensors file, or the prefix of a bundle of
 * TensorFlow's.  *path is its name for messages; both are the caller's.  T2_ENOTFOUND: there is
 * none.
 */
T2_MUST_CHECK enum t2_status ckpt_open_named(const char *from, char **path, struct ckpt_file **f,
                                             struct t2_err *err);
/* The slots of a checkpoint's optimizer, among other tensors of training where the checkpoint is
 * TensorFlow's; *f is NULL when it has no optimizer.  Closed by the caller. */
T2_MUST_CHECK enum t2_status ckpt_open_slots(const char *output_dir, int64_t step,
                                             struct ckpt_file **f, int64_t *updates,
                                             struct t2_err *err);
/* Mean of the variables of the newest n checkpoints at or before step (-1 = newest) into params; of
 * fewer when there are not as many.  Sums are double. */
T2_MUST_CHECK enum t2_status ckpt_restore_average(const char *output_dir, int64_t step, int n,
                                                  struct gr_params *params, struct t2_err *err);

#endif
