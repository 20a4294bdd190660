/*
 * tfrec/event_row.h - a value or another content of a TensorBoard event, as a line.
 */
#ifndef REC_EVENT_ROW_H
#define REC_EVENT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "tfrecord/event.h"

enum rec_event_kind {
    REC_SCALAR,
    REC_HISTOGRAM,
    REC_EVENT_IMAGE,
    REC_AUDIO,
    REC_EVENT_TEXT,
    REC_HPARAMS,
    REC_TENSOR, /* of another plugin, or of none */
    REC_NO_DATA /* a tag without data */
};

/* plugin: of the tag, perhaps from an earlier event; empty when none was seen. */
enum rec_event_kind rec_event_kind(const struct tfr_summary_value *v, struct t2_slice plugin);

/* Where a value was found. */
struct rec_event_row {
    const char *run;  /* folder of the file */
    const char *file; /* its path */
    uint64_t record;
    bool show_run; /* in the table */
    const struct tfr_event *event;
    const struct tfr_summary_value *value; /* NULL: a content that is no summary */
    struct t2_slice plugin;
};

/* One object with its line feed. */
void rec_event_json(const struct rec_event_row *row, struct t2_buf *out);
/* "run TAB step TAB wall time TAB tag TAB value", for values; what is no scalar is summarised. */
void rec_event_line(const struct rec_event_row *row, struct t2_buf *out);
void rec_event_heading(bool show_run, struct t2_buf *out);

/* Encoded images of a value: the first max; returns how many there are. */
size_t rec_event_images(const struct rec_event_row *row, struct t2_slice *images, size_t max);

#endif
