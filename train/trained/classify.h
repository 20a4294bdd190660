/*
 * train/trained/classify.h - t2t-decoder for images: the class of each, and how sure the model is.
 *
 * Images go through the evaluation pipeline of the run.  Lines come in the order of the images.
 */
#ifndef TR_CLASSIFY_H
#define TR_CLASSIFY_H

#include "train/trained/trained.h"

struct tr_classify_options {
    const char *from;          /* new_images.h */
    const char *to;            /* file; "-" is stdout */
    const char *contact_sheet; /* PNG file of the first images and their classes; "" for none */
    bool save;                 /* images become files beside the run (tr_classify) */
    int64_t batch_size;
    bool json; /* lines are objects: file, class, label, probability, truth, top */
};

struct tr_classify_report {
    uint64_t n_images; /* that were classified */
    uint64_t n_bad;    /* that could not be decoded */
    uint64_t n_known;  /* whose class was known before */
    uint64_t n_right;  /* of these */
    double seconds;
};

/*
 * Writes a line for each image: "<file> TAB <class> TAB <probability>", with blanks for what a line
 * cannot hold in a name.  An image that cannot be decoded is a warning; T2_EFORMAT when none could
 * be.  Images are saved as decoding.log_decode_results does: image N of the input, from 0, becomes
 * <folder of the run>/decode_00000/<problem>_prediction_<N>.jpg, a JPEG with its own bytes.
 */
T2_MUST_CHECK enum t2_status tr_classify(const struct tr_trained *t,
                                         const struct tr_classify_options *options,
                                         struct tr_classify_report *report, struct t2_err *err);

#endif
