/*
 * train/models/batch_stages.h - batches on a device with memory of its own, copied there beside the
 * step that runs; for model.c.
 *
 * Two stages in device memory take turns: what a step reads lies in one while DEV_COPY_IN fills the
 * other.  Events go both ways: compute waits for the copy, and the copy waits until compute has
 * read what the stage held before.
 */
#ifndef MDL_BATCH_STAGES_H
#define MDL_BATCH_STAGES_H

#include "train/models/model.h"

enum { MDL_N_STAGES = 2, MDL_MAX_PARTS = 15 };

/* A matrix of a batch. */
struct mdl_part {
    const void *host;
    size_t bytes, offset; /* in the stage's block */
};

struct mdl_stage {
    char *block;
    size_t block_bytes;
    struct mdl_part parts[MDL_MAX_PARTS];
    int n_parts;
    uint64_t ticket; /* mdl_batch.sent; 0: nothing that a step is to take */
    bool copying;    /* nobody has waited for `there` since */
    struct dev_event *there, *used;
};

/* Zero-initialise with dev, release. */
struct mdl_stages {
    struct dev *dev; /* borrowed */
    struct mdl_stage items[MDL_N_STAGES];
    int next; /* is filled next */
    uint64_t n_sent;
    const struct mdl_stage *taken; /* what the step that is fed now takes from; NULL: nothing */
};

void mdl_stages_release(struct mdl_stages *s);

/* Of all stages, for batches of this shape. */
uint64_t mdl_stages_bytes(const struct dev *dev, const struct mdl_shape *shape);

/* Makes room for so much, of all stages. */
T2_MUST_CHECK enum t2_status mdl_stages_reserve(struct mdl_stages *s, uint64_t bytes,
                                                struct t2_err *err);

/* mdl_send, mdl_wait_read, mdl_forget_sent. */
T2_MUST_CHECK enum t2_status mdl_stages_send(struct mdl_stages *s, struct mdl_batch *batch,
                                             struct t2_err *err);
void mdl_stages_wait_read(struct mdl_stages *s);
void mdl_stages_forget(struct mdl_stages *s);

/* From here to mdl_stages_end calls in DEV_COMPUTE read the batch.  One of bytes that was not sent
 * is copied now, in DEV_COMPUTE. */
T2_MUST_CHECK enum t2_status mdl_stages_begin(struct mdl_stages *s, const struct mdl_batch *batch,
                                              struct t2_err *err);
void mdl_stages_end(struct mdl_stages *s);
/* Where a matrix of this batch lies for kernels; NULL: it was not copied.  On a device of the
 * host's memory all lie where they are. */
const void *mdl_stages_find(const struct mdl_stages *s, const void *host);

#endif
