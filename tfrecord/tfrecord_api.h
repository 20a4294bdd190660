/*
 * tfrecord_api.h - libtfrecord: TFRecord files for other programs and languages.
 *
 * The one stable interface of this project for C and for foreign function interfaces: opaque
 * handles, plain numbers and arrays, no struct that could change its layout.  Everything inside
 * libtfrecord.so that is not declared here is hidden.
 *
 * A function that can fail returns a status (TFRECORD_OK or one of those after it); what went
 * wrong, in words that name file, record and offset, is then tfrecord_error() of the same thread.
 * Nothing is printed, no signal handler is set, no thread is started.  A handle belongs to one
 * thread at a time; different handles do not know of each other.  After fork(2) the child opens
 * handles of its own. NULL may be freed.
 */
#ifndef TFRECORD_API_H
#define TFRECORD_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TFRECORD_API __attribute__((visibility("default")))

/* Grows when something is added; nothing is taken away under one SONAME. */
#define TFRECORD_API_VERSION 1
TFRECORD_API int tfrecord_api_version(void);
TFRECORD_API const char *tfrecord_version(void); /* of the program: "0.1.0" */

#define TFRECORD_OK 0
#define TFRECORD_END 1          /* no record is left; not an error */
#define TFRECORD_EUSAGE 2       /* arguments that make no sense */
#define TFRECORD_EIO 3          /* the system refused: open, read, write, disk full */
#define TFRECORD_EFORMAT 4      /* the bytes are not what they should be: damage */
#define TFRECORD_ENOTFOUND 5    /* no such file, or no such record */
#define TFRECORD_ENOMEM 6       /* memory is exhausted */
#define TFRECORD_EUNSUPPORTED 7 /* valid, but not in this version */

/* Of the last failure in this thread; "" before any.  Valid until the next failure. */
TFRECORD_API const char *tfrecord_error(void);

/* CRC-32C of more bytes after crc (0 to begin), and the masked form that record files hold. */
TFRECORD_API uint32_t tfrecord_crc32c(uint32_t crc, const void *data, size_t n_bytes);
TFRECORD_API uint32_t tfrecord_masked_crc32c(const void *data, size_t n_bytes);

/* ---- reading ---- */

/*
 * The records of all inputs, one after another.  An input is a file (plain, gzip, zlib or block
 * gzip: found by content), a glob, a sharded name ("base@100", "base@*"), a folder, a manifest, or
 * "-".
 */
struct tfrecord_reader;
TFRECORD_API int tfrecord_reader_open(const char *const *inputs, size_t n_inputs,
                                      struct tfrecord_reader **reader);
TFRECORD_API void tfrecord_reader_close(struct tfrecord_reader *reader);

TFRECORD_API size_t tfrecord_reader_n_files(const struct tfrecord_reader *reader);
/* Borrowed until the reader is closed; NULL when there is no such file. */
TFRECORD_API const char *tfrecord_reader_file(const struct tfrecord_reader *reader, size_t i);

/* In order, both checksums of each verified.  *data is borrowed until the next call on this
 * reader. */
TFRECORD_API int tfrecord_reader_next(struct tfrecord_reader *reader, const void **data,
                                      size_t *n_bytes);
/* The next record is the first again. */
TFRECORD_API void tfrecord_reader_rewind(struct tfrecord_reader *reader);

/*
 * How many there are, and record i of all: independent of the order above.  An index beside a file
 * (`tfrec index`) is used when it is fresh, else the file is scanned once for its offsets.
 */
TFRECORD_API int tfrecord_reader_count(struct tfrecord_reader *reader, uint64_t *n_records);
TFRECORD_API int tfrecord_reader_get(struct tfrecord_reader *reader, uint64_t i, const void **data,
                                     size_t *n_bytes);

/* ---- tf.train.Example: one record ---- */

#define TFRECORD_BYTES 1
#define TFRECORD_FLOAT 2
#define TFRECORD_INT64 3

struct tfrecord_example;
/* names: the features to extract; NULL: all.  Copied. */
TFRECORD_API int tfrecord_example_new(const char *const *names, size_t n_names,
                                      struct tfrecord_example **example);
TFRECORD_API void tfrecord_example_free(struct tfrecord_example *example);

/*
 * Parses a record into one block of memory, *block of *block_bytes bytes, borrowed until the next
 * call on this handle.  It begins with a table of *n_features rows of TFRECORD_ROW numbers
 * (int64_t):
 *
 *   0, 1  where the name starts in the record, its length in bytes (UTF-8)
 *   2     kind: TFRECORD_BYTES, _FLOAT, _INT64; 0 when the feature has no list
 *   3     number of values
 *   4     where the values start in the block, in bytes: int64_t, float, or for bytes two int64_t
 *         each, where the value starts in the record and its length
 *
 * in the order of the record (of those in names).
 */
#define TFRECORD_ROW 5
TFRECORD_API int tfrecord_example_parse(struct tfrecord_example *example, const void *record,
                                        size_t n_bytes, const void **block, size_t *block_bytes,
                                        size_t *n_features);

/*
 * Serialises an Example: names[i] of kinds[i] has counts[i] values.  values[i] points to int64_t or
 * float values, or for TFRECORD_BYTES to pointers to the values, whose lengths are in lengths[i]
 * (which is not looked at for the others).  Names are UTF-8 and differ; the map is written in their
 * order, so equal content gives equal bytes.  *data is borrowed until the next call on this handle.
 */
TFRECORD_API int tfrecord_example_build(struct tfrecord_example *example, size_t n_features,
                                        const char *const *names, const int *kinds,
                                        const size_t *counts, const void *const *values,
                                        const size_t *const *lengths, const void **data,
                                        size_t *n_bytes);

/* ---- tf.train.Example: many records ---- */

/* Columns, as tf.io.parse_example's ragged tensors: values of feature c of record i are those
 * numbered splits[i] ... splits[i + 1] of its column. */
struct tfrecord_batch;
/* kinds may be NULL, and 0 in it means: the kind of the first list that comes. */
TFRECORD_API int tfrecord_batch_new(const char *const *names, const int *kinds, size_t n_columns,
                                    struct tfrecord_batch **batch);
TFRECORD_API void tfrecord_batch_free(struct tfrecord_batch *batch);
TFRECORD_API void tfrecord_batch_clear(struct tfrecord_batch *batch);

/* Adds a record; the next ones of a reader, at most max_records (TFRECORD_END when none was left);
 * those with the given numbers, in this order.  After a failure the batch has what came before. */
TFRECORD_API int tfrecord_batch_add(struct tfrecord_batch *batch, const void *record,
                                    size_t n_bytes);
TFRECORD_API int tfrecord_batch_next(struct tfrecord_batch *batch, struct tfrecord_reader *reader,
                                     size_t max_records);
TFRECORD_API int tfrecord_batch_get(struct tfrecord_batch *batch, struct tfrecord_reader *reader,
                                    const uint64_t *numbers, size_t n_numbers);

/* Borrowed until records are added or cleared. */
TFRECORD_API size_t tfrecord_batch_n_records(const struct tfrecord_batch *batch);
TFRECORD_API int tfrecord_batch_kind(const struct tfrecord_batch *batch, size_t column);
TFRECORD_API const int64_t *tfrecord_batch_splits(const struct tfrecord_batch *batch,
                                                  size_t column);
/* int64_t or float values by the kind; of bytes the ends: value k is data[ends[k] ... ends[k +
 * 1]]. */
TFRECORD_API const void *tfrecord_batch_values(const struct tfrecord_batch *batch, size_t column);
TFRECORD_API const uint8_t *tfrecord_batch_data(const struct tfrecord_batch *batch, size_t column);

/* ---- writing ---- */

/*
 * output: a file, or "base@16" for that many shards.  compression: "none" (or NULL), "gzip", "zlib"
 * or "bgzip".  The files appear under their names, complete and synced, when the writer is
 * committed; until then, and when it is aborted instead, there is nothing.
 */
struct tfrecord_writer;
TFRECORD_API int tfrecord_writer_open(const char *output, const char *compression,
                                      struct tfrecord_writer **writer);
TFRECORD_API int tfrecord_writer_add(struct tfrecord_writer *writer, const void *record,
                                     size_t n_bytes);
/* Both release the writer, commit also when it fails. */
TFRECORD_API int tfrecord_writer_commit(struct tfrecord_writer *writer, uint64_t *n_records);
TFRECORD_API void tfrecord_writer_abort(struct tfrecord_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
