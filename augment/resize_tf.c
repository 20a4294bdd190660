/*
 * augment/resize_tf.c - resizing as TensorFlow does it (specification 5.2 to 5.6).
 *
 * Every expression is rounded to float after each operation, as in the originals
 * (resize_bilinear_op.cc, resize_bicubic_op.cc, resize_area_op.cc, scale_and_translate_op.cc).
 *
 * Every method is a pair of functions: *_axis makes the taps of one axis, (n_out, n) indices and
 * weights, and a loop applies them.  p is an output's place in the source:
 *
 *   tf1                p = i * scale                          scale = n_in / n_out
 *   tf1 align_corners  p = i * scale                          scale = (n_in - 1) / (n_out - 1)
 *   tf2                p = (i + 0.5) * scale - 0.5            pixels are areas, not points
 *
 * The intermediate floats decide the last bits of p, so the expressions must not be rearranged.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "augment/resize_parts.h"

/* ---- coordinates ---- */

static bool half_pixels(const struct aug_resize *how)
{
    return how->convention == AUG_TF2;
}

static float scale_of(int32_t n_in, int32_t n_out, bool align_corners)
{
    return align_corners && n_out > 1 ? (float) (n_in - 1) / (float) (n_out - 1)
                                      : (float) n_in / (float) n_out;
}

static float source_of(int32_t i, float scale, bool half)
{
    return half ? ((float) i + 0.5f) * scale - 0.5f : (float) i * scale;
}

static int32_t clamp(int64_t v, int32_t n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : (int32_t) v;
}

/* Mirrors the source by its column indices, which is free, instead of mirroring the result. */
static void turn_round(const struct aug_resize *how, int32_t n_in, struct aug_taps *t)
{
    for (size_t i = 0; how->mirrored && i < (size_t) t->n_out * (size_t) t->n; i++)
        t->index[i] = n_in - 1 - t->index[i];
}

/* ---- nearest ---- */

/* n = 1: resize_nearest_neighbor_op.cc; with align_corners rounded, else rounded down. */
static void nearest_axis(const struct aug_resize *how, int32_t n_in, struct aug_taps *t)
{
    bool align = how->convention == AUG_TF1 && how->align_corners;
    float scale = scale_of(n_in, t->n_out, align);

    for (int32_t i = 0; i < t->n_out; i++) {
        float p = half_pixels(how) ? floorf(((float) i + 0.5f) * scale)
                  : align          ? roundf((float) i * scale)
                                   : floorf((float) i * scale);
        t->index[i] = p < (float) (n_in - 1) ? (int32_t) p : n_in - 1;
    }
}

static enum t2_status nearest_axes(struct aug_resizer *z, const struct aug_resize *how,
                                   const struct aug_source *in, int32_t height, int32_t width,
                                   struct t2_err *err)
{
    T2_TRY(aug_taps_make(&z->x, width, 1, err));
    T2_TRY(aug_taps_make(&z->y, height, 1, err));
    nearest_axis(how, in->width, &z->x);
    turn_round(how, in->width, &z->x);
    nearest_axis(how, in->height, &z->y);
    return T2_OK;
}

enum t2_status aug_resize_tf_nearest(struct aug_resizer *z, const struct aug_resize *how,
                                     const struct aug_source *in, struct aug_image *out,
                                     struct t2_err *err)
{
    T2_TRY(nearest_axes(z, how, in, out->height, out->width, err));
    aug_pick_bytes(z, in->bytes, out);
    return T2_OK;
}

/* ---- rows by columns first: bilinear, area ---- */

/*
 * n = 2: index (n_out, 2) is left and right, weight[2i + 1] the part of the right one.
 * compute_interpolation_weights of resize_bilinear_op.cc.
 */
static void bilinear_axis(const struct aug_resize *how, int32_t n_in, struct aug_taps *t)
{
    float scale = scale_of(n_in, t->n_out, how->convention == AUG_TF1 && how->align_corners);

    for (int32_t i = 0; i < t->n_out; i++) {
        float p = source_of(i, scale, half_pixels(how)), f = floorf(p);
        t->index[2 * i] = clamp((int64_t) f, n_in);
        t->index[2 * i + 1] = clamp((int64_t) ceilf(p), n_in);
        t->weight.f[2 * i + 1] = p - f;
    }
}

/* Ring of two rows (width, c) floats: the upper and lower row at the output's width. */
static enum t2_status bilinear(struct aug_resizer *z, const struct aug_resize *how,
                               const struct aug_source *in, struct aug_floats *out,
                               struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels, bytes = n * sizeof(float);
    size_t n_in = (size_t) in->width * (size_t) in->channels;

    T2_TRY(aug_taps_make(&z->x, out->width, 2, err));
    T2_TRY(aug_taps_make(&z->y, out->height, 2, err));
    T2_TRY(aug_ring_make(z, 2, bytes, 0, n_in, err));
    bilinear_axis(how, in->width, &z->x);
    turn_round(how, in->width, &z->x);
    bilinear_axis(how, in->height, &z->y);
    for (int32_t y = 0; y < out->height; y++) {
        float *rows[2];
        for (int k = 0; k < 2; k++) {
            int32_t row = z->y.index[2 * y + k];
            bool fresh;
            rows[k] = aug_ring_take(z, row, bytes, &fresh);
            if (fresh && in->bytes)
                z->kernel->lerp_bytes(aug_padded_bytes(z, in->bytes, row), z->x.index,
                                      z->x.weight.f, out->width, out->channels, rows[k]);
            else if (fresh)
                z->kernel->lerp(aug_padded_floats(z, in->floats, row), z->x.index, z->x.weight.f,
                                out->width, out->channels, rows[k]);
        }
        z->kernel->lerp_rows(rows[0], rows[1], z->y.weight.f[2 * y + 1], n,
                             aug_float_row(out, 0, y));
        aug_row_done(z, out, y);
    }
    return T2_OK;
}

/* Cells of the area method: output i covers [i * s, (i + 1) * s) of the source, and each source
 * pixel counts with the length of its overlap.  ceil(s) + 2 taps are room for all; unused ones have
 * weight 0.  A cell within one pixel has weight s (the original's CachedInterpolation). */
static enum t2_status area_axis(const struct aug_resize *how, int32_t n_in, int32_t n_out,
                                struct aug_taps *t, float *scale, struct t2_err *err)
{
    float s = scale_of(n_in, n_out, how->convention == AUG_TF1 && how->align_corners);

    *scale = s;
    T2_TRY(aug_taps_make(t, n_out, (int32_t) ceilf(s) + 2, err));
    for (int32_t i = 0; i < n_out; i++) {
        float start = (float) i * s, end = (float) (i + 1) * s;
        int32_t k = 0, *index = t->index + (size_t) i * (size_t) t->n;
        float *w = t->weight.f + (size_t) i * (size_t) t->n;
        for (int32_t j = (int32_t) floorf(start); j < (int32_t) ceilf(end) && k < t->n; j++, k++) {
            float a = (float) j, b = (float) (j + 1);
            index[k] = clamp(j, n_in);
            w[k] = a < start ? (b > end ? s : b - start) : b > end ? end - a : 1;
        }
        for (; k < t->n; k++) {
            index[k] = k > 0 ? index[k - 1] : clamp((int64_t) floorf(start), n_in);
            w[k] = 0;
        }
    }
    return T2_OK;
}

/* Sums of rows times overlap, (width, c) floats, then one product with 1 / (sx * sy). */
static enum t2_status area(struct aug_resizer *z, const struct aug_resize *how,
                           const struct aug_source *in, struct aug_floats *out, struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels, bytes = n * sizeof(float);
    size_t n_in = (size_t) in->width * (size_t) in->channels;
    float sx, sy, inverse;

    T2_TRY(area_axis(how, in->width, out->width, &z->x, &sx, err));
    turn_round(how, in->width, &z->x);
    T2_TRY(area_axis(how, in->height, out->height, &z->y, &sy, err));
    T2_TRY(aug_ring_make(z, 2, bytes, 0, n_in, err));
    inverse = 1.0f / (sy * sx);
    for (int32_t y = 0; y < out->height; y++) {
        float *sum = aug_float_row(out, 0, y);
        memset(sum, 0, bytes);
        for (int32_t k = 0; k < z->y.n; k++) {
            int32_t row = z->y.index[y * z->y.n + k];
            float w = z->y.weight.f[y * z->y.n + k], *part;
            bool fresh;
            if (w == 0)
                continue;
            part = aug_ring_take(z, row, bytes, &fresh);
            if (fresh && in->bytes)
                z->kernel->gather_bytes(aug_padded_bytes(z, in->bytes, row), z->x.index,
                                        z->x.weight.f, z->x.n, out->width, out->channels, part);
            else if (fresh)
                z->kernel->gather(aug_padded_floats(z, in->floats, row), z->x.index, z->x.weight.f,
                                  z->x.n, out->width, out->channels, part);
            z->kernel->add_row(sum, part, w, n);
        }
        for (size_t i = 0; i < n; i++)
            sum[i] *= inverse; /* 0 * infinity is NaN, as in the original, when a scale is 0 */
        aug_row_done(z, out, y);
    }
    return T2_OK;
}

/* ---- columns by rows first: bicubic, scale and translate ---- */

/* The columns [from, to) whose taps are consecutive source pixels, which is all but the borders,
 * where indices are clamped.  There four loads have one address instead of four. */
static void find_runs(const struct aug_taps *t, int32_t *from, int32_t *to)
{
    int32_t i = 0;

    *from = *to = 0;
    for (int32_t x = 0; x < t->n_out; x++, i += t->n) {
        bool follow = true;
        for (int32_t k = 1; k < t->n; k++)
            follow &= t->index[i + k] == t->index[i] + k;
        if (!follow && *to > 0)
            return;
        *from += !follow;
        *to = follow ? x + 1 : 0;
    }
}

/* Columns [from, to) of a row: in (in width, channels), out (out width, channels). */
static void gather_part(const struct aug_resizer *z, const float *in, int32_t from, int32_t to,
                        bool is_run, int32_t channels, float *out)
{
    size_t at = (size_t) from * (size_t) z->x.n;

    if (from < to)
        (is_run ? z->kernel->gather_runs
                : z->kernel->gather)(in, z->x.index + at, z->x.weight.f + at, z->x.n, to - from,
                                     channels, out + (size_t) from * (size_t) channels);
}

/* The taps of z->y into z->line, (in width, c) floats, then those of z->x.  z->rows holds the
 * addresses of the source rows here. */
static enum t2_status rows_first(struct aug_resizer *z, const struct aug_source *in,
                                 struct aug_floats *out, struct t2_err *err)
{
    size_t n = (size_t) in->width * (size_t) in->channels;
    const void **rows;
    int32_t from, to;

    T2_TRY(aug_ring_make(z, 1, (size_t) z->y.n * sizeof(void *), n * sizeof(float), 0, err));
    rows = z->rows;
    find_runs(&z->x, &from, &to);
    for (int32_t y = 0; y < out->height; y++) {
        const int32_t *index = z->y.index + (size_t) y * (size_t) z->y.n;
        const float *w = z->y.weight.f + (size_t) y * (size_t) z->y.n;
        for (int32_t k = 0; k < z->y.n; k++)
            rows[k] = in->bytes ? (const void *) aug_source_bytes(in, index[k])
                                : (const void *) aug_source_floats(in, index[k]);
        if (in->bytes)
            z->kernel->weigh_bytes(z->rows, w, z->y.n, n, z->line);
        else
            z->kernel->weigh_floats(z->rows, w, z->y.n, n, z->line);
        float *row = aug_float_row(out, 0, y);
        gather_part(z, z->line, 0, from, false, out->channels, row);
        gather_part(z, z->line, from, to, true, out->channels, row);
        gather_part(z, z->line, to, out->width, false, out->channels, row);
        aug_row_done(z, out, y);
    }
    return T2_OK;
}

enum { CUBIC_STEPS = 1024 };

/* Weights of Keys' cubic at 1024 places between two pixels, as TensorFlow tabulates them
 * (GetCoeffsTable): [0] of the two near pixels, [1] of the two far ones.  a = -0.5 with half pixel
 * centres, -0.75 without. */
static void make_cubic_table(struct aug_resizer *z, bool half)
{
    double a = half ? -0.5 : -0.75;

    for (int k = 0; k <= CUBIC_STEPS && !z->has_cubic[half]; k++) {
        double x = (double) ((float) k / (float) CUBIC_STEPS);
        z->cubic[half][0][k] = (float) (((a + 2) * x - (a + 3)) * x * x + 1);
        x = (double) (1.0f + (float) k / (float) CUBIC_STEPS);
        z->cubic[half][1][k] = (float) (((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
    z->has_cubic[half] = true;
}

/* Taps outside of the image have weight 0; the others are scaled up to a sum of 1.  Sums near 0
 * stay as they are (a threshold of the original's). */
static void normalize(float *w, int32_t n)
{
    float sum = 0;

    for (int32_t k = 0; k < n; k++)
        sum += w[k];
    if (fabsf(sum) < 1000 * FLT_MIN)
        return;
    sum = 1.0f / sum;
    for (int32_t k = 0; k < n; k++)
        w[k] *= sum;
}

static void bicubic_axis(struct aug_resizer *z, const struct aug_resize *how, int32_t n_in,
                         struct aug_taps *t)
{
    bool half = half_pixels(how);
    float scale = scale_of(n_in, t->n_out, how->convention == AUG_TF1 && how->align_corners);
    const float *near = z->cubic[half][0], *far = z->cubic[half][1];

    make_cubic_table(z, half);
    for (int32_t i = 0; i < t->n_out; i++) {
        float p = source_of(i, scale, half), f = floorf(p), *w = t->weight.f + 4 * (size_t) i;
        int j = (int) lrintf((p - f) * (float) CUBIC_STEPS);
        w[0] = far[j];
        w[1] = near[j];
        w[2] = near[CUBIC_STEPS - j];
        w[3] = far[CUBIC_STEPS - j];
        for (int32_t k = 0; k < 4; k++) {
            int64_t at = (int64_t) f - 1 + k;
            t->index[4 * i + k] = clamp(at, n_in);
            if (half && at != t->index[4 * i + k])
                w[k] = 0;
        }
        if (half)
            normalize(w, 4);
    }
}

static enum t2_status bicubic(struct aug_resizer *z, const struct aug_resize *how,
                              const struct aug_source *in, struct aug_floats *out,
                              struct t2_err *err)
{
    T2_TRY(aug_taps_make(&z->x, out->width, 4, err));
    T2_TRY(aug_taps_make(&z->y, out->height, 4, err));
    bicubic_axis(z, how, in->width, &z->x);
    turn_round(how, in->width, &z->x);
    bicubic_axis(z, how, in->height, &z->y);
    return rows_first(z, in, out, err);
}

static float lanczos(float radius, float x)
{
    static const float pi = 3.14159265359f;

    if (x > radius)
        return 0;
    return x <= 1e-3f ? 1 : radius * sinf(pi * x) * sinf(pi * x / radius) / (pi * pi * x * x);
}

static float kernel_at(enum aug_method method, float x)
{
    switch (method) {
    case AUG_BILINEAR:
        return x < 1 ? 1 - x : 0;
    case AUG_BICUBIC:
        return x < 1   ? ((1.5f * x - 2.5f) * x) * x + 1
               : x < 2 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2
                       : 0;
    case AUG_MITCHELL:
        return x < 1   ? (((7.0f / 6.0f) * x - 2) * x) * x + 16.0f / 18.0f
               : x < 2 ? (((-7.0f / 18.0f) * x + 2) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f
                       : 0;
    case AUG_GAUSSIAN:
        return x < 1.5f ? (float) exp((double) (-x * x / (2.0f * 0.5f * 0.5f))) : 0;
    case AUG_LANCZOS5:
        return lanczos(5, x);
    default:
        return lanczos(3, x);
    }
}

static float radius_of(enum aug_method method)
{
    static const float radii[] = {[AUG_BILINEAR] = 1, [AUG_BICUBIC] = 2,     [AUG_LANCZOS] = 3,
                                  [AUG_LANCZOS5] = 5, [AUG_GAUSSIAN] = 1.5f, [AUG_MITCHELL] = 2};

    return radii[method];
}

/*
 * ComputeSpans of scale_and_translate_op.cc: a kernel of some radius around p, stretched by the
 * scale when the image shrinks (antialias).
 */
static enum t2_status span_axis(const struct aug_resize *how, int32_t n_in, int32_t n_out,
                                struct aug_taps *t, struct t2_err *err)
{
    float inverse = 1.0f / ((float) n_out / (float) n_in), radius = radius_of(how->method);
    float stretch = how->antialias && inverse > 1 ? inverse : 1, one = 1.0f / stretch;

    T2_TRY(aug_taps_make(t, n_out, (int32_t) (2 * (int) ceilf(radius * stretch) + 1), err));
    for (int32_t i = 0; i < n_out; i++) {
        int32_t *index = t->index + (size_t) i * (size_t) t->n, k = 0;
        float *w = t->weight.f + (size_t) i * (size_t) t->n;
        float p = ((float) i + 0.5f) * inverse;
        if (p >= 0 && p <= (float) n_in) {
            int32_t lo = clamp((int64_t) ceilf(p - radius * stretch - 0.5f), n_in);
            int32_t hi = clamp((int64_t) floorf(p + radius * stretch - 0.5f), n_in);
            for (; lo + k <= hi && k < t->n; k++) {
                index[k] = lo + k;
                w[k] = kernel_at(how->method, fabsf(((float) (lo + k) + 0.5f - p) * one));
            }
        }
        normalize(w, k);
        for (; k < t->n; k++) {
            index[k] = 0;
            w[k] = 0;
        }
    }
    return T2_OK;
}

/* ---- dispatch ---- */

static enum t2_status same_size(struct aug_resizer *z, const struct aug_resize *how,
                                const struct aug_source *in, struct aug_floats *out,
                                struct t2_err *err)
{
    if (how->mirrored) {
        T2_TRY(nearest_axes(z, how, in, out->height, out->width, err));
        aug_pick_floats(z, in, out);
        return T2_OK;
    }
    for (int32_t y = 0; y < out->height; y++) {
        size_t n = (size_t) out->width * (size_t) out->channels;
        float *d = aug_float_row(out, 0, y);
        if (in->floats)
            memcpy(d, aug_source_floats(in, y), n * sizeof *d);
        for (size_t i = 0; in->bytes && i < n; i++)
            d[i] = (float) aug_source_bytes(in, y)[i];
        aug_row_done(z, out, y);
    }
    return T2_OK;
}

enum t2_status aug_resize_tf(struct aug_resizer *z, const struct aug_resize *how,
                             const struct aug_source *in, struct aug_floats *out,
                             struct t2_err *err)
{
    bool same = in->width == out->width && in->height == out->height;
    bool spans = how->convention == AUG_TF2 &&
                 ((how->antialias && (how->method == AUG_BILINEAR || how->method == AUG_BICUBIC)) ||
                  (how->method >= AUG_LANCZOS && how->method <= AUG_MITCHELL));

    if (spans) {
        T2_TRY(span_axis(how, in->width, out->width, &z->x, err));
        turn_round(how, in->width, &z->x);
        T2_TRY(span_axis(how, in->height, out->height, &z->y, err));
        return rows_first(z, in, out, err);
    }
    switch (how->method) {
    case AUG_NEAREST:
        T2_TRY(nearest_axes(z, how, in, out->height, out->width, err));
        aug_pick_floats(z, in, out);
        return T2_OK;
    case AUG_BILINEAR:
        return same ? same_size(z, how, in, out, err) : bilinear(z, how, in, out, err);
    case AUG_BICUBIC:
        return same ? same_size(z, how, in, out, err) : bicubic(z, how, in, out, err);
    case AUG_AREA:
        return area(z, how, in, out, err);
    default:
        return t2_fail(err, T2_EUNSUPPORTED, "TensorFlow %s has no such method of resizing",
                       how->convention == AUG_TF1 ? "1" : "2");
    }
}
