/*
 * tfrec/event_values.h - what is in a value of a Summary: for event_line.c and event_json.c.
 */
#ifndef REC_EVENT_VALUES_H
#define REC_EVENT_VALUES_H

#include "tfrec/event_row.h"

/* A number as text: the shortest that reads back; quoted names for NaN and the infinities in
 * JSON. */
struct rec_number {
    double v;
    bool is_float32, is_whole;
};
void rec_put_event_number(struct rec_number n, bool json, struct t2_buf *out);
bool rec_event_scalar(const struct tfr_summary_value *v, struct rec_number *n);

/* Of either form of histogram. */
struct rec_histogram {
    double min, max, num;
    double *rows; /* n buckets: left, right, count; owned, t2_free */
    size_t n;
};
bool rec_event_histogram(const struct tfr_summary_value *v, struct rec_histogram *h);

struct rec_event_image {
    uint64_t width, height;
    struct t2_slice first; /* encoded */
    size_t n;
};
void rec_event_image(const struct tfr_summary_value *v, struct rec_event_image *p);

#endif
