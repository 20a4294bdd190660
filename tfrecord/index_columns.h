/*
 * tfrecord/index_columns.h - columns of the binary index, collected batch by batch; for
 * index_build.c.
 */
#ifndef TFR_INDEX_COLUMNS_H
#define TFR_INDEX_COLUMNS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"
#include "tfrecord/record_stream.h"

struct tfr_columns;

struct tfr_columns *tfr_columns_new(const struct t2_strs *names); /* names: NULL = none */
void tfr_columns_free(struct tfr_columns *c);
size_t tfr_columns_count(const struct tfr_columns *c);

/* The columns of one batch; zero-initialise, use again, release. */
struct tfr_columns_part {
    struct tfr_column_part *parts;
    size_t n;
    struct tfr_example example;
    struct t2_buf scratch;
};
void tfr_columns_part_release(struct tfr_columns_part *p);

/* On any thread.  T2_EFORMAT: a payload that is no Example, or one feature of two kinds. */
T2_MUST_CHECK enum t2_status tfr_columns_extract(const struct tfr_columns *c,
                                                 const struct tfr_batch *b,
                                                 struct tfr_columns_part *p, struct t2_err *err);
/* In order. */
T2_MUST_CHECK enum t2_status tfr_columns_append(struct tfr_columns *c, const struct tfr_batch *b,
                                                const struct tfr_columns_part *p,
                                                struct t2_err *err);

/* What the index file has of column i, padded to eight bytes: `put` gets piece after piece. */
typedef void tfr_columns_put(void *context, const void *data, size_t len_bytes);
void tfr_columns_values(const struct tfr_columns *c, size_t i, tfr_columns_put *put, void *context);
void tfr_columns_name(const struct tfr_columns *c, size_t i, tfr_columns_put *put, void *context);

#endif
