/*
 * train/trained/decode_media.h - t2t-decoder for what is no text: images are classified or drawn,
 * sounds transcribed, values predicted; and what the log says of it.
 */
#ifndef TR_DECODE_MEDIA_H
#define TR_DECODE_MEDIA_H

#include "train/decode/translator.h"
#include "train/trained/predict_values.h"
#include "train/trained/trained.h"

struct tr_media_options {
    const char *from, *to;     /* as in classify.h, draw_images.h, transcribe.h, predict_values.h */
    const char *contact_sheet; /* of images; "" for none */
    bool save;                 /* of images that are classified: classify.h */
    int64_t draw;              /* images, of a model that makes them */
    int64_t batch_size;        /* of images, of rows of values */
    uint64_t seed;             /* of images that are drawn */
    uint64_t max_memory;       /* of rows of values: tr_predict_options */
    bool json;
};

/* By the problem of t; translator is for speech and for images that are described, else NULL. */
T2_MUST_CHECK enum t2_status tr_decode_media(const struct tr_trained *t,
                                             struct dec_translator *translator,
                                             const struct tr_media_options *options,
                                             struct t2_err *err);

#endif
