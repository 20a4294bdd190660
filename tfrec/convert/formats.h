/*
 * tfrec/convert/formats.h - from one format to another: everything goes through serialised
 * Examples.
 *
 * A reader gives records one after the other, a writer takes them; convert_run.c stands between and
 * keeps all threads busy.  One format a file or two; formats.c is the list.
 */
#ifndef REC_FORMATS_H
#define REC_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrec/rows.h"
#include "tfrec/values.h"
#include "tfrecord/example.h"
#include "tfrecord/inputs.h"

struct t2_pool;
struct rec_csv_columns;

/* What the command line says; strings are borrowed from it. */
struct rec_convert {
    const char *from, *to; /* "" until they are found */
    const char *output;
    const struct t2_strs *inputs;
    struct t2_pool *pool;

    /* JSON Lines */
    const char *json; /* "" short, "proto" */
    /* CSV, TSV */
    const char *columns, *types, *list_separator;
    bool header, quotes;
    struct rec_csv_columns *csv; /* what reading the first file found; for all files */
    /* WebDataset */
    const char *key;
    /* folders of images */
    const char *labels;
    int64_t first_label;
    bool number_files;
    /* TFDS */
    const char *split;
    /* SQuAD */
    const char *vocab_file;
    int64_t max_seq_length, doc_stride, max_query_length;
    bool do_lower_case, version_2_with_negative;
    /* TFRecord */
    const char *compress;
    int64_t level;
};

/* ---- reading ---- */

/* Begins the structure of every reader. */
struct rec_reader {
    /*
     * Appends the next item to *out, T2_EOF at the end; *place is passed on to parse (a line
     * number).  An item is a record, unless there is parse.  One thread at a time.
     */
    enum t2_status (*next)(struct rec_reader *r, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err);
    /* Appends the record made of an item; on any thread.  May be NULL. */
    enum t2_status (*parse)(const struct rec_reader *r, uint64_t place, struct t2_slice item,
                            struct t2_buf *out, struct t2_err *err);
    void (*free)(struct rec_reader *r);
    /* Warns of what the records do not have of the input: once, behind the last item of the reading
     * that is written.  May be NULL. */
    void (*say)(const struct rec_reader *r);
};

/* ---- writing ---- */

/* Memory of one thread while records are formatted; zero-initialise, release. */
struct rec_scratch {
    struct rec_row row;
    struct tfr_example example;
    struct rec_values values;
    struct t2_buf text;
};
void rec_scratch_release(struct rec_scratch *s);

/* Begins the structure of every writer.  number: of the record over all inputs, from 0. */
struct rec_writer {
    /* First pass, in order: what has to be known before the first record is written.  NULL:
     * nothing. */
    enum t2_status (*look)(struct rec_writer *w, uint64_t number, struct t2_slice record,
                           struct t2_err *err);
    enum t2_status (*looked)(struct rec_writer *w, struct t2_err *err); /* its end */
    /* Appends what becomes of a record; on any thread.  NULL: the record as it is. */
    enum t2_status (*format)(const struct rec_writer *w, struct rec_scratch *s, uint64_t number,
                             struct t2_slice record, struct t2_buf *out, struct t2_err *err);
    /* Takes what format made, in order, one at a time. */
    enum t2_status (*add)(struct rec_writer *w, uint64_t number, struct t2_slice made,
                          struct t2_err *err);
    /* Makes the output appear. */
    enum t2_status (*commit)(struct rec_writer *w, struct t2_err *err);
    /* Always called last; without commit nothing appears. */
    void (*free)(struct rec_writer *w);
};

/* ---- formats ---- */

struct rec_format {
    const char *name;
    /* One INPUT, in order; NULL: the format's records come through tfrecord/record_stream.h
     * (find). */
    enum t2_status (*open)(const struct rec_convert *c, const char *path, struct rec_reader **r,
                           struct t2_err *err);
    /* The record files that the inputs mean; check looks at each when it is read (may be NULL). */
    enum t2_status (*find)(const struct rec_convert *c, struct tfr_inputs *in, struct t2_err *err);
    enum t2_status (*create)(const struct rec_convert *c, struct rec_writer **w,
                             struct t2_err *err); /* NULL: not written */
};
extern const struct rec_format rec_format_tfrecord, rec_format_tfds, rec_format_jsonl,
    rec_format_csv, rec_format_tsv, rec_format_webdataset, rec_format_bagz, rec_format_npz,
    rec_format_images, rec_format_squad;

/* Fills c->from and c->to where they are "" by names and contents; T2_EUSAGE says what to give. */
T2_MUST_CHECK enum t2_status rec_formats_guess(struct rec_convert *c, struct t2_err *err);
T2_MUST_CHECK enum t2_status rec_format_find(const char *flag, const char *name,
                                             const struct rec_format **f, struct t2_err *err);

/* ---- the way through ---- */

T2_MUST_CHECK enum t2_status rec_convert_run(const struct rec_convert *c, uint64_t *n_records,
                                             struct t2_err *err);

#endif
