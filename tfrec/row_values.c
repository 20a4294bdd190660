/*
 * tfrec/row_values.c - the values of a feature, for both shapes of a row.
 */
#include "tfrec/row_print.h"

/* A value takes at least a byte of the record, so this is at most 16 times its size. */
static void *room(struct rec_row *r, size_t n, size_t size)
{
    t2_buf_clear(&r->scratch);
    return t2_buf_reserve(&r->scratch, n * size);
}

const int64_t *rec_view_ints(struct rec_row *r, const struct tfr_view *v)
{
    int64_t *values = room(r, v->n, sizeof *values);

    tfr_view_ints(v, values);
    return values;
}

const float *rec_view_floats(struct rec_row *r, const struct tfr_view *v)
{
    float *values = room(r, v->n, sizeof *values);

    tfr_view_floats(v, values);
    return values;
}

const struct t2_slice *rec_view_bytes(struct rec_row *r, const struct tfr_view *v)
{
    struct t2_slice *values = room(r, v->n, sizeof *values);

    tfr_view_bytes(v, values);
    return values;
}
