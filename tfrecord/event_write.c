/*
 * tfrecord/event_write.c - see the header.
 */
#include "tfrecord/event_write.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/protobuf.h"
#include "tfrecord/event.h"
#include "tfrecord/writer.h"

enum { EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_SOURCE = 10 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_METADATA = 9 };

/* ---- fields ---- */

static void put_varint(struct t2_buf *out, uint64_t v)
{
    uint8_t bytes[T2_VARINT_MAX_BYTES];

    t2_buf_append(out, bytes, (size_t) (t2_put_varint(bytes, v) - bytes));
}

static void put_fixed(struct t2_buf *out, uint64_t bits, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(out, (uint8_t) (bits >> (8 * i)));
}

static void put_number(struct t2_buf *out, int field, uint64_t v)
{
    put_varint(out, T2_TAG(field, T2_WIRE_VARINT));
    put_varint(out, v);
}

static void put_double(struct t2_buf *out, int field, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    put_varint(out, T2_TAG(field, T2_WIRE_FIXED64));
    put_fixed(out, bits, sizeof bits);
}

static void put_bytes(struct t2_buf *out, int field, const void *data, size_t len_bytes)
{
    put_varint(out, T2_TAG(field, T2_WIRE_BYTES));
    put_varint(out, len_bytes);
    t2_buf_append(out, data, len_bytes);
}

static void put_text(struct t2_buf *out, int field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

static void put_message(struct t2_buf *out, int field, struct t2_buf *message)
{
    put_bytes(out, field, message->data, message->len_bytes);
    t2_buf_release(message);
}

/* ---- events ---- */

void tfr_put_event_version(struct t2_buf *file, double wall_time, const char *writer)
{
    size_t begin = tfr_frame_begin(file);

    put_double(file, EVENT_WALL_TIME, wall_time);
    put_text(file, TFR_EVENT_FILE_VERSION, "brain.Event:2");
    if (writer) {
        struct t2_buf source = {0};

        put_text(&source, 1, writer);
        put_message(file, EVENT_SOURCE, &source);
    }
    tfr_frame_end(file, begin);
}

static void put_event(struct t2_buf *file, double wall_time, int64_t step, int kind,
                      struct t2_slice body)
{
    size_t begin = tfr_frame_begin(file);

    put_double(file, EVENT_WALL_TIME, wall_time);
    if (step != 0)
        put_number(file, EVENT_STEP, (uint64_t) step);
    put_bytes(file, kind, body.data, body.len_bytes);
    tfr_frame_end(file, begin);
}

void tfr_put_event_summary(struct t2_buf *file, double wall_time, int64_t step,
                           struct t2_slice summary)
{
    put_event(file, wall_time, step, TFR_EVENT_SUMMARY, summary);
}

void tfr_put_event_scalars(struct t2_buf *file, double wall_time, int64_t step,
                           const char *const *tags, const float *values, size_t n)
{
    struct t2_buf summary = {0};

    for (size_t i = 0; i < n; i++)
        tfr_put_scalar(&summary, tags[i], values[i]);
    tfr_put_event_summary(file, wall_time, step, t2_buf_slice(&summary));
    t2_buf_release(&summary);
}

void tfr_put_event_start(struct t2_buf *file, double wall_time, int64_t step)
{
    static const uint8_t start[] = {T2_TAG(1, T2_WIRE_VARINT), 1};

    put_event(file, wall_time, step, TFR_EVENT_SESSION, (struct t2_slice){start, sizeof start});
}

/* ---- values ---- */

void tfr_put_scalar(struct t2_buf *summary, const char *tag, float v)
{
    struct t2_buf value = {0};
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    put_text(&value, VALUE_TAG, tag);
    put_varint(&value, T2_TAG(TFR_VALUE_SIMPLE, T2_WIRE_FIXED32));
    put_fixed(&value, bits, sizeof bits);
    put_message(summary, SUMMARY_VALUE, &value);
}

void tfr_put_image(struct t2_buf *summary, const char *tag, int32_t height, int32_t width,
                   int32_t channels, struct t2_slice png)
{
    const int32_t sizes[] = {height, width, channels};
    struct t2_buf value = {0}, image = {0};

    for (uint32_t i = 0; i < 3; i++) {
        put_varint(&image, T2_TAG(i + 1, T2_WIRE_VARINT));
        put_varint(&image, (uint64_t) sizes[i]);
    }
    put_bytes(&image, 4, png.data, png.len_bytes);
    put_text(&value, VALUE_TAG, tag);
    put_message(&value, TFR_VALUE_IMAGE, &image);
    put_message(summary, SUMMARY_VALUE, &value);
}

static void put_metadata(struct t2_buf *value, const char *plugin, struct t2_slice content)
{
    struct t2_buf data = {0}, metadata = {0};

    put_text(&data, 1, plugin);
    if (content.len_bytes > 0)
        put_bytes(&data, 2, content.data, content.len_bytes);
    put_message(&metadata, 1, &data);
    put_message(value, VALUE_METADATA, &metadata);
}

static void put_dim(struct t2_buf *shape, size_t size)
{
    struct t2_buf dim = {0};

    if (size > 0)
        put_number(&dim, 1, size);
    put_message(shape, 2, &dim);
}

void tfr_put_texts(struct t2_buf *summary, const char *tag, bool plain, const char *const *texts,
                   size_t n, size_t n_columns)
{
    enum { TENSOR_DTYPE = 1, TENSOR_SHAPE = 2, TENSOR_STRINGS = 8 };
    struct t2_buf value = {0}, tensor = {0}, shape = {0};

    T2_ASSERT(n_columns == 0 ? n == 1 : n % n_columns == 0);
    if (n_columns > 0) {
        put_dim(&shape, n / n_columns);
        put_dim(&shape, n_columns);
    }
    put_number(&tensor, TENSOR_DTYPE, TFR_DT_STRING);
    put_message(&tensor, TENSOR_SHAPE, &shape);
    for (size_t i = 0; i < n; i++)
        put_text(&tensor, TENSOR_STRINGS, texts[i]);
    put_text(&value, VALUE_TAG, tag);
    put_message(&value, TFR_VALUE_TENSOR, &tensor);
    if (!plain)
        put_metadata(&value, "text", (struct t2_slice){NULL, 0});
    put_message(summary, SUMMARY_VALUE, &value);
}

void tfr_put_plugin(struct t2_buf *summary, const char *tag, const char *plugin,
                    struct t2_slice content)
{
    enum { TENSOR_DTYPE = 1, TENSOR_SHAPE = 2 };
    struct t2_buf value = {0}, tensor = {0}, shape = {0};

    put_dim(&shape, 0);
    put_number(&tensor, TENSOR_DTYPE, TFR_DT_FLOAT);
    put_message(&tensor, TENSOR_SHAPE, &shape);
    put_text(&value, VALUE_TAG, tag);
    put_message(&value, TFR_VALUE_TENSOR, &tensor);
    put_metadata(&value, plugin, content);
    put_message(summary, SUMMARY_VALUE, &value);
}

/* ---- histograms ---- */

/* The upper ends of the buckets, ascending; made as TensorFlow makes them, by repeated products. */
static const double *bucket_limits(double limits[TFR_HISTOGRAM_BUCKETS])
{
    const int zero = TFR_HISTOGRAM_SIDE + 1;
    double v = 1e-12;

    limits[zero] = 0.0;
    for (int i = 1; i <= TFR_HISTOGRAM_SIDE; i++) {
        limits[zero + i] = v;
        limits[zero - i] = -v;
        v *= 1.1;
    }
    T2_ASSERT(v >= 1e20 && limits[zero + TFR_HISTOGRAM_SIDE] < 1e20);
    limits[0] = -DBL_MAX;
    limits[TFR_HISTOGRAM_BUCKETS - 1] = DBL_MAX;
    return limits;
}

void tfr_histogram_init(struct tfr_histogram *h)
{
    *h = (struct tfr_histogram){.min = DBL_MAX, .max = -DBL_MAX};
}

/* The first bucket whose limit is above v. */
static int bucket_of(const double *limits, double v)
{
    int low = 0, high = TFR_HISTOGRAM_BUCKETS - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (v < limits[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void tfr_histogram_add(struct tfr_histogram *h, const float *values, size_t n)
{
    double limits[TFR_HISTOGRAM_BUCKETS];

    (void) bucket_limits(limits);
    for (size_t i = 0; i < n; i++) {
        double v = (double) values[i];

        if (!isfinite(v))
            continue;
        h->min = fmin(h->min, v);
        h->max = fmax(h->max, v);
        h->sum += v;
        h->sum_squares += v * v;
        h->n++;
        h->counts[bucket_of(limits, v)]++;
    }
}

void tfr_put_histogram(struct t2_buf *summary, const char *tag, const struct tfr_histogram *h)
{
    struct t2_buf value = {0}, histogram = {0}, ends = {0}, counts = {0};
    double limits[TFR_HISTOGRAM_BUCKETS];

    (void) bucket_limits(limits);
    for (int i = 0; i < TFR_HISTOGRAM_BUCKETS; i++) {
        uint64_t bits;

        /* of a run of empty buckets the last is written */
        if (h->counts[i] <= 0 && i + 1 < TFR_HISTOGRAM_BUCKETS && h->counts[i + 1] <= 0)
            continue;
        memcpy(&bits, &limits[i], sizeof bits);
        put_fixed(&ends, bits, sizeof bits);
        memcpy(&bits, &h->counts[i], sizeof bits);
        put_fixed(&counts, bits, sizeof bits);
    }
    put_double(&histogram, 1, h->n > 0 ? h->min : 0.0);
    put_double(&histogram, 2, h->n > 0 ? h->max : 0.0);
    put_double(&histogram, 3, h->n);
    put_double(&histogram, 4, h->sum);
    put_double(&histogram, 5, h->sum_squares);
    put_message(&histogram, 6, &ends);
    put_message(&histogram, 7, &counts);
    put_text(&value, VALUE_TAG, tag);
    put_message(&value, TFR_VALUE_HISTO, &histogram);
    put_message(summary, SUMMARY_VALUE, &value);
}

/* ---- hparams ---- */

/* google.protobuf.Value */
static void put_value(struct t2_buf *entry, const struct tfr_hparam *h)
{
    enum { NUMBER = 2, STRING = 3, BOOL = 4 };
    struct t2_buf value = {0};

    if (h->text)
        put_text(&value, STRING, h->text);
    else if (h->is_bool)
        put_number(&value, BOOL, h->number != 0.0);
    else
        put_double(&value, NUMBER, h->number);
    put_message(entry, 2, &value);
}

static void put_session(struct t2_buf *content, const struct tfr_hparam *hparams, size_t n,
                        const char *run, double start_time)
{
    struct t2_buf info = {0};

    for (size_t i = 0; i < n; i++) {
        struct t2_buf entry = {0};

        put_text(&entry, 1, hparams[i].name);
        put_value(&entry, &hparams[i]);
        put_message(&info, 1, &entry);
    }
    put_text(&info, 4, run);
    put_double(&info, 5, start_time);
    put_message(content, 3, &info);
}

static void put_experiment(struct t2_buf *content, const struct tfr_hparam *hparams, size_t n,
                           const struct tfr_hparam_metric *metrics, size_t n_metrics)
{
    enum { IS_STRING = 1, IS_BOOL = 2, IS_NUMBER = 3 };
    struct t2_buf experiment = {0};

    for (size_t i = 0; i < n; i++) {
        struct t2_buf info = {0};

        put_text(&info, 1, hparams[i].name);
        put_number(&info, 4,
                   hparams[i].text      ? IS_STRING
                   : hparams[i].is_bool ? IS_BOOL
                                        : IS_NUMBER);
        put_message(&experiment, 4, &info);
    }
    for (size_t i = 0; i < n_metrics; i++) {
        struct t2_buf name = {0}, info = {0};

        put_text(&name, 1, metrics[i].group);
        put_text(&name, 2, metrics[i].tag);
        put_message(&info, 1, &name);
        put_message(&experiment, 5, &info);
    }
    put_message(content, 2, &experiment);
}

void tfr_put_hparams(struct t2_buf *summary, const struct tfr_hparam *hparams, size_t n,
                     const struct tfr_hparam_metric *metrics, size_t n_metrics, const char *run,
                     double start_time)
{
    struct t2_buf content = {0};

    put_experiment(&content, hparams, n, metrics, n_metrics);
    tfr_put_plugin(summary, "_hparams_/experiment", "hparams", t2_buf_slice(&content));
    t2_buf_clear(&content);
    put_session(&content, hparams, n, run, start_time);
    tfr_put_plugin(summary, "_hparams_/session_start_info", "hparams", t2_buf_slice(&content));
    t2_buf_release(&content);
}
