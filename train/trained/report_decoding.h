/*
 * train/trained/report_decoding.h - t2t-decoder --json: one object about a translated file.
 */
#ifndef TR_REPORT_DECODING_H
#define TR_REPORT_DECODING_H

#include "train/decode/decode_file.h"
#include "train/trained/trained.h"

/* What the report of the file does not say; borrowed. */
struct tr_decoded {
    const char *from, *to;
    int64_t average;    /* --average_checkpoints */
    const double *bleu; /* uncased; NULL: it was not scored */
};

/* Prints it, and a line end, to stdout. */
void tr_report_decoding(const struct tr_trained *t, const struct dec_hparams *hp,
                        const struct dec_file_report *r, const struct tr_decoded *d);

#endif
