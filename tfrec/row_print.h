/*
 * tfrec/row_print.h - the two shapes of a row: for rows.c, from row_short.c and row_proto.c.
 */
#ifndef REC_ROW_PRINT_H
#define REC_ROW_PRINT_H

#include "tfrec/rows.h"

/* Values of a view in r->scratch, valid until the next call (row_values.c). */
const int64_t *rec_view_ints(struct rec_row *r, const struct tfr_view *v);
const float *rec_view_floats(struct rec_row *r, const struct tfr_view *v);
const struct t2_slice *rec_view_bytes(struct rec_row *r, const struct tfr_view *v);

/* One feature: [3,1] or {"int64List":{"value":["3","1"]}}.  name: for the vocabulary. */
void rec_short_feature(const struct rec_row_options *o, struct rec_row *r, struct t2_slice name,
                       const struct tfr_view *v, struct t2_buf *out);
void rec_proto_feature(struct rec_row *r, const struct tfr_view *v, struct t2_buf *out);

/* Appends the list as a JSON string of its text when it looks like one; false when it does not. */
bool rec_ids_as_text(const struct tok_encoder *vocab, struct t2_slice name, const int64_t *ids,
                     size_t n, struct t2_buf *scratch, struct t2_buf *out);

#endif
