/*
 * train/trained/image_classifier.c - decoded in parallel, closed up where some could not be
 * decoded, one forward pass.
 */
#include "train/trained/image_classifier.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "augment/codec.h"
#include "base/alloc.h"
#include "base/pool.h"
#include "base/signals.h"

enum { MOST_BATCH = 1024 };

struct tr_classifier {
    struct dev *dev;
    struct mdl *m;
    struct in_image_recipe recipe;
    struct mdl_image size;
    uint64_t seed;
    struct aug_worker **workers; /* one a thread */
    int n_workers;
    int32_t batch_size, n_classes;
    size_t image_bytes; /* of an image, as it travels */
    /* In the device's host memory: images (batch_size, H, W, C), bytes or floats; (C, 256), NULL
     * with floats; (batch_size) zeros: a model wants labels, and these have no effect. */
    void *images;
    float *byte_values;
    int32_t *labels;
    float *logits;             /* (batch_size, n_classes) */
    struct tr_classified *now; /* those that are being decoded */
};

/* ---- pixels ---- */

static void *image_at(const struct tr_classifier *c, int64_t i)
{
    return (char *) c->images + (size_t) i * c->image_bytes;
}

static enum t2_status decode(struct tr_classifier *c, int64_t i, int worker, struct t2_err *err)
{
    const struct tr_classified *s = &c->now[i];
    const struct in_image_recipe *r = &c->recipe;
    const struct in_image_name name = {.seed = c->seed, .index = s->index};
    struct in_image p = {.encoded = s->file};
    void *to = image_at(c, i);
    uint8_t mirrored = 0;

    T2_TRY(aug_probe(s->file.data, s->file.len_bytes, &p.info, err));
    if (!c->byte_values)
        return in_image_pixels(r, &name, &p, c->workers[worker], to, err);
    T2_TRY(in_image_bytes(r, &name, &p, c->workers[worker], to, &mirrored, err));
    T2_ASSERT(!mirrored); /* nothing is drawn in evaluation */
    return T2_OK;
}

static void decode_piece(void *arg, int64_t piece, int worker)
{
    struct tr_classifier *c = arg;
    struct t2_err err = T2_ERR_INIT;

    (void) decode(c, piece, worker, &err); /* err has it */
    c->now[piece].refused = err;
}

static enum t2_status decode_all(struct tr_classifier *c, int32_t n, int32_t *at,
                                 struct t2_err *err)
{
    t2_pool_run(dev_host_pool(c->dev), n, decode_piece, c);
    for (int32_t i = 0; i < n; i++) /* what is no verdict on the file: memory, Ctrl-C */
        if (c->now[i].refused.status != T2_OK && !aug_is_refusal(c->now[i].refused.status)) {
            *at = i;
            *err = c->now[i].refused;
            return err->status;
        }
    return T2_OK;
}

/* Moves images behind one that could not be decoded forward; returns the number that is left. */
static int32_t close_gaps(struct tr_classifier *c, int32_t n)
{
    int32_t good = 0;

    for (int32_t i = 0; i < n; i++) {
        if (c->now[i].refused.status != T2_OK)
            continue;
        if (good < i)
            memcpy(image_at(c, good), image_at(c, i), c->image_bytes);
        good++;
    }
    return good;
}

/* ---- classes ---- */

static void softmax(const float *logits, int32_t n, double *p)
{
    double most = (double) logits[0], sum = 0;

    for (int32_t i = 1; i < n; i++)
        most = fmax(most, (double) logits[i]);
    for (int32_t i = 0; i < n; i++)
        sum += p[i] = exp((double) logits[i] - most);
    for (int32_t i = 0; i < n; i++)
        p[i] /= sum;
}

const char *tr_class_name(const struct tr_data_set *d, int32_t label, char *text, size_t n)
{
    const char *name = tr_data_set_class(d, label);

    if (!name)
        snprintf(text, n, "ID_%" PRId32, label);
    return name ? name : text;
}

int32_t tr_classifier_batch(const struct tr_classifier *c)
{
    return c->batch_size;
}

int32_t tr_classifier_classes(const struct tr_classifier *c)
{
    return c->n_classes;
}

enum t2_status tr_classifier_run(struct tr_classifier *c, struct tr_classified *images, int32_t n,
                                 int32_t *at, struct t2_err *err)
{
    const struct mdl_image *size = &c->size;
    const float *logits = c->logits;
    struct mdl_batch b;
    int32_t good;

    T2_ASSERT(n <= c->batch_size);
    *at = n;
    T2_TRY(t2_check_interrupt(err));
    c->now = images;
    T2_TRY(decode_all(c, n, at, err));
    good = close_gaps(c, n);
    if (good == 0)
        return T2_OK;
    b = (struct mdl_batch){.batch = good,
                           .targets_length = 1,
                           .targets = c->labels,
                           .height = size->height,
                           .width = size->width,
                           .channels = size->channels,
                           .images = c->byte_values ? NULL : c->images,
                           .image_bytes = c->byte_values ? c->images : NULL,
                           .byte_values = c->byte_values};
    T2_TRY(mdl_send(c->m, &b, err));
    T2_TRY(mdl_class_logits(c->m, &b, c->logits, err));
    for (int32_t i = 0; i < n; i++) {
        if (images[i].refused.status != T2_OK)
            continue;
        softmax(logits, c->n_classes, images[i].probabilities);
        logits += c->n_classes;
    }
    return T2_OK;
}

/* ---- life ---- */

/* Memory of a batch of n images. */
static enum t2_status take_batch(struct tr_classifier *c, size_t n, bool bytes, struct t2_err *err)
{
    const struct in_image_recipe *r = &c->recipe;
    struct dev *dev = c->dev;

    c->images = dev->alloc_host(dev, n * c->image_bytes);
    c->labels = dev->alloc_host(dev, n * sizeof *c->labels);
    if (bytes)
        c->byte_values = dev->alloc_host(dev, (size_t) r->channels * 256 * sizeof(float));
    if (!c->images || !c->labels || (bytes && !c->byte_values))
        return t2_fail(err, T2_ENOMEM, "no memory for %zu images", n);
    if (bytes)
        in_image_byte_values(r, false, c->byte_values);
    return T2_OK;
}

enum t2_status tr_classifier_new(const struct tr_trained *t, int64_t batch_size,
                                 struct tr_classifier **out, struct t2_err *err)
{
    const struct mdl_image *size = &t->data.problem.image;
    struct tr_classifier *c = *out = t2_alloc(1, sizeof *c);
    struct mdl_shape shape = {.targets_length = 1,
                              .height = size->height,
                              .width = size->width,
                              .channels = size->channels};
    size_t n;

    c->dev = t->dev;
    c->m = t->m;
    c->recipe = t->data.images;
    c->size = *size;
    c->seed = t->state.seed;
    shape.image_bytes = in_image_has_bytes(&t->data.images, false);
    c->batch_size = batch_size < MOST_BATCH ? (int32_t) batch_size : MOST_BATCH;
    c->n_classes = t->data.problem.targets_vocab;
    c->image_bytes = (size_t) size->height * (size_t) size->width * (size_t) size->channels *
                     (shape.image_bytes ? 1 : sizeof(float));
    shape.batch = c->batch_size;
    T2_TRY(mdl_plan(t->m, &shape, 1, NULL, err));
    T2_TRY(mdl_reserve_sent(t->m, mdl_sent_bytes(t->m, &shape), err));
    n = (size_t) c->batch_size;
    T2_TRY(take_batch(c, n, shape.image_bytes, err));
    c->n_workers = dev_host_threads(t->dev);
    c->workers = t2_alloc((size_t) c->n_workers, sizeof *c->workers);
    for (int i = 0; i < c->n_workers; i++)
        c->workers[i] = aug_worker_new();
    c->logits = t2_alloc(n * (size_t) c->n_classes, sizeof *c->logits);
    return T2_OK;
}

void tr_classifier_free(struct tr_classifier *c)
{
    struct dev *dev;

    if (!c)
        return;
    dev = c->dev;
    for (int i = 0; i < c->n_workers; i++)
        aug_worker_free(c->workers[i]);
    t2_free(c->workers);
    t2_free(c->logits);
    mdl_forget_sent(c->m);
    dev->free_host(dev, c->images);
    dev->free_host(dev, c->byte_values);
    dev->free_host(dev, c->labels);
    t2_free(c);
}
