/*
 * tfrecord/event.h - TensorBoard's event files: tensorflow.Event, Summary and TensorProto, read.
 *
 * An event file is a record file; each payload is one Event.  Unknown fields are skipped, of a
 * repeated single field the last counts.  Everything is borrowed from the record.
 */
#ifndef TFR_EVENT_H
#define TFR_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Numbers are the field numbers. */
enum tfr_event_kind {
    TFR_EVENT_EMPTY = 0,
    TFR_EVENT_FILE_VERSION = 3,
    TFR_EVENT_GRAPH = 4,
    TFR_EVENT_SUMMARY = 5,
    TFR_EVENT_LOG = 6,
    TFR_EVENT_SESSION = 7,
    TFR_EVENT_RUN_METADATA = 8,
    TFR_EVENT_META_GRAPH = 9
};

struct tfr_event {
    double wall_time; /* seconds since 1970 */
    int64_t step;
    enum tfr_event_kind kind;
    struct t2_slice body; /* text or message of that kind */
};

enum tfr_value_form {
    TFR_VALUE_NONE = 0,
    TFR_VALUE_SIMPLE = 2, /* one float: scalars of old writers */
    TFR_VALUE_IMAGE = 4,
    TFR_VALUE_HISTO = 5,
    TFR_VALUE_AUDIO = 6,
    TFR_VALUE_TENSOR = 8 /* what the plugin says: all of new writers */
};

/* One value of a Summary. */
struct tfr_summary_value {
    struct t2_slice tag;
    enum tfr_value_form form;
    float simple;
    struct t2_slice body; /* of the other forms */
    struct t2_slice plugin, content, description;
    int data_class;
};

/* T2_EFORMAT names the byte (no file, no record: the caller adds them). */
T2_MUST_CHECK enum t2_status tfr_event_parse(struct t2_slice record, struct tfr_event *e,
                                             struct t2_err *err);
/* Takes the next value off the front of *summary; T2_EOF after the last. */
T2_MUST_CHECK enum t2_status tfr_summary_next(struct t2_slice *summary, struct tfr_summary_value *v,
                                              struct t2_err *err);

/* ---- tensors ---- */

enum { TFR_TENSOR_MAX_DIMS = 8, TFR_DT_FLOAT = 1, TFR_DT_STRING = 7 };

struct tfr_tensor {
    int dtype; /* TensorFlow's DataType */
    int n_dims;
    int64_t dims[TFR_TENSOR_MAX_DIMS];
    struct t2_slice content; /* tensor_content; else the values are in lists of `message` */
    struct t2_slice message;
};

/* T2_EFORMAT for more than TFR_TENSOR_MAX_DIMS dimensions, too. */
T2_MUST_CHECK enum t2_status tfr_tensor_parse(struct t2_slice message, struct tfr_tensor *t,
                                              struct t2_err *err);
const char *tfr_tensor_type_name(int dtype); /* "float32"; "type 99" is "unknown" */
bool tfr_tensor_is_whole(int dtype);         /* an integer type or bool */
/* The first max of the values that are written down (a shorter list repeats its last value);
 * returns how many there are, which may be more than max.  0 for types that are no real numbers. */
size_t tfr_tensor_numbers(const struct tfr_tensor *t, double *out, size_t max);
/* The same of a tensor of strings. */
size_t tfr_tensor_strings(const struct tfr_tensor *t, struct t2_slice *out, size_t max);

/* ---- small messages: one field of a kind ---- */

/* The last field `number` of each wire type in a message; false when there is none or the message
 * is damaged before. */
bool tfr_field_varint(struct t2_slice message, uint32_t number, uint64_t *v);
bool tfr_field_double(struct t2_slice message, uint32_t number, double *v);
bool tfr_field_float(struct t2_slice message, uint32_t number, float *v);
bool tfr_field_bytes(struct t2_slice message, uint32_t number, struct t2_slice *v);
/* The next field `number` of bytes, taken off the front of *rest; false after the last. */
bool tfr_field_next_bytes(struct t2_slice *rest, uint32_t number, struct t2_slice *v);
/* Doubles of a repeated field, packed or not: as tfr_tensor_numbers. */
size_t tfr_field_doubles(struct t2_slice message, uint32_t number, double *out, size_t max);

#endif
