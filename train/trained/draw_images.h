/*
 * train/trained/draw_images.h - t2t-decoder for a model that makes images: images are drawn, each
 * becomes a PNG file, and the first of them a page.
 */
#ifndef TR_DRAW_IMAGES_H
#define TR_DRAW_IMAGES_H

#include "train/trained/trained.h"

struct tr_draw_options {
    int64_t n;                 /* images; of a conditional model, of each class; > 0 */
    const char *to;            /* folder, made where it is not there; "" for none */
    const char *contact_sheet; /* PNG file of the first 256; "" for none */
    int64_t batch_size;        /* images at a time */
    uint64_t seed;
};

struct tr_draw_report {
    uint64_t n_images;
    double seconds;
};

/*
 * Draws as hparams sampling_method and sampling_temp say.  Files are "<number>.png" from 00000.png
 * on, of a conditional model "<class>-<number>.png" in one folder.  Image i is the same whatever
 * batch_size is.  T2_EUNSUPPORTED: the model is not drawn from.
 */
T2_MUST_CHECK enum t2_status tr_draw_images(const struct tr_trained *t,
                                            const struct tr_draw_options *options,
                                            struct tr_draw_report *report, struct t2_err *err);

#endif
