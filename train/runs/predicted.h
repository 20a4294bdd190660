/*
 * train/runs/predicted.h - the ids that a model gave a batch of evaluation, and those it should
 * have given, of all ranks.
 */
#ifndef TR_PREDICTED_H
#define TR_PREDICTED_H

#include "train/dist/dist.h"
#include "train/eval/value_scores.h"
#include "train/models/model.h"

/* Zero-initialise.  Of targets that are no ids length is how many values an example has, and ids
 * and labels hold the bits of float32. */
struct tr_predicted {
    int32_t rows, length;
    int32_t *ids, *labels; /* (rows, length) */
    size_t capacity;       /* of each */
    bool wants_inputs;     /* set by the caller: batches have some */
    int32_t inputs_length;
    int32_t *inputs; /* (rows, inputs_length) */
    size_t inputs_capacity;
};

void tr_predicted_release(struct tr_predicted *p);
/* Makes room for the batch of all ranks, batch->all_rows. */
void tr_predicted_start(struct tr_predicted *p, const struct mdl_batch *batch);
/* The rows of a part of it, behind mdl_evaluate of that part. */
T2_MUST_CHECK enum t2_status tr_predicted_take(struct tr_predicted *p, struct mdl *model,
                                               const struct mdl_batch *part, struct t2_err *err);
/* Adds the values of the batch. */
void tr_predicted_add_values(const struct tr_predicted *p, struct ev_value_sums *sums);
/* Class labels: of the batch so many were right.  Which ones makes no difference to any score. */
void tr_predicted_labels(struct tr_predicted *p, int32_t rows, double n_right);

#endif
