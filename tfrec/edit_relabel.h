/*
 * tfrec/edit_relabel.h - other values for one feature of some records.
 */
#ifndef REC_EDIT_RELABEL_H
#define REC_EDIT_RELABEL_H

#include "tfrec/edit_choose.h"

/* What happens to the feature: either values are replaced one by one, or the whole list is. */
struct rec_relabel {
    char *feature;
    enum tfr_kind kind;
    bool is_map;
    size_t n;     /* pairs, or values of the new list */
    char **texts; /* owned storage of bytes values and of what was parsed */
    size_t n_texts;
    int64_t *old_ints, *new_ints;
    struct t2_slice *old_bytes, *new_bytes;
    float *new_floats;
};
void rec_relabel_release(struct rec_relabel *r);

/* "old:new,old:new": for int64 and bytes features.  kind: "int64", "float", "bytes", as a manifest
 * says. */
T2_MUST_CHECK enum t2_status rec_relabel_parse_map(struct rec_relabel *r, const char *feature,
                                                   const char *kind, const char *text,
                                                   struct t2_err *err);
/* "3", "0.5,1", "cat": the new list.  Values of bytes are not cut at commas: the text is one
 * value. */
T2_MUST_CHECK enum t2_status rec_relabel_parse_set(struct rec_relabel *r, const char *feature,
                                                   const char *kind, const char *text,
                                                   struct t2_err *err);

/* REC_CHANGE, with the new record (map keys in order, unknown fields left out) appended to out, or
 * REC_KEEP when all values stay as they are. */
T2_MUST_CHECK enum t2_status rec_relabel_record(const struct rec_relabel *r,
                                                const struct tfr_example *ex, struct t2_buf *out,
                                                enum rec_verdict *verdict, struct t2_err *err);

#endif
