/*
 * tfrec/report_page.h - a page about a set of records: one HTML file that needs nothing else.
 *
 * Statistics are stats.h, the look is report_style.c, the parts are report_*.c.  The bytes of the
 * page depend on the records and the options only.
 */
#ifndef REC_REPORT_PAGE_H
#define REC_REPORT_PAGE_H

#include "tfrec/class_names.h"
#include "tfrec/sample.h"
#include "tfrec/stats.h"
#include "tfrecord/inputs.h"

struct rec_report {
    const struct rec_stats *stats;
    const struct tfr_inputs *in;
    const uint64_t *file_records;    /* read of each input */
    const struct rec_sample *sample; /* finished: the first n_rows are shown as rows */
    size_t n_rows;
    const struct tok_encoder *vocab; /* NULL: none */
    const char *vocab_path;
    const struct rec_class_names *names; /* NULL: none */
    const char *title;                   /* NULL or "": from the names of the files */
    uint64_t image_bytes;                /* at most so many bytes of images in all */
};

/* Appends the whole page. */
T2_MUST_CHECK enum t2_status rec_report_print(const struct rec_report *r, struct t2_buf *out,
                                              struct t2_err *err);

/* ---- its parts, each appends one or more sections ---- */

void rec_report_style(struct t2_buf *out); /* CSS */
void rec_report_summary(const struct rec_report *r, struct t2_buf *out);
void rec_report_warnings(const struct rec_report *r, struct t2_buf *out);
void rec_report_schema(const struct rec_report *r, struct t2_buf *out);
void rec_report_files(const struct rec_report *r, struct t2_buf *out);
void rec_report_lengths(const struct rec_report *r, struct t2_buf *out);
void rec_report_labels(const struct rec_report *r, struct t2_buf *out);
void rec_report_vocab(const struct rec_report *r, struct t2_buf *out);
/* Sample and images.  T2_ENOMEM: for the values of a feature. */
T2_MUST_CHECK enum t2_status rec_report_rows(const struct rec_report *r, struct t2_buf *out,
                                             struct t2_err *err);

/* A number, and the name of the class if it has one. */
void rec_report_class(const struct rec_report *r, struct t2_slice feature, int64_t value,
                      struct t2_buf *out);

/* One histogram as SVG in a figure; caption is HTML.  unit: "values", "bytes". */
void rec_report_histogram(const struct rec_histogram *h, const char *caption, const char *unit,
                          struct t2_buf *out);

#endif
