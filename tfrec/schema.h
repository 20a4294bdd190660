/*
 * tfrec/schema.h - what the records of a set have in common: discovered, joined, stored, looked up.
 *
 * Every fact is a count, a sum of whole numbers, a least or a greatest, so that it does not matter
 * in which order records are seen and parts are joined: the result is the same for any number of
 * threads. Writing it for other programs is in schema_formats.h, reading our own JSON back in
 * schema_json.h.
 */
#ifndef REC_SCHEMA_H
#define REC_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrec/values.h"
#include "tfrecord/example.h"
#include "tfrecord/record_stream.h"

struct t2_map;
struct t2_pool;

/* Names that one set may have, and their bytes in all: the bound on memory. */
enum { REC_MAX_FEATURES = 8192, REC_MAX_NAME_BYTES = 16 << 20 };

/* A record of the inputs. */
struct rec_at {
    uint64_t number;  /* over all files, from 0 */
    size_t file;      /* which input */
    uint64_t in_file; /* number in that file, from 0 */
};

enum { REC_N_KINDS = TFR_INT64 + 1 };

/* One feature over all records.  Facts about ints hold for the records where it has ints, and so
 * on. */
struct rec_field {
    char *name; /* NUL-terminated; a hostile name may hold a NUL, name_bytes knows */
    size_t name_bytes;
    uint64_t n_of_kind[REC_N_KINDS];    /* records; [TFR_NONE]: named, but without a list */
    struct rec_at of_kind[REC_N_KINDS]; /* the first such record; number UINT64_MAX: none */
    uint64_t min_length, max_length;    /* of the lists; min_length UINT64_MAX: there is none */
    uint64_t n_values;

    int64_t min_int, max_int;   /* min > max: no value */
    float min_float, max_float; /* of the finite ones; min > max: none */
    uint64_t n_not_finite;      /* NaN, infinite */

    uint64_t n_bytes; /* of all bytes values together */
    uint64_t min_bytes, max_bytes;
    uint64_t n_not_utf8; /* values */
    uint64_t n_images;   /* values that begin like JPEG, PNG, GIF, BMP, WebP or TIFF */
};

struct rec_schema {
    struct rec_field *fields; /* as they came; by name (bytes) after rec_schema_sort */
    size_t n;
    size_t capacity;
    uint64_t n_records;
    uint64_t
        n_sequences; /* records that are SequenceExamples: their feature_lists are not looked at */
    struct t2_map *by_name;
    size_t name_bytes;  /* of all names */
    uint32_t *expected; /* where view i of the record before was found */
    size_t n_expected;
};

struct rec_schema *rec_schema_new(void);
void rec_schema_free(struct rec_schema *s);

/* Everything of all inputs.  Sorted.  T2_EFORMAT names file, record and offset of a payload that is
 * no Example, T2_ENOMEM when there are too many features. */
T2_MUST_CHECK enum t2_status rec_schema_discover(const struct tfr_inputs *in, struct t2_pool *pool,
                                                 struct rec_schema **s, struct t2_err *err);
/* NULL when absent. */
const struct rec_field *rec_schema_find(const struct rec_schema *s, struct t2_slice name);

/* ---- what a field means ---- */

/* Kind of the first record that has values or an empty list of one; TFR_NONE when none has. */
enum tfr_kind rec_field_kind(const struct rec_field *f);
/* Do all records that have it agree on the kind? */
bool rec_field_agrees(const struct rec_field *f);
/* The first record that has another kind than rec_field_kind; NULL when none has. */
const struct rec_at *rec_field_disagreement(const struct rec_field *f, enum tfr_kind *kind);
/* Records that have it with a list, whatever kind. */
uint64_t rec_field_records(const struct rec_field *f);
/* Always as many values (at least one) where it is there? */
bool rec_field_is_fixed(const struct rec_field *f);
/* And is it in every record, with one kind? */
bool rec_field_is_required(const struct rec_schema *s, const struct rec_field *f);
/* int64 lists that all fit into 32 bits. */
bool rec_field_is_int32(const struct rec_field *f);
/* bytes: every value is UTF-8; every value is an image. */
bool rec_field_is_text(const struct rec_field *f);
bool rec_field_is_image(const struct rec_field *f);
const char *rec_kind_name(enum tfr_kind kind); /* "int64", "float", "bytes", "none" */

/* ---- building one (stats does, beside numbers of its own) ---- */

/* The number of the field called so, new when need be.  view_number: the view's place in its
 * record, which nearly always has the same fields in the same order. */
T2_MUST_CHECK enum t2_status rec_schema_place(struct rec_schema *s, struct t2_slice name,
                                              size_t view_number, size_t *field,
                                              struct t2_err *err);
/* One record's list.  v holds the values of view. */
void rec_field_see(struct rec_field *f, const struct tfr_view *view, const struct rec_values *v,
                   struct rec_at at);
/* A whole record: every view placed and seen, counted. */
T2_MUST_CHECK enum t2_status rec_schema_see(struct rec_schema *s, const struct tfr_example *ex,
                                            struct rec_values *scratch, struct rec_at at,
                                            struct t2_err *err);
/* Counts the payload when it is a SequenceExample (which parses as an Example of its context). */
void rec_schema_see_payload(struct rec_schema *s, struct t2_slice payload);
/* Adds what `from` saw, which stays as it is; places (may be NULL, room for from->n) gets the
 * number that each field of `from` has in `into`. */
T2_MUST_CHECK enum t2_status rec_schema_join(struct rec_schema *into, const struct rec_schema *from,
                                             size_t *places, struct t2_err *err);
/* Orders fields by name; numbers given out before mean nothing any more. */
void rec_schema_sort(struct rec_schema *s);

/* Parses the payload of record i of a batch; a failure's message names file, record and offset. */
T2_MUST_CHECK enum t2_status rec_parse_record(const struct tfr_batch *b, size_t i,
                                              struct tfr_example *ex, struct t2_err *err);
static inline struct rec_at rec_at_of(const struct tfr_batch *b, size_t i)
{
    return (struct rec_at){b->first + i, b->file_number, b->first_in_file + i};
}

#endif
