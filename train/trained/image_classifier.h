/*
 * train/trained/image_classifier.h - image files in memory to the probabilities of their classes,
 * a batch at a time.
 *
 * Images go through the evaluation pipeline of the run; they are decoded in parallel.  What becomes
 * of the results is classify.h's and serve_trained.h's.
 */
#ifndef TR_IMAGE_CLASSIFIER_H
#define TR_IMAGE_CLASSIFIER_H

#include "base/buf.h"
#include "train/trained/trained.h"

struct tr_classifier;

/* Makes room for batches of up to batch_size images (above 1024: 1024).  What t holds is borrowed
 * (the struct itself may be moved); it must be of image classes, and has one classifier at a time.
 * *c is owned by the caller, also on failure. */
T2_MUST_CHECK enum t2_status tr_classifier_new(const struct tr_trained *t, int64_t batch_size,
                                               struct tr_classifier **c, struct t2_err *err);
void tr_classifier_free(struct tr_classifier *c);

int32_t tr_classifier_batch(const struct tr_classifier *c);
int32_t tr_classifier_classes(const struct tr_classifier *c);
/* The name of a class, of one without a name "ID_<label>" in text, of n bytes.  Borrowed. */
const char *tr_class_name(const struct tr_data_set *d, int32_t label, char *text, size_t n);

struct tr_classified {
    struct t2_slice file; /* the bytes of a JPEG, PNG, ...; borrowed */
    uint64_t index;       /* of what the pipeline draws */
    /* The result. */
    struct t2_err refused; /* T2_OK, or why the image was left out */
    double *probabilities; /* (classes); memory of the caller */
};

/*
 * Classifies n images, up to tr_classifier_batch.  Each is decoded with an error of its own
 * (`refused`); what says nothing about the image, memory and T2_EINTERRUPTED, is returned, with
 * images[*at] as the place where it came up, else *at is n.
 */
T2_MUST_CHECK enum t2_status tr_classifier_run(struct tr_classifier *c,
                                               struct tr_classified *images, int32_t n, int32_t *at,
                                               struct t2_err *err);

#endif
