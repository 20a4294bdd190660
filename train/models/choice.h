/*
 * train/models/choice.h - the end of a step of decoding on the device: of logits (rows, V) only the
 * candidates come to the host; for the decoder and class labels.
 */
#ifndef MDL_CHOICE_H
#define MDL_CHOICE_H

#include "train/models/model.h"

/* Rows of logits in device memory, `stride` floats apart. */
struct mdl_logit_rows {
    const float *logits;
    int64_t rows, V, stride;
};

/* Device memory that a choice takes. */
uint64_t mdl_choice_bytes(const struct dev *d, const struct mdl_choice *c, int64_t rows, int64_t V);

/* How many candidates a row of V logits has. */
int64_t mdl_choice_n(const struct mdl_choice *c, int64_t V);

/* best (rows, mdl_choice_n) on the host, by place: device memory of mdl_choice_bytes.  Waits. */
void mdl_choose(struct dev *d, const struct mdl_choice *c, void *place,
                const struct mdl_logit_rows *rows, const struct dev_ask *asks,
                struct dev_candidate *best);

#endif
