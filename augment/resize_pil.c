/*
 * augment/resize_pil.c - resizing as Pillow does it: Resample.c, and Geometry.c for nearest.
 *
 * Weights are doubles.  Bytes are summed in fixed point of 22 bits, columns first, rounded to bytes
 * in between; mode F is summed in doubles and rounded to float in between.
 *
 * Taps: for output i, index[i * n] is the first source pixel, index[i * n + 1] the number of taps,
 * weight and fixed (n_out, n) their weights.  n is what the widest output needs.
 */
#include <math.h>
#include <string.h>

#include "augment/resize_parts.h"

enum { FIXED_BITS = 22 };
static const double pi = 3.14159265358979323846;

/* ---- kernels ---- */

static double sinc(double x)
{
    return x == 0 ? 1 : sin(x * pi) / (x * pi);
}

/*
 * x in source pixels from the centre, divided by the stretch. Bicubic is Keys' with a = -0.5.
 * Hamming's constants are floats in Pillow and enter as such.
 */
static double kernel_at(enum aug_method method, double x)
{
    double a = fabs(x);

    switch (method) {
    case AUG_AREA:
        return x > -0.5 && x <= 0.5 ? 1 : 0;
    case AUG_BILINEAR:
        return a < 1 ? 1 - a : 0;
    case AUG_HAMMING:
        if (a == 0 || a >= 1)
            return a == 0 ? 1 : 0;
        a *= pi;
        return sin(a) / a * ((double) 0.54f + (double) 0.46f * cos(a));
    case AUG_BICUBIC:
        return a < 1 ? (1.5 * a - 2.5) * a * a + 1 : a < 2 ? (((a - 5) * a + 8) * a - 4) * -0.5 : 0;
    default: /* lanczos */
        return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    }
}

static bool has_method(enum aug_method method, double *support)
{
    switch (method) {
    case AUG_AREA:
        *support = 0.5;
        return true;
    case AUG_BILINEAR:
    case AUG_HAMMING:
        *support = 1;
        return true;
    case AUG_BICUBIC:
        *support = 2;
        return true;
    case AUG_LANCZOS:
        *support = 3;
        return true;
    default:
        return false;
    }
}

/* ---- taps ---- */

/* precompute_coeffs: a kernel of `support` source pixels at either side of the centre, stretched by
 * the scale when the image shrinks (Pillow always antialiases); weights sum to 1. */
static enum t2_status make_taps(enum aug_method method, int32_t n_in, float lo, float hi,
                                int32_t n_out, struct aug_taps *t, struct t2_err *err)
{
    double scale = (double) (hi - lo) / n_out, stretch = scale < 1 ? 1 : scale, support = 0;

    if (!has_method(method, &support))
        return t2_fail(err, T2_EUNSUPPORTED, "Pillow has no such method of resizing");
    support *= stretch;
    T2_TRY(aug_taps_make(t, n_out, (int32_t) ceil(support) * 2 + 1, err));
    for (int32_t i = 0; i < n_out; i++) {
        double centre = (double) lo + (i + 0.5) * scale, sum = 0, ss = 1.0 / stretch;
        double *w = t->weight.d + (size_t) i * (size_t) t->n;
        int32_t first = (int32_t) (centre - support + 0.5);
        int32_t end = (int32_t) (centre + support + 0.5), n;
        first = first < 0 ? 0 : first;
        end = end > n_in ? n_in : end;
        n = end - first < t->n ? end - first : t->n;
        for (int32_t k = 0; k < n; k++) {
            w[k] = kernel_at(method, (k + first - centre + 0.5) * ss);
            sum += w[k];
        }
        for (int32_t k = 0; k < n && sum != 0; k++)
            w[k] /= sum;
        t->index[(size_t) i * (size_t) t->n] = first;
        t->index[(size_t) i * (size_t) t->n + 1] = n;
    }
    return T2_OK;
}

/*
 * normalize_coeffs_8bpc: weights times 2^22, rounded half away from zero.  Pillow takes 32 - 8 - 2
 * bits: a sum of bytes times weights between -2 and 2 then fits into an int32.
 */
static void to_fixed(struct aug_taps *t)
{
    for (int32_t i = 0; i < t->n_out; i++) {
        size_t at = (size_t) i * (size_t) t->n;
        for (int32_t k = 0; k < t->n; k++) {
            double w = k < t->index[at + 1] ? t->weight.d[at + (size_t) k] : 0;
            t->fixed[at + (size_t) k] = (int32_t) ((w < 0 ? -0.5 : 0.5) + w * (1 << FIXED_BITS));
        }
    }
}

/* The part of the source to resize (the `box` argument), and the passes it needs. */
struct part {
    float x0, y0, x1, y1;
    bool columns, rows; /* need work */
    bool rows_first; /* since Pillow 13: when the height shrinks by more than twice what the width
                        does */
};

static enum t2_status find_part(const struct aug_resize *how, int32_t width, int32_t height,
                                int32_t to_width, int32_t to_height, struct part *p,
                                struct t2_err *err)
{
    *p = (struct part){.x1 = (float) width, .y1 = (float) height};
    if (how->has_box)
        *p = (struct part){.x0 = how->box[0],
                           .y0 = how->box[1],
                           .x1 = how->box[2],
                           .y1 = how->box[3]};
    if (!(p->x0 >= 0 && p->y0 >= 0 && p->x1 <= (float) width && p->y1 <= (float) height &&
          p->x0 < p->x1 && p->y0 < p->y1))
        return t2_fail(err, T2_EUSAGE, "the box is not inside an image of %d x %d", width, height);
    p->columns = to_width != width || p->x0 != 0 || p->x1 != (float) to_width;
    p->rows = to_height != height || p->y0 != 0 || p->y1 != (float) to_height;
    p->rows_first = p->columns && p->rows && to_height < height &&
                    height - to_height > 2 * ((int64_t) width - to_width);
    return T2_OK;
}

/* ---- nearest ---- */

/*
 * ImagingScaleAffine: the position is summed up step by step, not multiplied out, because the
 * rounding of the sums decides which pixel is taken.
 */
static void nearest_axis(float lo, float hi, int32_t n_in, struct aug_taps *t)
{
    double step = (double) (hi - lo) / t->n_out, at = (double) lo + step * 0.5;

    for (int32_t i = 0; i < t->n_out; i++, at += step)
        t->index[i] = at < n_in - 1 ? (int32_t) at : n_in - 1;
}

static enum t2_status nearest_axes(struct aug_resizer *z, const struct part *p, int32_t width,
                                   int32_t height, int32_t to_width, int32_t to_height,
                                   struct t2_err *err)
{
    T2_TRY(aug_taps_make(&z->x, to_width, 1, err));
    T2_TRY(aug_taps_make(&z->y, to_height, 1, err));
    nearest_axis(p->x0, p->x1, width, &z->x);
    nearest_axis(p->y0, p->y1, height, &z->y);
    return T2_OK;
}

/* ---- bytes ---- */

/* Rows first: z->rows is one row (in width, c) of bytes, then its columns. */
static enum t2_status resample_rows_first(struct aug_resizer *z, const struct aug_image *in,
                                          struct aug_image *out, struct t2_err *err)
{
    size_t n = (size_t) in->width * (size_t) in->channels;
    const uint8_t **rows;

    T2_TRY(aug_ring_make(z, 1, n, (size_t) z->y.n * sizeof *rows, 0, err));
    rows = z->line;
    for (int32_t y = 0; y < out->height; y++) {
        size_t at = (size_t) y * (size_t) z->y.n;
        for (int32_t k = 0; k < z->y.index[at + 1]; k++)
            rows[k] = aug_row(in, z->y.index[at] + k);
        z->kernel->fixed_weigh(rows, z->y.fixed + at, z->y.index[at + 1], n, z->rows);
        z->kernel->fixed_gather(z->rows, z->x.index, z->x.fixed, z->x.n, out->width, out->channels,
                                aug_row(out, y));
        aug_byte_row_done(z, out, y);
    }
    return T2_OK;
}

/*
 * Columns first: a ring of n_y rows (out width, c) bytes; z->line holds the addresses of the rows
 * of one output row.
 */
static enum t2_status resample(struct aug_resizer *z, const struct aug_image *in,
                               const struct part *p, struct aug_image *out, struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels;
    size_t n_in = (size_t) in->width * (size_t) in->channels;
    int32_t n_y = p->rows ? z->y.n : 1;
    const uint8_t **rows;

    T2_TRY(aug_ring_make(z, n_y, n, (size_t) n_y * sizeof *rows, n_in, err));
    rows = z->line;
    for (int32_t y = 0; y < out->height; y++) {
        size_t at = (size_t) y * (size_t) z->y.n;
        int32_t first = p->rows ? z->y.index[at] : y, count = p->rows ? z->y.index[at + 1] : 1;
        for (int32_t k = 0; k < count; k++) {
            bool fresh = false;
            uint8_t *row =
                p->columns ? aug_ring_take(z, first + k, n, &fresh) : aug_row(in, first + k);
            if (fresh)
                z->kernel->fixed_gather(aug_padded_bytes(z, in, first + k), z->x.index, z->x.fixed,
                                        z->x.n, out->width, out->channels, row);
            rows[k] = row;
        }
        if (p->rows)
            z->kernel->fixed_weigh(rows, z->y.fixed + at, count, n, aug_row(out, y));
        else
            memcpy(aug_row(out, y), rows[0], n);
        aug_byte_row_done(z, out, y);
    }
    return T2_OK;
}

enum t2_status aug_resize_pil(struct aug_resizer *z, const struct aug_resize *how,
                              const struct aug_image *in, struct aug_image *out, struct t2_err *err)
{
    struct part p;

    T2_TRY(find_part(how, in->width, in->height, out->width, out->height, &p, err));
    if (how->method == AUG_NEAREST) {
        T2_TRY(nearest_axes(z, &p, in->width, in->height, out->width, out->height, err));
        aug_pick_bytes(z, in, out);
        return T2_OK;
    }
    T2_TRY(make_taps(how->method, in->width, p.x0, p.x1, out->width, &z->x, err));
    T2_TRY(make_taps(how->method, in->height, p.y0, p.y1, out->height, &z->y, err));
    to_fixed(&z->x);
    to_fixed(&z->y);
    return p.rows_first ? resample_rows_first(z, in, out, err) : resample(z, in, &p, out, err);
}

/* ---- floats ---- */

/* in (in width, c), out (t->n_out, c). */
static void float_columns(const struct aug_taps *t, const float *in, int32_t channels, float *out)
{
    size_t c = (size_t) channels;

    for (int32_t x = 0; x < t->n_out; x++) {
        size_t at = (size_t) x * (size_t) t->n;
        const float *p = in + (size_t) t->index[at] * c;
        for (size_t j = 0; j < c; j++) {
            double sum = 0;
            for (int32_t k = 0; k < t->index[at + 1]; k++)
                sum += (double) p[(size_t) k * c + j] * t->weight.d[at + (size_t) k];
            *out++ = (float) sum;
        }
    }
}

static void float_row(const float *const *rows, const double *w, int32_t n_taps, size_t n,
                      float *out)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n_taps; k++)
            sum += (double) rows[k][i] * w[k];
        out[i] = (float) sum;
    }
}

static enum t2_status resample_floats_rows_first(struct aug_resizer *z, const struct aug_floats *in,
                                                 struct aug_floats *out, struct t2_err *err)
{
    size_t n = (size_t) in->width * (size_t) in->channels;
    const float **rows;

    T2_TRY(aug_ring_make(z, 1, n * sizeof(float), (size_t) z->y.n * sizeof *rows, 0, err));
    rows = z->line;
    for (int32_t y = 0; y < out->height; y++) {
        size_t at = (size_t) y * (size_t) z->y.n;
        for (int32_t k = 0; k < z->y.index[at + 1]; k++)
            rows[k] = aug_float_row(in, 0, z->y.index[at] + k);
        float_row(rows, z->y.weight.d + at, z->y.index[at + 1], n, z->rows);
        float_columns(&z->x, z->rows, out->channels, aug_float_row(out, 0, y));
    }
    return T2_OK;
}

static enum t2_status resample_floats(struct aug_resizer *z, const struct aug_floats *in,
                                      const struct part *p, struct aug_floats *out,
                                      struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels;
    const float **rows;

    T2_TRY(aug_ring_make(z, z->y.n, n * sizeof(float), (size_t) z->y.n * sizeof *rows, 0, err));
    rows = z->line;
    for (int32_t y = 0; y < out->height; y++) {
        size_t at = (size_t) y * (size_t) z->y.n;
        int32_t first = p->rows ? z->y.index[at] : y, count = p->rows ? z->y.index[at + 1] : 1;
        for (int32_t k = 0; k < count; k++) {
            bool fresh = false;
            float *row = p->columns ? aug_ring_take(z, first + k, n * sizeof(float), &fresh)
                                    : aug_float_row(in, 0, first + k);
            if (fresh)
                float_columns(&z->x, aug_float_row(in, 0, first + k), in->channels, row);
            rows[k] = row;
        }
        if (p->rows)
            float_row(rows, z->y.weight.d + at, count, n, aug_float_row(out, 0, y));
        else
            memcpy(aug_float_row(out, 0, y), rows[0], n * sizeof(float));
    }
    return T2_OK;
}

enum t2_status aug_resize_pil_floats(struct aug_resizer *z, const struct aug_resize *how,
                                     const struct aug_floats *in, struct aug_floats *out,
                                     struct t2_err *err)
{
    struct part p;

    T2_TRY(find_part(how, in->width, in->height, out->width, out->height, &p, err));
    if (how->method == AUG_NEAREST) {
        const struct aug_source source = {.floats = in,
                                          .width = in->width,
                                          .height = in->height,
                                          .channels = in->channels};
        T2_TRY(nearest_axes(z, &p, in->width, in->height, out->width, out->height, err));
        aug_pick_floats(z, &source, out);
        return T2_OK;
    }
    T2_TRY(make_taps(how->method, in->width, p.x0, p.x1, out->width, &z->x, err));
    T2_TRY(make_taps(how->method, in->height, p.y0, p.y1, out->height, &z->y, err));
    return p.rows_first ? resample_floats_rows_first(z, in, out, err)
                        : resample_floats(z, in, &p, out, err);
}
