/*
 * tfrec/diff_record.h - where two records differ, feature by feature.
 */
#ifndef REC_DIFF_RECORD_H
#define REC_DIFF_RECORD_H

#include <stddef.h>

#include "base/buf.h"

/* One difference.  Strings are owned. */
struct rec_difference {
    char *feature; /* NULL: of the records as bytes */
    char *what;    /* "kind", "length", "value", "absent", "bytes" */
    char *at;      /* where: "[3]", "offset 12", or "" */
    char *a, *b;   /* what is there */
};

struct rec_differences {
    struct rec_difference *items;
    size_t n;
    size_t n_more; /* left out */
};

/* Features in the order of their names, of each the first difference.  Records that are no
 * Examples, or hold equal ones, are compared as bytes. */
void rec_diff_records(struct t2_slice a, struct t2_slice b, struct rec_differences *d);
void rec_differences_release(struct rec_differences *d);

#endif
