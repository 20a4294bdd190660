/*
 * train/runs/next_batch.h - batches on their way from the input to the model.
 */
#ifndef TR_NEXT_BATCH_H
#define TR_NEXT_BATCH_H

#include "train/input/input.h"
#include "train/models/model.h"

/* Memory of batches that the model's device copies from beside its steps: *dev is looked at when
 * the first is made, and closed after the last is freed. */
struct in_memory tr_batch_memory(struct dev **dev);

/*
 * in_next, and the batch is sent (mdl_send), and so is the one after it when it is ready: it is
 * copied beside the step of this one.  Batches lie in tr_batch_memory.
 */
T2_MUST_CHECK enum t2_status tr_next_batch(struct in_input *in, struct mdl *m,
                                           struct mdl_batch *batch, uint64_t *samples,
                                           struct t2_err *err);

#endif
