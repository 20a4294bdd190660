/*
 * tfrecord/event_write.h - TensorBoard's event files, written: records of tensorflow.Event, as TF's
 * summary writer of version 1 makes them.  Reading is in event.h.
 *
 * A summary is made value by value in a buffer and then put into one event.
 */
#ifndef TFR_EVENT_WRITE_H
#define TFR_EVENT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* ---- events: append a framed record; wall_time is in seconds since 1970 ---- */

/* The first of a file; writer (NULL: none is named) is who says so in source_metadata. */
void tfr_put_event_version(struct t2_buf *file, double wall_time, const char *writer);
void tfr_put_event_scalars(struct t2_buf *file, double wall_time, int64_t step,
                           const char *const *tags, const float *values, size_t n);
/* summary: what the functions below appended. */
void tfr_put_event_summary(struct t2_buf *file, double wall_time, int64_t step,
                           struct t2_slice summary);
/* SessionLog START: readers forget what files before say of this step and later ones. */
void tfr_put_event_start(struct t2_buf *file, double wall_time, int64_t step);

/* ---- values of a summary ---- */

void tfr_put_scalar(struct t2_buf *summary, const char *tag, float value);
/* A string, or with n_columns > 0 a table (n / n_columns, n_columns) of them; shown by the plugin
 * "text" unless plain (no plugin: checkpoint_path of Estimators). */
void tfr_put_texts(struct t2_buf *summary, const char *tag, bool plain, const char *const *texts,
                   size_t n, size_t n_columns);
/* An image of a version 1 writer: a PNG file of 1 to 4 channels. */
void tfr_put_image(struct t2_buf *summary, const char *tag, int32_t height, int32_t width,
                   int32_t channels, struct t2_slice png);
/* A value without data that a plugin reads: `content` is its message. */
void tfr_put_plugin(struct t2_buf *summary, const char *tag, const char *plugin,
                    struct t2_slice content);
/*
 * Counts of values in TensorFlow's buckets: 0, 1e-12 and from there 1.1 times as much each up to
 * 1e20, the same below 0, and the largest double.  Values that are no number or infinite are not
 * counted.
 */
enum { TFR_HISTOGRAM_SIDE = 774, TFR_HISTOGRAM_BUCKETS = 2 * TFR_HISTOGRAM_SIDE + 3 };
struct tfr_histogram {
    double min, max, sum, sum_squares, n;
    double counts[TFR_HISTOGRAM_BUCKETS];
};
void tfr_histogram_init(struct tfr_histogram *h);
void tfr_histogram_add(struct tfr_histogram *h, const float *values, size_t n);
/* HistogramProto; runs of empty buckets are one. */
void tfr_put_histogram(struct t2_buf *summary, const char *tag, const struct tfr_histogram *h);

/* ---- the plugin "hparams" ---- */

/* One hparam: text unless NULL, else the number. */
struct tfr_hparam {
    const char *name, *text;
    double number;
    bool is_bool; /* number is 0 or 1 */
};
/* A number that the plugin shows beside the hparams: the tag in the folder `group` below. */
struct tfr_hparam_metric {
    const char *group, *tag;
};
/* The two values that a run's folder needs: what the experiment is, and this run's hparams. */
void tfr_put_hparams(struct t2_buf *summary, const struct tfr_hparam *hparams, size_t n,
                     const struct tfr_hparam_metric *metrics, size_t n_metrics, const char *run,
                     double start_time);

#endif
