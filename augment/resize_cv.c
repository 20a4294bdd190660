/*
 * augment/resize_cv.c - resizing as OpenCV does it (imgproc's resize.cpp).
 *
 * Bytes: weights of 11 bits, columns first, integers in between; area in float.  OpenCV 5's wheel
 * has another path for cubic, and for linear of floats, found by looking at its results: float,
 * with the place between two pixels computed in double.  Its cubic weights are known up to their
 * last bits only: docs/numerics.md.
 *
 * Bytes through interpolate(): a ring of z->y.n rows (out width, c) int32, which hold sums of byte
 * * 2^11-weights; rows of it are then summed with weights of 2^11 and shifted by 22 bits.  Floats
 * through interpolate_floats(), area through area().
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "augment/resize_parts.h"

enum { COEF_BITS = 11, COEF_ONE = 1 << COEF_BITS };

static uint8_t to_byte(int64_t v)
{
    return (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
}

static int32_t clamp(int64_t v, int32_t n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : (int32_t) v;
}

static double scale_of(int32_t n_in, int32_t n_out)
{
    return 1.0 / ((double) n_out / (double) n_in);
}

/* ---- nearest ---- */

/*
 * OpenCV 5's INTER_NEAREST_EXACT is Pillow's nearest: the middles of the outputs, in source pixels,
 * come from adding up a double, rounding included.  Where an output's middle lies on the border of
 * two pixels (never with an odd source), the collected error decides.  OpenCV 4's steps of 16 bits
 * are not offered.
 */
static void nearest_exact_axis(int32_t n_in, struct aug_taps *t)
{
    double step = (double) n_in / (double) t->n_out, middle = step * 0.5;

    for (int32_t i = 0; i < t->n_out; i++, middle += step)
        t->index[i] = clamp((int64_t) middle, n_in);
}

static void nearest_axis(enum aug_method method, int32_t n_in, struct aug_taps *t)
{
    double scale = scale_of(n_in, t->n_out);

    if (method == AUG_NEAREST_EXACT) {
        nearest_exact_axis(n_in, t);
        return;
    }
    for (int32_t i = 0; i < t->n_out; i++)
        t->index[i] = clamp((int64_t) floor(i * scale), n_in);
}

static enum t2_status nearest_axes(struct aug_resizer *z, enum aug_method method, int32_t width,
                                   int32_t height, int32_t to_width, int32_t to_height,
                                   struct t2_err *err)
{
    T2_TRY(aug_taps_make(&z->x, to_width, 1, err));
    T2_TRY(aug_taps_make(&z->y, to_height, 1, err));
    nearest_axis(method, width, &z->x);
    nearest_axis(method, height, &z->y);
    return T2_OK;
}

/* ---- taps of linear, cubic, Lanczos ---- */

/*
 * Weights of two, four and eight taps from x, the fraction between two pixels; each as in
 * resize.cpp, in float.
 */
static void linear_weights(float x, float *w)
{
    w[0] = 1.0f - x;
    w[1] = x;
}

/* As the wheel's other path has them, up to the last bit. */
static void precise_cubic_weights(double x, float *w)
{
    double near = (1.25 * x - 2.25) * x * x + 1, y = 1 - x;
    double far = (1.25 * y - 2.25) * y * y + 1, before = -0.75 * x * y * y;

    w[0] = (float) before;
    w[1] = (float) near;
    w[2] = (float) far;
    w[3] = (float) (1 - before - near - far);
}

static void cubic_weights(float x, float *w)
{
    const float a = -0.75f;

    w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    w[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
    w[3] = 1.0f - w[0] - w[1] - w[2];
}

/*
 * interpolateLanczos4.  sin and cos of the eight arguments differ by multiples of pi / 4 and come
 * from one pair by the table.
 */
static void lanczos_weights(float x, float *w)
{
    static const double pi = 3.1415926535897932384626433832795,
                        s = 0.70710678118654752440084436210485;
    static const double turns[8][2] = {{1, 0},  {-s, -s}, {0, 1},  {s, -s},
                                       {-1, 0}, {s, s},   {0, -1}, {-s, s}};
    double y0 = -((double) x + 3) * pi * 0.25, s0 = sin(y0), c0 = cos(y0);
    float sum = 0;

    for (int i = 0; i < 8; i++) {
        float d = x + 3 - (float) i;
        double y = -(double) d * pi * 0.25;
        w[i] =
            fabsf(d) >= 1e-6f ? (float) ((turns[i][0] * s0 + turns[i][1] * c0) / (y * y)) : 1e30f;
        sum += w[i];
    }
    sum = 1.0f / sum;
    for (int i = 0; i < 8; i++)
        w[i] *= sum;
}

/*
 * The taps of an axis: index, weight and fixed (n_out, n), n = 2, 4 or 8.
 *
 * `area`: INTER_AREA of a side that grows is a linear interpolation with its own fractions.
 * `precise`: the fraction is rounded to float only after the whole part is subtracted.  Columns
 * clamp the place of linear taps, rows only the indices, so fractions at the border differ.
 */
static void weights_axis(int32_t n, bool area, bool precise, bool columns, int32_t n_in,
                         struct aug_taps *t)
{
    double scale = scale_of(n_in, t->n_out), inverse = (double) t->n_out / (double) n_in;

    for (int32_t i = 0; i < t->n_out; i++) {
        size_t at = (size_t) i * (size_t) n;
        double place = (i + 0.5) * scale - 0.5;
        float f, *w = t->weight.f + at;
        int64_t s;
        if (precise) {
            s = (int64_t) floor(place);
            f = (float) (place - (double) s);
        } else if (area) {
            s = (int64_t) floor(i * scale);
            f = (float) ((i + 1) - (double) (s + 1) * inverse);
            f = f <= 0 ? 0 : f - floorf(f);
        } else {
            f = (float) place;
            s = (int64_t) floorf(f);
            f -= (float) s;
        }
        if (n == 2 && columns && (s < 0 || s >= n_in - 1)) {
            f = 0;
            s = s < 0 ? 0 : n_in - 1;
        }
        if (n == 2)
            linear_weights(f, w);
        else if (n == 4 && precise)
            precise_cubic_weights(place - (double) s, w);
        else if (n == 4)
            cubic_weights(f, w);
        else
            lanczos_weights(f, w);
        for (int32_t k = 0; k < n; k++) {
            t->index[at + (size_t) k] = clamp(s - n / 2 + 1 + k, n_in);
            t->fixed[at + (size_t) k] = (int32_t) lrintf(w[k] * (float) COEF_ONE);
        }
    }
}

static enum t2_status make_taps(struct aug_resizer *z, const struct aug_resize *how, bool precise,
                                int32_t width, int32_t height, int32_t to_width, int32_t to_height,
                                struct t2_err *err)
{
    int32_t n = how->method == AUG_BICUBIC ? 4 : how->method == AUG_LANCZOS ? 8 : 2;
    bool area = how->method == AUG_AREA;

    T2_TRY(aug_taps_make(&z->x, to_width, n, err));
    T2_TRY(aug_taps_make(&z->y, to_height, n, err));
    weights_axis(n, area, precise, true, width, &z->x);
    weights_axis(n, area, precise, false, height, &z->y);
    return T2_OK;
}

/* ---- bytes ---- */

/* in (in width, c) bytes, out (t->n_out, c) sums in 11-bit fixed point. */
static void columns_fixed(const struct aug_taps *t, const uint8_t *in, size_t c, int32_t *out)
{
    for (int32_t x = 0; x < t->n_out; x++) {
        const int32_t *index = t->index + (size_t) x * (size_t) t->n;
        const int32_t *w = t->fixed + (size_t) x * (size_t) t->n;
        for (size_t j = 0; j < c; j++) {
            int32_t sum = 0;
            for (int32_t k = 0; k < t->n; k++)
                sum += in[(size_t) index[k] * c + j] * w[k];
            *out++ = sum;
        }
    }
}

/*
 * VResizeLinear's vector form: both products lose 4 bits before and 16 after, so that they fit
 * 16-bit lanes, and the last 2 are rounded.  Two bits less exact than fixed_row, but it is what
 * OpenCV gives.
 */
static void linear_row(const int32_t *const *r, const int32_t *w, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] =
            to_byte((((w[0] * (r[0][i] >> 4)) >> 16) + ((w[1] * (r[1][i] >> 4)) >> 16) + 2) >> 2);
}

/*
 * VResizeCubic and VResizeLanczos4: products wrap at 32 bits as the original's int does, hence
 * unsigned.
 */
static void fixed_row(const int32_t *const *r, const int32_t *w, int32_t n_taps, size_t n,
                      uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int32_t k = 0; k < n_taps; k++)
            sum += (int32_t) ((uint32_t) r[k][i] * (uint32_t) w[k]);
        out[i] = to_byte(((int32_t) (uint32_t) sum + (1 << (2 * COEF_BITS - 1))) >> 2 * COEF_BITS);
    }
}

static enum t2_status interpolate(struct aug_resizer *z, const struct aug_image *in,
                                  struct aug_image *out, struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels, bytes = n * sizeof(int32_t);

    T2_TRY(aug_ring_make(z, z->y.n, bytes, 0, 0, err));
    for (int32_t y = 0; y < out->height; y++) {
        const int32_t *w = z->y.fixed + (size_t) y * (size_t) z->y.n, *rows[8];
        for (int32_t k = 0; k < z->y.n; k++) {
            int32_t from = z->y.index[(size_t) y * (size_t) z->y.n + (size_t) k];
            bool fresh;
            int32_t *row = aug_ring_take(z, from, bytes, &fresh);
            if (fresh)
                columns_fixed(&z->x, aug_row(in, from), (size_t) in->channels, row);
            rows[k] = row;
        }
        if (z->y.n == 2)
            linear_row(rows, w, n, aug_row(out, y));
        else
            fixed_row(rows, w, z->y.n, n, aug_row(out, y));
    }
    return T2_OK;
}

/* ---- linear, exact: 8 bits behind the point ---- */

static void exact_axis(int32_t n_in, struct aug_taps *t)
{
    double scale = scale_of(n_in, t->n_out);

    for (int32_t i = 0; i < t->n_out; i++) {
        double p = scale * (i + 0.5) - 0.5;
        int64_t s = (int64_t) floor(p);
        bool inside = s >= 0 && s < n_in - 1;
        t->index[2 * i] = clamp(s, n_in);
        t->index[2 * i + 1] = clamp(inside ? s + 1 : s, n_in);
        t->fixed[2 * i + 1] = inside ? (int32_t) lrint((p - (double) s) * 256) : 0;
        t->fixed[2 * i] = 256 - t->fixed[2 * i + 1];
    }
}

static enum t2_status linear_exact(struct aug_resizer *z, const struct aug_image *in,
                                   struct aug_image *out, struct t2_err *err)
{
    size_t n = (size_t) out->width * (size_t) out->channels, bytes = n * sizeof(int32_t);

    T2_TRY(aug_taps_make(&z->x, out->width, 2, err));
    T2_TRY(aug_taps_make(&z->y, out->height, 2, err));
    T2_TRY(aug_ring_make(z, 2, bytes, 0, 0, err));
    exact_axis(in->width, &z->x);
    exact_axis(in->height, &z->y);
    for (int32_t y = 0; y < out->height; y++) {
        const int32_t *w = z->y.fixed + 2 * y, *rows[2];
        uint8_t *d = aug_row(out, y);
        for (int32_t k = 0; k < 2; k++) {
            int32_t from = z->y.index[2 * y + k];
            bool fresh;
            int32_t *row = aug_ring_take(z, from, bytes, &fresh);
            if (fresh)
                columns_fixed(&z->x, aug_row(in, from), (size_t) in->channels, row);
            rows[k] = row;
        }
        for (size_t i = 0; i < n; i++)
            d[i] = to_byte((rows[0][i] * w[0] + rows[1][i] * w[1] + (1 << 15)) >> 16);
    }
    return T2_OK;
}

/* ---- area: sides that shrink ---- */

/* computeResizeAreaTab: output i covers [i * scale, (i + 1) * scale).  index[i * n] is the first
 * source pixel, fixed[i * n] the number of taps; slivers below 1e-3 pixels are dropped. */
static enum t2_status area_axis(int32_t n_in, int32_t n_out, struct aug_taps *t, struct t2_err *err)
{
    double scale = scale_of(n_in, n_out);

    T2_TRY(aug_taps_make(t, n_out, (int32_t) ceil(scale) + 2, err));
    for (int32_t i = 0; i < n_out; i++) {
        size_t at = (size_t) i * (size_t) t->n;
        double from = i * scale, to = from + scale;
        double cell = scale < n_in - from ? scale : n_in - from;
        int32_t s1 = (int32_t) ceil(from), s2 = (int32_t) floor(to), n = 0;
        s2 = s2 < n_in - 1 ? s2 : n_in - 1;
        s1 = s1 < s2 ? s1 : s2;
        t->index[at] = s1 - from > 1e-3 ? s1 - 1 : s1;
        if (s1 - from > 1e-3)
            t->weight.f[at + (size_t) n++] = (float) ((s1 - from) / cell);
        for (int32_t s = s1; s < s2 && n < t->n; s++)
            t->weight.f[at + (size_t) n++] = (float) (1.0 / cell);
        if (to - s2 > 1e-3 && n < t->n) {
            double rest = to - s2 < 1 ? to - s2 : 1;
            t->weight.f[at + (size_t) n++] = (float) ((rest < cell ? rest : cell) / cell);
        }
        t->fixed[at] = n;
    }
    return T2_OK;
}

static void area_columns(const struct aug_taps *t, const struct aug_source *in, int32_t y,
                         float *out)
{
    size_t c = (size_t) in->channels;

    for (int32_t x = 0; x < t->n_out; x++) {
        size_t at = (size_t) x * (size_t) t->n, first = (size_t) t->index[at] * c;
        for (size_t j = 0; j < c; j++) {
            float sum = 0;
            for (int32_t k = 0; k < t->fixed[at]; k++) {
                size_t p = first + (size_t) k * c + j;
                float v =
                    in->bytes ? (float) aug_source_bytes(in, y)[p] : aug_source_floats(in, y)[p];
                sum += v * t->weight.f[at + (size_t) k];
            }
            *out++ = sum;
        }
    }
}

/* One output row into `sum`. */
static void area_row(struct aug_resizer *z, const struct aug_source *in, int32_t y, size_t n,
                     float *sum)
{
    size_t at = (size_t) y * (size_t) z->y.n;

    for (int32_t k = 0; k < z->y.fixed[at]; k++) {
        int32_t from = z->y.index[at] + k;
        float w = z->y.weight.f[at + (size_t) k], *part;
        bool fresh;
        part = aug_ring_take(z, from, n * sizeof(float), &fresh);
        if (fresh)
            area_columns(&z->x, in, from, part);
        for (size_t i = 0; i < n; i++)
            sum[i] = k == 0 ? w * part[i] : sum[i] + w * part[i];
    }
}

/* Both sides shrink by a whole number: plain means. */
static bool whole_ratio(int32_t n_in, int32_t n_out, int32_t *ratio)
{
    double scale = scale_of(n_in, n_out);

    *ratio = (int32_t) lrint(scale);
    return fabs(scale - *ratio) < DBL_EPSILON;
}

static uint8_t mean_of_bytes(const struct aug_image *in, int32_t x, int32_t y, size_t j, int32_t rx,
                             int32_t ry)
{
    int32_t sum = 0;

    for (int32_t v = 0; v < ry; v++)
        for (int32_t u = 0; u < rx; u++)
            sum +=
                aug_row(in,
                        y * ry +
                            v)[((size_t) x * (size_t) rx + (size_t) u) * (size_t) in->channels + j];
    return rx == 2 && ry == 2 ? (uint8_t) ((sum + 2) >> 2)
                              : to_byte(lrintf((float) sum * (1.0f / (float) (rx * ry))));
}

/* Sums in groups of four, as the original's unrolled loop. */
static float mean_of_floats(const struct aug_floats *in, int32_t x, int32_t y, size_t j, int32_t rx,
                            int32_t ry)
{
    float sum = 0, group = 0;
    int32_t area = rx * ry, k = 0;

    for (int32_t v = 0; v < ry; v++)
        for (int32_t u = 0; u < rx; u++, k++) {
            float p = aug_float_row(
                in, 0,
                y * ry + v)[((size_t) x * (size_t) rx + (size_t) u) * (size_t) in->channels + j];
            if (k >= area / 4 * 4) {
                sum += p;
                continue;
            }
            group = k % 4 == 0 ? p : group + p;
            if (k % 4 == 3)
                sum += group;
        }
    return sum * (1.0f / (float) area);
}

static enum t2_status area(struct aug_resizer *z, const struct aug_source *in,
                           struct aug_image *bytes, struct aug_floats *floats, struct t2_err *err)
{
    int32_t width = bytes ? bytes->width : floats->width, rx;
    int32_t height = bytes ? bytes->height : floats->height, ry;
    size_t c = (size_t) in->channels, n = (size_t) width * c;
    bool whole = whole_ratio(in->width, width, &rx);

    if (whole_ratio(in->height, height, &ry) && whole) {
        for (int32_t y = 0; y < height; y++)
            for (size_t i = 0; i < n; i++)
                if (bytes)
                    aug_row(bytes, y)[i] =
                        mean_of_bytes(in->bytes, (int32_t) (i / c), y, i % c, rx, ry);
                else
                    aug_float_row(floats, 0, y)[i] =
                        mean_of_floats(in->floats, (int32_t) (i / c), y, i % c, rx, ry);
        return T2_OK;
    }
    T2_TRY(area_axis(in->width, width, &z->x, err));
    T2_TRY(area_axis(in->height, height, &z->y, err));
    T2_TRY(aug_ring_make(z, 2, n * sizeof(float), n * sizeof(float), 0, err));
    for (int32_t y = 0; y < height; y++) {
        float *sum = bytes ? z->line : aug_float_row(floats, 0, y);
        area_row(z, in, y, n, sum);
        for (size_t i = 0; bytes && i < n; i++)
            aug_row(bytes, y)[i] = to_byte(lrintf(sum[i]));
    }
    return T2_OK;
}

static bool shrinks(int32_t width, int32_t height, int32_t to_width, int32_t to_height)
{
    return scale_of(width, to_width) >= 1 && scale_of(height, to_height) >= 1;
}

/* Halving both sides: linear is area. */
static bool halves(int32_t width, int32_t height, int32_t to_width, int32_t to_height)
{
    return width == 2 * to_width && height == 2 * to_height;
}

/* ---- floats, and cubic ---- */

/* Products and sums rounded once: l + (r - l) * t. */
static void fused_columns(const struct aug_taps *t, const float *in, size_t c, float *out)
{
    for (int32_t x = 0; x < t->n_out; x++) {
        const float *l = in + (size_t) t->index[2 * x] * c,
                    *r = in + (size_t) t->index[2 * x + 1] * c;
        for (size_t j = 0; j < c; j++)
            *out++ = fmaf(r[j] - l[j], t->weight.f[2 * x + 1], l[j]);
    }
}

static void fused_rows(const float *const *r, float t, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fmaf(r[1][i] - r[0][i], t, r[0][i]);
}

/* The original's vector code sums from the last tap to the first, its scalar code for the remainder
 * (n mod 4 values) from the first to the last. */
static void cubic_rows(const float *const *r, const float *w, size_t n, float *out)
{
    size_t whole = n / 4 * 4;

    for (size_t i = 0; i < n; i++)
        out[i] = i < whole ? ((r[3][i] * w[3] + r[2][i] * w[2]) + r[1][i] * w[1]) + r[0][i] * w[0]
                           : ((r[0][i] * w[0] + r[1][i] * w[1]) + r[2][i] * w[2]) + r[3][i] * w[3];
}

/* Bytes or floats to one of bytes, floats. */
static enum t2_status interpolate_floats(struct aug_resizer *z, const struct aug_source *in,
                                         bool precise, struct aug_image *bytes,
                                         struct aug_floats *floats, struct t2_err *err)
{
    int32_t width = bytes ? bytes->width : floats->width;
    int32_t height = bytes ? bytes->height : floats->height;
    size_t n = (size_t) width * (size_t) in->channels, row_bytes = n * sizeof(float);
    size_t n_in = (size_t) in->width * (size_t) in->channels;

    T2_TRY(aug_ring_make(z, z->y.n, row_bytes, row_bytes, n_in, err));
    for (int32_t y = 0; y < height; y++) {
        const float *rows[8], *w = z->y.weight.f + (size_t) y * (size_t) z->y.n;
        float *out = bytes ? z->line : aug_float_row(floats, 0, y);
        for (int32_t k = 0; k < z->y.n; k++) {
            int32_t from = z->y.index[(size_t) y * (size_t) z->y.n + (size_t) k];
            bool fresh;
            float *row = aug_ring_take(z, from, row_bytes, &fresh);
            rows[k] = row;
            if (!fresh)
                continue;
            if (in->bytes)
                z->kernel->gather_bytes(aug_padded_bytes(z, in->bytes, from), z->x.index,
                                        z->x.weight.f, z->x.n, width, in->channels, row);
            else if (precise && z->x.n == 2)
                fused_columns(&z->x, aug_source_floats(in, from), (size_t) in->channels, row);
            else
                z->kernel->gather(aug_padded_floats(z, in->floats, from), z->x.index, z->x.weight.f,
                                  z->x.n, width, in->channels, row);
        }
        if (precise && z->y.n == 2)
            fused_rows(rows, w[1], n, out);
        else if (z->y.n == 4)
            cubic_rows(rows, w, n, out);
        else
            z->kernel->weigh_floats(rows, w, z->y.n, n, out);
        for (size_t i = 0; bytes && i < n; i++)
            aug_row(bytes, y)[i] = to_byte(lrintf(out[i]));
    }
    return T2_OK;
}

/* ---- dispatch ---- */

static enum t2_status check_method(enum aug_method method, bool floats, struct t2_err *err)
{
    bool known = method <= AUG_LANCZOS || method == AUG_NEAREST_EXACT ||
                 (method == AUG_LINEAR_EXACT && !floats);

    return known ? T2_OK : t2_fail(err, T2_EUNSUPPORTED, "OpenCV has no such method of resizing");
}

static enum t2_status resize(struct aug_resizer *z, const struct aug_resize *how,
                             const struct aug_source *in, struct aug_image *bytes,
                             struct aug_floats *floats, struct t2_err *err)
{
    int32_t width = bytes ? bytes->width : floats->width;
    int32_t height = bytes ? bytes->height : floats->height;
    int32_t w = in->width, h = in->height;

    if (how->method == AUG_NEAREST || how->method == AUG_NEAREST_EXACT) {
        T2_TRY(nearest_axes(z, how->method, w, h, width, height, err));
        if (bytes)
            aug_pick_bytes(z, in->bytes, bytes);
        else
            aug_pick_floats(z, in, floats);
        return T2_OK;
    }
    if (how->method == AUG_LINEAR_EXACT)
        return linear_exact(z, in->bytes, bytes, err);
    if ((how->method == AUG_AREA && shrinks(w, h, width, height)) ||
        (how->method == AUG_BILINEAR && halves(w, h, width, height)))
        return area(z, in, bytes, floats, err);
    /* the wheel has another path for these, but not for single rows and columns */
    bool precise =
        w > 1 && h > 1 && (how->method == AUG_BICUBIC || (how->method == AUG_BILINEAR && floats));
    T2_TRY(make_taps(z, how, precise, w, h, width, height, err));
    return bytes && !precise ? interpolate(z, in->bytes, bytes, err)
                             : interpolate_floats(z, in, precise, bytes, floats, err);
}

enum t2_status aug_resize_cv(struct aug_resizer *z, const struct aug_resize *how,
                             const struct aug_image *in, struct aug_image *out, struct t2_err *err)
{
    const struct aug_source source = {.bytes = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};

    T2_TRY(check_method(how->method, false, err));
    if (in->width == out->width && in->height == out->height)
        return aug_image_copy(in, out, err);
    return resize(z, how, &source, out, NULL, err);
}

enum t2_status aug_resize_cv_floats(struct aug_resizer *z, const struct aug_resize *how,
                                    const struct aug_floats *in, struct aug_floats *out,
                                    struct t2_err *err)
{
    const struct aug_source source = {.floats = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};

    T2_TRY(check_method(how->method, true, err));
    if (in->width == out->width && in->height == out->height) {
        aug_floats_store(in, AUG_NHWC, out->data);
        return T2_OK;
    }
    return resize(z, how, &source, NULL, out, err);
}
