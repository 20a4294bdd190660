/*
 * augment/resize_parts.h - what the files of resizing share; not for callers of resize.h.
 *
 * Every method here is separable: an output row or column is a weighted sum of a few of the
 * source's (its taps).  Whether rows or columns come first, the type of the sums and their order
 * are each library's own.
 */
#ifndef AUG_RESIZE_PARTS_H
#define AUG_RESIZE_PARTS_H

#include "augment/resize.h"
#include "augment/resize_kernel.h"

/* n taps for each of n_out outputs; those of output o begin at o * n.  Weights are of one type. */
struct aug_taps {
    int32_t n_out, n;
    int32_t *index; /* in the source */
    union {
        float *f;
        double *d;
    } weight;
    int32_t *fixed; /* the same as integers, for sums in fixed point */
    size_t capacity;
};

/* Where pixels come from: one of the two. */
struct aug_source {
    const struct aug_image *bytes;
    const struct aug_floats *floats;
    int32_t width, height, channels;
};

struct aug_resizer {
    const struct aug_resize_kernel *kernel;
    struct aug_taps x, y;
    float cubic[2][2][1025]; /* TensorFlow's tables: legacy, half-pixel; A, B; made when needed */
    bool has_cubic[2];
    void *rows; /* a ring of rows */
    size_t rows_bytes;
    int32_t *row_in; /* which source row is in a slot of the ring, -1 none */
    size_t row_slots, row_capacity;
    struct aug_image bytes; /* what becomes floats at the end */
    void *line;             /* scratch of one row */
    size_t line_bytes;
    void *padded; /* a row of the source, with room behind it */
    size_t padded_bytes;
    const struct aug_row_sink *sink; /* NULL: rows stay where they are */
    struct aug_floats sunk;          /* a row for it */
};

/* Room for n_out * n taps; T2_ENOMEM. */
T2_MUST_CHECK enum t2_status aug_taps_make(struct aug_taps *t, int32_t n_out, int32_t n,
                                           struct t2_err *err);
/* n_slots rows of row_bytes each (padded), none filled; a line of line_bytes; room for
 * aug_padded_... of n_in values. */
T2_MUST_CHECK enum t2_status aug_ring_make(struct aug_resizer *z, int32_t n_slots, size_t row_bytes,
                                           size_t line_bytes, size_t n_in, struct t2_err *err);
/* Row y of the source, behind which kernels may read: a copy of it where nothing else is behind;
 * until the next call. */
const uint8_t *aug_padded_bytes(struct aug_resizer *z, const struct aug_image *in, int32_t y);
const float *aug_padded_floats(struct aug_resizer *z, const struct aug_floats *in, int32_t y);
/* Row y of the result is complete. */
static inline void aug_row_done(const struct aug_resizer *z, const struct aug_floats *out,
                                int32_t y)
{
    if (z->sink)
        z->sink->take(z->sink->arg, y, aug_float_row(out, 0, y));
}
void aug_byte_row_done(const struct aug_resizer *z, const struct aug_image *out, int32_t y);
static inline void *aug_ring_row(const struct aug_resizer *z, int32_t row, size_t row_bytes)
{
    return (char *) z->rows + (size_t) row % z->row_slots * ((row_bytes + 127) / 64 * 64);
}
/* The slot of a source row; *fresh when the caller has to fill it. */
static inline void *aug_ring_take(struct aug_resizer *z, int32_t row, size_t row_bytes, bool *fresh)
{
    size_t slot = (size_t) row % z->row_slots;

    *fresh = z->row_in[slot] != row;
    z->row_in[slot] = row;
    return aug_ring_row(z, row, row_bytes);
}

static inline const uint8_t *aug_source_bytes(const struct aug_source *s, int32_t y)
{
    return aug_row(s->bytes, y);
}
static inline const float *aug_source_floats(const struct aug_source *s, int32_t y)
{
    return aug_float_row(s->floats, 0, y);
}

/* Picks pixels: index[] of z->x and z->y, one tap each. */
void aug_pick_bytes(const struct aug_resizer *z, const struct aug_image *in, struct aug_image *out);
void aug_pick_floats(const struct aug_resizer *z, const struct aug_source *in,
                     struct aug_floats *out);

/* ---- the libraries, for resize.c; out has its size already ---- */

T2_MUST_CHECK enum t2_status aug_resize_tf(struct aug_resizer *z, const struct aug_resize *how,
                                           const struct aug_source *in, struct aug_floats *out,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_resize_tf_nearest(struct aug_resizer *z,
                                                   const struct aug_resize *how,
                                                   const struct aug_source *in,
                                                   struct aug_image *out, struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_resize_pil(struct aug_resizer *z, const struct aug_resize *how,
                                            const struct aug_image *in, struct aug_image *out,
                                            struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_resize_pil_floats(struct aug_resizer *z,
                                                   const struct aug_resize *how,
                                                   const struct aug_floats *in,
                                                   struct aug_floats *out, struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_resize_cv(struct aug_resizer *z, const struct aug_resize *how,
                                           const struct aug_image *in, struct aug_image *out,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_resize_cv_floats(struct aug_resizer *z,
                                                  const struct aug_resize *how,
                                                  const struct aug_floats *in,
                                                  struct aug_floats *out, struct t2_err *err);

#endif
