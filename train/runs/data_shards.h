/*
 * train/runs/data_shards.h - a step whose batch is computed in shards, on one rank or on several.
 *
 * The original's --worker_gpu=S: a batch of all is cut into S shards of consecutive rows, each goes
 * through the model by itself, and losses and gradients are sums over the shards divided by the
 * targets of all (spec t2t-trainer.md §10.1).  Here a rank has consecutive shards and computes one
 * behind the other.  All sums over shards are made in an order that follows from S alone
 * (dist/shard_tree.h), so that a run has the same bits whatever the number of ranks.
 *
 * Batch normalisation uses the moments of a shard, and moving averages are moved by the shards in
 * their order, as there.
 */
#ifndef TR_DATA_SHARDS_H
#define TR_DATA_SHARDS_H

#include "train/dist/tree_sum.h"
#include "train/models/model.h"
#include "train/runs/predicted.h"

struct tr_shards;

/* For a model for training with n_shards data shards, whose gradients travel as `number`; all are
 * borrowed. */
struct tr_shards *tr_shards_new(struct dist *dist, struct dev *dev, struct mdl *model, int n_shards,
                                enum dist_number number);
/* Allocates what tr_shards_bytes says; before the first step. */
T2_MUST_CHECK enum t2_status tr_shards_place(struct tr_shards *s, struct t2_err *err);
void tr_shards_free(struct tr_shards *s); /* before the model; NULL is nothing */
/* What it has in device memory, and in the host's. */
void tr_shards_bytes(const struct tr_shards *s, uint64_t *device, uint64_t *host);

/* What ranks tell each other before a step. */
struct tr_word {
    int64_t n_targets; /* of this rank's rows; of all */
    int32_t stops;     /* this rank was told to stop; any was: nobody begins the step */
    int32_t saves;     /* what rank 0 says: the clock asks for a checkpoint */
    int32_t writes;    /* this rank writes a part of a checkpoint; any does */
};
T2_MUST_CHECK enum t2_status tr_shards_agree(struct dist *dist, const struct tr_word *mine,
                                             struct tr_word *all, struct t2_err *err);

/* mdl_queue_step of this rank's rows of a batch; n_targets: of all.  The gradients, the loss and
 * the states are those of all when it returns. */
T2_MUST_CHECK enum t2_status tr_shards_queue_step(struct tr_shards *s,
                                                  const struct mdl_batch *batch, int64_t n_targets,
                                                  uint64_t seed, uint64_t step, struct t2_err *err);

/* Of the values rank r has those at[r] .. at[r] + bytes[r] - 1 of the arena's bytes: all ranks get
 * all. */
T2_MUST_CHECK enum t2_status tr_shards_gather_values(struct tr_shards *s, const size_t *at,
                                                     const size_t *bytes, struct t2_err *err);

/* mdl_evaluate of this rank's rows, in shards; *loss is that of all, and so is *predicted, where it
 * is wanted (NULL: not).  `mine`: T2_OK, or why this rank has no batch, which all ranks get then
 * (batch is not looked at). */
T2_MUST_CHECK enum t2_status tr_shards_evaluate(struct dist *dist, struct mdl *model, int n_shards,
                                                const struct mdl_batch *batch, enum t2_status mine,
                                                struct mdl_loss *loss,
                                                struct tr_predicted *predicted, struct t2_err *err);

#endif
