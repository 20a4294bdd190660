/*
 * tests/support/image_batches.h - batches of images, decoded and augmented on all threads: for the
 * oracle of the images' way into shards and for the bench.  Training's own batches are made by
 * train/input/image_batch.h.
 */
#ifndef T2_TESTS_SUPPORT_IMAGE_BATCHES_H
#define T2_TESTS_SUPPORT_IMAGE_BATCHES_H

#include <inttypes.h>

#include "augment/pipelines.h"
#include "base/alloc.h"
#include "base/pool.h"

/* One image of a batch; index names its stream of random numbers. */
struct t_file {
    const uint8_t *data;
    size_t len_bytes;
    uint64_t index;
};

/* Set all but workers, files, epoch, floats and failed. */
struct t_batcher {
    struct t2_pool *pool;
    const struct aug_pipeline *pipeline;
    uint64_t seed;
    enum aug_layout layout;
    struct aug_worker **workers; /* one per thread */
    /* of the batch being made */
    const struct t_file *files;
    uint64_t epoch;
    float *floats;
    struct t2_err *failed; /* of each image; T2_OK: none */
};

static inline void t_batcher_begin(struct t_batcher *b)
{
    size_t n = (size_t) t2_pool_threads(b->pool);

    b->workers = t2_alloc(n, sizeof *b->workers);
    for (size_t i = 0; i < n; i++)
        b->workers[i] = aug_worker_new();
}

static inline void t_batcher_end(struct t_batcher *b)
{
    for (int i = 0; i < t2_pool_threads(b->pool); i++)
        aug_worker_free(b->workers[i]);
    t2_free(b->workers);
}

/* Floats of one image: size * size * channels. */
static inline size_t t_batcher_floats(const struct t_batcher *b)
{
    size_t size = (size_t) b->pipeline->size;

    return size * size * (size_t) aug_pipeline_channels(b->pipeline);
}

static inline enum t2_status t_batch_one(struct t_batcher *b, size_t i, struct aug_worker *w,
                                         struct t2_err *err)
{
    const struct t_file *f = &b->files[i];
    int32_t size = b->pipeline->size;
    struct aug_choices c;
    struct aug_info info;
    struct t2_rng r;

    T2_TRY(aug_probe(f->data, f->len_bytes, &info, err));
    aug_image_stream(&r, b->seed, b->epoch, f->index);
    aug_choose(b->pipeline, size, &info, &r, &c);
    return aug_pipeline_store(w, b->pipeline, size, f->data, f->len_bytes, &c, b->layout,
                              b->floats + i * t_batcher_floats(b), err);
}

static inline void t_batch_work(void *arg, int64_t piece, int worker)
{
    struct t_batcher *b = arg;

    (void) t_batch_one(b, (size_t) piece, b->workers[worker], &b->failed[piece]);
}

/* n images one behind the other in floats; of several failures the first is reported. */
static inline enum t2_status t_batch_make(struct t_batcher *b, const struct t_file *files, size_t n,
                                          uint64_t epoch, float *floats, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    b->files = files;
    b->epoch = epoch;
    b->floats = floats;
    b->failed = t2_alloc(n, sizeof *b->failed);
    t2_pool_run(b->pool, (int64_t) n, t_batch_work, b);
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        if (b->failed[i].status != T2_OK)
            st = t2_fail(err, b->failed[i].status, "image %" PRIu64 ": %s", files[i].index,
                         b->failed[i].message);
    }
    t2_free(b->failed);
    return st;
}

#endif
