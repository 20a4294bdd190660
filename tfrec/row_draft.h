/*
 * tfrec/row_draft.h - the features of a row while it is parsed: values in growing memory, names and
 * lists as places in it.  For row_parse.c.
 */
#ifndef REC_ROW_DRAFT_H
#define REC_ROW_DRAFT_H

#include "tfrec/json_cursor.h"
#include "tfrecord/example.h"

struct rec_name {
    size_t at, len_bytes; /* in text, followed by NUL */
};

/* n values of a kind, from number first on in the memory of that kind. */
struct rec_list {
    enum tfr_kind kind;
    size_t first, n;
};

/* Zero-initialise, release. */
struct rec_draft {
    struct t2_buf text; /* names and bytes values */
    struct t2_buf ints, floats, spans;
    struct t2_buf features, steps, lists;
    bool has_context, is_sequence;
};
void rec_draft_release(struct rec_draft *d);

/* Keeps a key whose first byte in the line is at; a name with NUL is refused. */
T2_MUST_CHECK enum t2_status rec_draft_name(struct rec_draft *d, const struct rec_json *c,
                                            const uint8_t *at, struct t2_slice key,
                                            struct rec_name *name, struct t2_err *err);
/* The name's bytes, copied to scratch. */
struct t2_slice rec_draft_name_of(const struct rec_draft *d, struct rec_name name,
                                  struct t2_buf *scratch);

/* Lists grow one at a time: a list is complete before the next begins. */
void rec_draft_begin(struct rec_draft *d, struct rec_list *l, enum tfr_kind kind);
/* Adds to a list of numbers.  may_turn: a list of ints becomes one of floats when a number is not
 * whole. False when the number does not fit the kind. */
bool rec_draft_number(struct rec_draft *d, struct rec_list *l, const struct rec_json_number *number,
                      bool may_turn);
/* "NaN", "Infinity", "-Infinity"; false when it is none of them. */
bool rec_draft_nonfinite(struct rec_draft *d, struct rec_list *l, struct t2_slice word);
/* Adds the bytes that were appended to text from `at` on. */
void rec_draft_bytes(struct rec_draft *d, struct rec_list *l, size_t at);
bool rec_draft_base64(struct rec_draft *d, struct rec_list *l, struct t2_slice text);

void rec_draft_feature(struct rec_draft *d, struct rec_name name, struct rec_list list);
void rec_draft_list(struct rec_draft *d, struct rec_name name); /* whose steps follow */
void rec_draft_step(struct rec_draft *d, struct rec_list list);

/* Appends the message; two equal names are T2_EFORMAT. */
T2_MUST_CHECK enum t2_status rec_draft_build(struct rec_draft *d, const struct rec_json *c,
                                             struct t2_buf *out, struct t2_err *err);

#endif
