/*
 * train/serve/row_batches.h - requests of many clients as batches of the model, for the one thread
 * that owns it.
 *
 * Texts stream where the translator can (dec_translate_stream): whoever comes takes a place that is
 * free while others are translated, unless its length is too far from theirs: then nobody else
 * begins before it has had its turn.  Else a batch is what waits at the moment: the oldest
 * instance, and those of similar length, or images.  Results do not depend on it: each hypothesis
 * is as long as its own source allows.  (What is left is the rounding of numbers where a row has
 * more padding: docs/numerics.md.)
 */
#ifndef SRV_ROW_BATCHES_H
#define SRV_ROW_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/decode/translator.h"
#include "train/serve/request_queue.h"
#include "train/serve/serve_metrics.h"

/* A model of images. */
struct srv_image {
    struct t2_slice file;
    double *probabilities; /* (n_classes); memory of the caller, filled */
    char *wrong;           /* NULL, or why it is no image; owned by the caller */
};
struct srv_image_model {
    int32_t n_classes, batch_size;
    /* Up to batch_size images, whose `wrong` is NULL. */
    enum t2_status (*classify)(void *context, struct srv_image *images, int32_t n,
                               struct t2_err *err);
    srv_class_name_fn name;
    void *context;
};

/* An instance that waits. */
struct srv_row {
    struct srv_job *job;
    size_t at;          /* in the job */
    struct tok_ids ids; /* of a text */
};

struct srv_batches {
    /* Set by the maker; borrowed.  The translator keeps ids, and may be another one from batch to
     * batch. */
    struct dec_translator *t;
    const struct srv_image_model *images; /* in place of a translator; else NULL */
    const struct dec_hparams *hp;
    struct srv_queue *queue;
    struct srv_metrics *metrics;
    int64_t most_ids; /* of a source */
    /* Called while texts stream, before every step: takes what came (srv_batches_add).  false:
     * those that are in the model end, and no others begin.  NULL: nothing comes. */
    bool (*between)(void *context, struct srv_batches *b);
    void *context; /* of between */
    /* Of the functions; zero at first. */
    struct srv_row *rows; /* the oldest first */
    size_t n, capacity;
    size_t width; /* of the last stream, in ids */
};

/* Takes a job of the queue; one that cannot be translated is finished with its error. */
void srv_batches_add(struct srv_batches *b, struct srv_job *job);
/* The most rows of a batch. */
size_t srv_batches_most(const struct srv_batches *b);
/* Finishes, with 503, jobs that are late and of which nothing was translated yet. */
void srv_batches_expire(struct srv_batches *b, double now_s);
/* Translates a batch, of b->n > 0, or streams, and finishes the jobs that are complete.  A failure
 * is told to the jobs; it is returned only if the device is lost (T2_EDEVICE). */
T2_MUST_CHECK enum t2_status srv_batches_run(struct srv_batches *b, struct t2_err *err);
/* Finishes all that waits with this status and message. */
void srv_batches_refuse(struct srv_batches *b, int status, const char *message);
/* Nothing may wait. */
void srv_batches_release(struct srv_batches *b);

#endif
