/*
 * augment/batch.c - batches of images for training.
 *
 *   floats   (n, size, size, channels) or (n, channels, size, size), by layout
 *   bytes    the same shape; one of the two is made
 *
 * Images are pieces of work for the pool, one worker's buffers per thread. After failures the one
 * of the lowest index is reported, so that the message does not depend on the threads; the rest of
 * the batch is made nevertheless.
 */
#include "augment/batch.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

struct aug_batcher {
    struct t2_pool *pool;
    struct aug_batch_settings s;
    struct aug_worker **workers; /* one per thread */
    /* of the batch being made */
    const struct aug_file *files;
    uint64_t epoch;
    float *floats;
    uint8_t *bytes;
    struct aug_choices *choices;
    struct failure {
        int64_t piece; /* INT64_MAX: none */
        enum t2_status status;
        struct t2_err err;
    } * failures; /* the first of each thread */
};

struct aug_batcher *aug_batcher_new(struct t2_pool *pool, const struct aug_batch_settings *s)
{
    struct aug_batcher *b = t2_alloc(1, sizeof *b);
    size_t n = (size_t) t2_pool_threads(pool);

    b->pool = pool;
    b->s = *s;
    if (b->s.size == 0)
        b->s.size = s->pipeline->size;
    T2_ASSERT(b->s.size > 0);
    b->workers = t2_alloc(n, sizeof *b->workers);
    b->failures = t2_alloc(n, sizeof *b->failures);
    for (size_t i = 0; i < n; i++)
        b->workers[i] = aug_worker_new();
    return b;
}

void aug_batcher_free(struct aug_batcher *b)
{
    if (!b)
        return;
    for (int i = 0; i < t2_pool_threads(b->pool); i++)
        aug_worker_free(b->workers[i]);
    t2_free(b->workers);
    t2_free(b->failures);
    t2_free(b);
}

size_t aug_batcher_floats(const struct aug_batcher *b)
{
    return (size_t) b->s.size * (size_t) b->s.size * (size_t) aug_pipeline_channels(b->s.pipeline);
}

static enum t2_status store_bytes(const struct aug_batcher *b, const struct aug_image *im,
                                  uint8_t *to, struct t2_err *err)
{
    size_t n = (size_t) b->s.size, c = (size_t) im->channels;

    if (im->height != b->s.size || im->width != b->s.size)
        return t2_fail(err, T2_EFORMAT, "%d x %d pixels where pipeline '%s' needs %d x %d",
                       im->width, im->height, b->s.pipeline->name, b->s.size, b->s.size);
    for (size_t y = 0; y < n; y++) {
        const uint8_t *row = aug_row(im, (int32_t) y);
        if (b->s.layout == AUG_NHWC)
            memcpy(to + y * n * c, row, n * c);
        for (size_t i = 0; b->s.layout == AUG_NCHW && i < n * c; i++)
            to[(i % c * n + y) * n + i / c] = row[i];
    }
    return T2_OK;
}

static enum t2_status make_one(struct aug_batcher *b, size_t i, struct aug_worker *w,
                               struct t2_err *err)
{
    const struct aug_file *f = &b->files[i];
    const struct aug_image *bytes;
    struct aug_choices c;
    struct aug_info info;
    struct t2_rng r;

    T2_TRY(aug_probe(f->data, f->len_bytes, &info, err));
    aug_image_stream(&r, b->s.seed, b->epoch, f->index);
    aug_choose(b->s.pipeline, b->s.size, &info, &r, &c);
    if (b->choices)
        b->choices[i] = c;
    if (!b->floats) {
        T2_TRY(aug_pipeline_run(w, b->s.pipeline, b->s.size, f->data, f->len_bytes, &c, NULL,
                                &bytes, err));
        return store_bytes(b, bytes, b->bytes + i * aug_batcher_floats(b), err);
    }
    return aug_pipeline_store(w, b->s.pipeline, b->s.size, f->data, f->len_bytes, &c, b->s.layout,
                              b->floats + i * aug_batcher_floats(b), err);
}

static void work(void *arg, int64_t piece, int worker)
{
    struct aug_batcher *b = arg;
    struct failure *f = &b->failures[worker];
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = make_one(b, (size_t) piece, b->workers[worker], &err);

    if (st != T2_OK && f->piece > piece)
        *f = (struct failure){.piece = piece, .status = st, .err = err};
}

enum t2_status aug_batch_make(struct aug_batcher *b, const struct aug_file *files, size_t n,
                              uint64_t epoch, float *floats, uint8_t *bytes,
                              struct aug_choices *choices, struct t2_err *err)
{
    const struct failure *first = b->failures;

    T2_ASSERT((!floats) != (!bytes));
    b->files = files;
    b->epoch = epoch;
    b->floats = floats;
    b->bytes = bytes;
    b->choices = choices;
    for (int i = 0; i < t2_pool_threads(b->pool); i++)
        b->failures[i].piece = INT64_MAX;
    t2_pool_run(b->pool, (int64_t) n, work, b);
    for (int i = 1; i < t2_pool_threads(b->pool); i++)
        first = b->failures[i].piece < first->piece ? &b->failures[i] : first;
    if (first->piece == INT64_MAX)
        return T2_OK;
    return t2_fail(err, first->status, "image %" PRIu64 ": %s", files[first->piece].index,
                   first->err.message);
}
