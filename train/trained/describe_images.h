/*
 * train/trained/describe_images.h - t2t-decoder for models that describe images: a text for each.
 *
 * Images go through the evaluation pipeline of the run, one by one; lines come in their order.
 */
#ifndef TR_DESCRIBE_IMAGES_H
#define TR_DESCRIBE_IMAGES_H

#include "train/decode/translator.h"
#include "train/trained/trained.h"

struct tr_describe_options {
    const char *from; /* new_images.h */
    const char *to;   /* file; "-" is stdout */
    bool json;        /* lines are objects, one a text: file, text, score */
};

struct tr_describe_report {
    uint64_t n_images; /* that were described */
    uint64_t n_bad;    /* that could not be decoded */
    double seconds;
};

/* Writes a line for each image: its texts (dec_n_best_of), TABs between them.  An image that cannot
 * be decoded is a warning and has no line; T2_EFORMAT when none could be. */
T2_MUST_CHECK enum t2_status tr_describe_images(const struct tr_trained *t,
                                                struct dec_translator *d,
                                                const struct tr_describe_options *options,
                                                struct tr_describe_report *report,
                                                struct t2_err *err);

#endif
