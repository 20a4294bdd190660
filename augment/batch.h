/*
 * augment/batch.h - batches of images for training, decoded and augmented on all threads.
 */
#ifndef AUG_BATCH_H
#define AUG_BATCH_H

#include "augment/pipelines.h"
#include "base/pool.h"

/* One image of a batch; index names its stream of random numbers. */
struct aug_file {
    const uint8_t *data;
    size_t len_bytes;
    uint64_t index;
};

struct aug_batch_settings {
    const struct aug_pipeline *pipeline;
    int32_t size; /* 0: the pipeline's; images that the pipeline leaves as they are must have it */
    uint64_t seed;
    enum aug_layout layout;
};

/* Keeps a worker per thread of the pool, which must outlive it. */
struct aug_batcher;
struct aug_batcher *aug_batcher_new(struct t2_pool *pool, const struct aug_batch_settings *s);
void aug_batcher_free(struct aug_batcher *b);

/* Floats of one image: size * size * channels. */
size_t aug_batcher_floats(const struct aug_batcher *b);
/* Bytes of one image are as many. */

/*
 * Makes n images one behind the other: floats, or bytes (before normalising, as aug_pipeline_run)
 * when floats is NULL.  choices may be NULL; else what was chosen for each of the n.  The result
 * does not depend on the number of threads.  Of several failures the first by place in `files` is
 * reported; its message begins with "image <index>".
 */
T2_MUST_CHECK enum t2_status aug_batch_make(struct aug_batcher *b, const struct aug_file *files,
                                            size_t n, uint64_t epoch, float *floats, uint8_t *bytes,
                                            struct aug_choices *choices, struct t2_err *err);

#endif
