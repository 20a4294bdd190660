/*
 * train/exchange/check_logits.h - logits of made-up examples: of a model and its copy compared, or
 * as a file that another program's result is compared with.
 */
#ifndef XCH_CHECK_LOGITS_H
#define XCH_CHECK_LOGITS_H

#include "train/models/model.h"

/* Owned; a zeroed one holds nothing. */
struct xch_check {
    int64_t rows, length; /* of ids; length 0 of images */
    int32_t *inputs;      /* (rows, length); NULL without */
    int32_t *targets;     /* (rows, length); NULL of images */
    float *images;        /* (rows, height, width, channels); NULL without */
    struct mdl_image image;
    int64_t columns; /* of logits: classes, or the vocabulary with what is rounded up */
    float *logits;   /* (rows, length, columns), of images (rows, columns) */
};

/* Runs the model.  The same problem gives the same examples; rows of ids end one after the other.
 * T2_EUNSUPPORTED: for models that read images, or write text. */
T2_MUST_CHECK enum t2_status xch_check_run(struct mdl *m, struct xch_check *c, struct t2_err *err);
void xch_check_release(struct xch_check *c);
/* safetensors: logits, and those of inputs, targets, images that there are. */
T2_MUST_CHECK enum t2_status xch_check_write(const struct xch_check *c, const char *path,
                                             struct t2_err *err);

/* The largest difference, and the largest of a's logits. T2_EFORMAT: of different shapes. */
T2_MUST_CHECK enum t2_status xch_check_compare(const struct xch_check *a, const struct xch_check *b,
                                               double *difference, double *largest,
                                               struct t2_err *err);

#endif
