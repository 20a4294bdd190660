/*
 * tfrec/event_values.c - scalars, histograms and images of Summary values, of old and new writers.
 *
 * TensorFlow 1 writes values as fields of their own (simple_value, image, histo, audio);
 * TensorFlow 2 writes tensors, and the plugin's name in the metadata gives their meaning:
 *
 *   plugin       tensor
 *   scalars      one number
 *   histograms   (n, 3) doubles: left, right, count of each bucket
 *   images       strings: width, height (decimal), then encoded images
 *   audio, text  strings
 */
#include "tfrec/event_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrec/row_json.h"

enum { HISTO_FIELDS = 3, SIZE_TEXT_BYTES = 24 };

static bool is(struct t2_slice s, const char *word)
{
    return t2_slice_eq(s, t2_slice_of(word));
}

enum rec_event_kind rec_event_kind(const struct tfr_summary_value *v, struct t2_slice plugin)
{
    if (is(plugin, "hparams"))
        return REC_HPARAMS;
    switch (v->form) {
    case TFR_VALUE_SIMPLE:
        return REC_SCALAR;
    case TFR_VALUE_IMAGE:
        return REC_EVENT_IMAGE;
    case TFR_VALUE_HISTO:
        return REC_HISTOGRAM;
    case TFR_VALUE_AUDIO:
        return REC_AUDIO;
    case TFR_VALUE_NONE:
        return REC_NO_DATA;
    case TFR_VALUE_TENSOR:
        break;
    }
    if (is(plugin, "scalars"))
        return REC_SCALAR;
    if (is(plugin, "histograms"))
        return REC_HISTOGRAM;
    if (is(plugin, "images"))
        return REC_EVENT_IMAGE;
    if (is(plugin, "audio"))
        return REC_AUDIO;
    return is(plugin, "text") ? REC_EVENT_TEXT : REC_TENSOR;
}

/* ---- numbers ---- */

/* The shortest of 15 to 17 significant digits that reads back as the same double. */
static void put_double(double v, struct t2_buf *out)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    t2_buf_puts(out, text);
    if (!strpbrk(text, ".e"))
        t2_buf_puts(out, ".0");
}

void rec_put_event_number(struct rec_number n, bool json, struct t2_buf *out)
{
    static const double exact = 9007199254740992.0; /* 2^53 */

    if (!isfinite(n.v)) {
        if (json)
            rec_put_nonfinite(out, (float) n.v);
        else
            t2_buf_puts(out, isnan(n.v) ? "nan" : n.v > 0 ? "inf" : "-inf");
    } else if (n.is_whole && fabs(n.v) <= exact) {
        rec_put_i64(out, (int64_t) n.v);
    } else if (n.is_float32) {
        rec_put_float(out, (float) n.v, REC_DIGITS_SHORTEST);
    } else {
        put_double(n.v, out);
    }
}

bool rec_event_scalar(const struct tfr_summary_value *v, struct rec_number *n)
{
    struct t2_err unseen = T2_ERR_INIT;
    struct tfr_tensor t;

    if (v->form == TFR_VALUE_SIMPLE) {
        *n = (struct rec_number){(double) v->simple, true, false};
        return true;
    }
    if (v->form != TFR_VALUE_TENSOR || tfr_tensor_parse(v->body, &t, &unseen) != T2_OK)
        return false;
    *n = (struct rec_number){0, t.dtype == TFR_DT_FLOAT, tfr_tensor_is_whole(t.dtype)};
    return tfr_tensor_numbers(&t, &n->v, 1) > 0;
}

/* ---- histograms ---- */

/* HistogramProto: limits of buckets, and counts.  As TensorBoard reads it: without the empty
 * buckets at both ends, whose limits are beyond all values. */
static void old_histogram(struct t2_slice body, struct rec_histogram *h)
{
    size_t n = tfr_field_doubles(body, 6, NULL, 0);
    size_t n_counts = tfr_field_doubles(body, 7, NULL, 0);
    size_t start = 0, end = n_counts < n ? n_counts : n;
    double *limits = t2_alloc(n, sizeof *limits);
    double *counts = t2_alloc(n_counts, sizeof *counts);

    (void) tfr_field_double(body, 1, &h->min);
    (void) tfr_field_double(body, 2, &h->max);
    (void) tfr_field_double(body, 3, &h->num);
    (void) tfr_field_doubles(body, 6, limits, n);
    (void) tfr_field_doubles(body, 7, counts, n_counts);
    while (start < end && !(counts[start] > 0))
        start++;
    while (end > start && !(counts[end - 1] > 0))
        end--;
    h->n = end - start;
    h->rows = t2_alloc(h->n * HISTO_FIELDS, sizeof *h->rows);
    for (size_t i = start; i < end; i++) {
        double *row = h->rows + HISTO_FIELDS * (i - start);
        row[0] = i == start ? h->min : limits[i - 1];
        row[1] = i + 1 == end ? h->max : limits[i];
        row[2] = counts[i];
    }
    t2_free(limits);
    t2_free(counts);
}

static bool new_histogram(struct t2_slice body, struct rec_histogram *h)
{
    struct t2_err unseen = T2_ERR_INIT;
    struct tfr_tensor t;

    if (tfr_tensor_parse(body, &t, &unseen) != T2_OK)
        return false;
    size_t n = tfr_tensor_numbers(&t, NULL, 0);
    h->n = n / HISTO_FIELDS;
    h->rows = t2_alloc(n, sizeof *h->rows);
    (void) tfr_tensor_numbers(&t, h->rows, n);
    for (size_t i = 0; i < h->n; i++)
        h->num += h->rows[HISTO_FIELDS * i + 2];
    if (h->n > 0) {
        h->min = h->rows[0];
        h->max = h->rows[HISTO_FIELDS * h->n - 2];
    }
    return true;
}

bool rec_event_histogram(const struct tfr_summary_value *v, struct rec_histogram *h)
{
    *h = (struct rec_histogram){0};
    if (v->form == TFR_VALUE_HISTO) {
        old_histogram(v->body, h);
        return true;
    }
    return v->form == TFR_VALUE_TENSOR && new_histogram(v->body, h);
}

/* ---- images ---- */

static uint64_t number_of(struct t2_slice text)
{
    uint64_t v = 0;

    for (size_t i = 0; i < text.len_bytes && i < SIZE_TEXT_BYTES / 2; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return 0;
        v = 10 * v + (text.data[i] - '0');
    }
    return v;
}

/* A string tensor: width, height, then images. */
static size_t tensor_strings(const struct tfr_summary_value *v, struct t2_slice *out, size_t max)
{
    struct t2_err unseen = T2_ERR_INIT;
    struct tfr_tensor t;

    if (v->form != TFR_VALUE_TENSOR || tfr_tensor_parse(v->body, &t, &unseen) != T2_OK)
        return 0;
    return tfr_tensor_strings(&t, out, max);
}

void rec_event_image(const struct tfr_summary_value *v, struct rec_event_image *p)
{
    struct t2_slice strings[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};

    *p = (struct rec_event_image){0};
    if (v->form == TFR_VALUE_IMAGE) {
        (void) tfr_field_varint(v->body, 1, &p->height);
        (void) tfr_field_varint(v->body, 2, &p->width);
        p->n = tfr_field_bytes(v->body, 4, &p->first);
        return;
    }
    size_t n = tensor_strings(v, strings, 3);
    p->width = number_of(strings[0]);
    p->height = number_of(strings[1]);
    p->first = strings[2];
    p->n = n > 2 ? n - 2 : 0;
}

size_t rec_event_images(const struct rec_event_row *row, struct t2_slice *images, size_t max)
{
    const struct tfr_summary_value *v = row->value;

    if (!v || rec_event_kind(v, row->plugin) != REC_EVENT_IMAGE)
        return 0;
    if (v->form == TFR_VALUE_IMAGE) {
        struct rec_event_image p;
        rec_event_image(v, &p);
        if (max > 0)
            images[0] = p.first;
        return p.n;
    }
    size_t n = tensor_strings(v, NULL, 0);
    if (n <= 2)
        return 0;
    if (max > 0) {
        struct t2_slice *all = t2_alloc(n, sizeof *all);
        (void) tensor_strings(v, all, n);
        for (size_t i = 0; i < max && i + 2 < n; i++)
            images[i] = all[i + 2];
        t2_free(all);
    }
    return n - 2;
}
