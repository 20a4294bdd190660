/*
 * datagen/feature_list.h - the features of one record while it is made.
 *
 * The usual record (texts that became ids) never comes here: encode_pass.c writes it directly.
 */
#ifndef DG_FEATURE_LIST_H
#define DG_FEATURE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "datagen/problem.h"
#include "tfrecord/example.h"

enum { DG_MAX_FEATURES = 16 };

/* Values of one feature; kind says which list counts.  Grows, is used again for the next record. */
struct dg_feature {
    const char *name; /* static text */
    enum tfr_kind kind;
    int64_t *ints;
    float *floats;
    struct t2_slice bytes; /* TFR_BYTES: one value, borrowed until the record is written */
    size_t n, capacity;
};

/* Zero-initialise; dg_record_release. */
struct dg_record {
    struct dg_feature features[DG_MAX_FEATURES];
    size_t n;
    struct t2_slice ready; /* the serialised Example when it is one already (borrowed): features
                              only tell what is in it */
    const char *drop;      /* why the record is left out (static text); NULL: it is not */
    struct t2_buf made;    /* bytes that dg_problem.finish made; features may point into it */
};
void dg_record_clear(struct dg_record *r);
void dg_record_release(struct dg_record *r);

/* A new, empty feature; at most DG_MAX_FEATURES, names differ. */
struct dg_feature *dg_record_add(struct dg_record *r, const char *name, enum tfr_kind kind);
struct dg_feature *dg_record_find(struct dg_record *r, const char *name); /* NULL: absent */
void dg_record_remove(struct dg_record *r, const char *name);
/* Gives a feature that is there another name (static text). */
void dg_record_rename(struct dg_record *r, const char *name, const char *new_name);
/* New features of one value; bytes are borrowed until the record is written. */
void dg_record_bytes(struct dg_record *r, const char *name, struct t2_slice bytes);
void dg_record_int(struct dg_record *r, const char *name, int64_t value);

void dg_feature_push(struct dg_feature *f, int64_t value);
void dg_feature_push_float(struct dg_feature *f, float value);
int64_t *dg_feature_extend(struct dg_feature *f, size_t n); /* n more values, to be filled in */
void dg_feature_append_ids(struct dg_feature *f, const int32_t *ids, size_t n);

/* Appends the serialised Example. */
void dg_record_write(const struct dg_record *r, struct t2_buf *out);

/* What dg_problem.finish sees of the sample beside the record: the cleaned texts, and the encoders
 * of the sides (NULL: not of text). */
struct tok_encoder;
struct dg_texts {
    enum dg_split split;
    struct t2_slice text[DG_N_TEXTS];
    const struct tok_encoder *encoders[DG_N_SIDES];
};

#endif
