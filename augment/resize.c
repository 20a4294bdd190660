/*
 * augment/resize.c - choice of a library's way of resizing, and the parts that all of them share.
 *
 * Resizing is separable: out[y][x] = sum over i, j of wy[y][i] * wx[x][j] * in[y + i][x + j].  Each
 * library makes taps (source indices and weights) per output row and column, then either
 *
 *   columns first (bilinear, area, Pillow, OpenCV): a source row is brought to the output's width
 *     once and kept in a ring of rows, (taps of y, width * c), since the next output row uses most
 *     of them again; then rows of the ring are summed;
 *   rows first (bicubic, scale and translate, Pillow 13 for tall images): the source rows of one
 *     output row are summed into one line, (in width * c), then its columns.
 *
 * Which one, and where it rounds, is part of each library's result and cannot be chosen freely.
 * One output row at a time leaves through aug_row_done, while it is in the nearest cache.
 */
#include "augment/resize.h"

#include <string.h>

#include "augment/colour_kernel.h"
#include "augment/resize_parts.h"
#include "base/alloc.h"
#include "base/cpu.h"

/* ---- names ---- */

static const char *const convention_names[] = {"tf1", "tf2", "pil", "opencv"};
static const char *const method_names[] = {"nearest",       "bilinear",      "bicubic",
                                           "area",          "lanczos",       "lanczos5",
                                           "gaussian",      "mitchellcubic", "hamming",
                                           "nearest_exact", "linear_exact"};

static bool parse(const char *name, const char *const *names, size_t n, unsigned *value)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) {
            *value = (unsigned) i;
            return true;
        }
    return false;
}

bool aug_parse_convention(const char *name, enum aug_convention *convention)
{
    unsigned v = 0;
    bool known =
        parse(name, convention_names, sizeof convention_names / sizeof *convention_names, &v);

    *convention = (enum aug_convention) v;
    return known;
}

bool aug_parse_method(const char *name, enum aug_method *method)
{
    unsigned v = 0;
    bool known = parse(name, method_names, sizeof method_names / sizeof *method_names, &v);

    *method = (enum aug_method) v;
    return known;
}

/* ---- shared parts ---- */

const struct aug_resize_kernel *aug_resize_kernel(void)
{
    switch (t2_cpu_variant()) {
#ifdef T2_HAVE_CPU_avx512
    case T2_CPU_AVX512:
        return &aug_resize_kernel_avx512;
#endif
#ifdef T2_HAVE_CPU_avx2
    case T2_CPU_AVX2:
        return &aug_resize_kernel_avx2;
#endif
    default:
        return &aug_resize_kernel_generic;
    }
}

struct aug_resizer *aug_resizer_new(void)
{
    struct aug_resizer *z = t2_alloc(1, sizeof *z);

    z->kernel = aug_resize_kernel();
    return z;
}

static void taps_release(struct aug_taps *t)
{
    t2_free(t->index);
    t2_free(t->weight.d);
    t2_free(t->fixed);
    *t = (struct aug_taps){.index = NULL};
}

void aug_resizer_free(struct aug_resizer *z)
{
    if (!z)
        return;
    taps_release(&z->x);
    taps_release(&z->y);
    t2_free_aligned(z->rows);
    t2_free(z->row_in);
    t2_free_aligned(z->line);
    t2_free_aligned(z->padded);
    aug_image_release(&z->bytes);
    aug_floats_release(&z->sunk);
    t2_free(z);
}

static enum t2_status short_of_memory(struct t2_err *err)
{
    return t2_fail(err, T2_ENOMEM, "no memory for resizing an image");
}

/*
 * index (n_out, n) int32; weight (n_out, n) as double or, in the same memory, float; fixed (n_out,
 * n) int32 with AUG_READ_BEHIND more that vector code may read.  Kept from image to image.
 */
enum t2_status aug_taps_make(struct aug_taps *t, int32_t n_out, int32_t n, struct t2_err *err)
{
    size_t want;

    if (!t2_mul_size((size_t) n_out, (size_t) n, &want))
        return short_of_memory(err);
    if (want > t->capacity) {
        taps_release(t);
        t->index = t2_try_alloc(want, sizeof *t->index);
        t->weight.d = t2_try_alloc(want, sizeof *t->weight.d);
        t->fixed = t2_try_alloc(want + AUG_READ_BEHIND, sizeof *t->fixed);
        if (!t->index || !t->weight.d || !t->fixed)
            return short_of_memory(err);
        t->capacity = want;
    }
    t->n_out = n_out;
    t->n = n;
    return T2_OK;
}

static bool grow(void **p, size_t *have, size_t want)
{
    if (want <= *have)
        return true;
    t2_free_aligned(*p);
    *p = t2_alloc_aligned(want);
    *have = *p ? want : 0;
    return *p != NULL;
}

/*
 * n_slots rows of row_bytes at multiples of 64 bytes, with 64 more behind each for vector stores;
 * `line` for one row of sums; `padded` for a source row that vector code may read beyond.
 */
enum t2_status aug_ring_make(struct aug_resizer *z, int32_t n_slots, size_t row_bytes,
                             size_t line_bytes, size_t n_in, struct t2_err *err)
{
    size_t want;

    if (!t2_mul_size((size_t) n_slots, (row_bytes + 127) / 64 * 64, &want) ||
        !grow(&z->rows, &z->rows_bytes, want) || !grow(&z->line, &z->line_bytes, line_bytes + 64) ||
        !grow(&z->padded, &z->padded_bytes, (n_in + AUG_READ_BEHIND) * sizeof(float)))
        return short_of_memory(err);
    z->row_slots = (size_t) n_slots;
    if (z->row_slots > z->row_capacity) {
        z->row_in = t2_realloc(z->row_in, z->row_slots, sizeof *z->row_in);
        z->row_capacity = z->row_slots;
    }
    for (size_t i = 0; i < z->row_slots; i++)
        z->row_in[i] = -1;
    return T2_OK;
}

/* Whether AUG_READ_BEHIND elements may be read behind row y: the next row is there.  The last row
 * is copied to a place with room behind it. */
static bool has_more(int32_t y, int32_t height, size_t n)
{
    return y + 1 < height && n >= AUG_READ_BEHIND;
}

const uint8_t *aug_padded_bytes(struct aug_resizer *z, const struct aug_image *in, int32_t y)
{
    size_t n = (size_t) in->width * (size_t) in->channels;

    if (has_more(y, in->height, n))
        return aug_row(in, y);
    T2_DASSERT(n + AUG_READ_BEHIND <= z->padded_bytes);
    return memcpy(z->padded, aug_row(in, y), n);
}

const float *aug_padded_floats(struct aug_resizer *z, const struct aug_floats *in, int32_t y)
{
    size_t n = (size_t) in->width * (size_t) in->channels;

    if (has_more(y, in->height, n))
        return aug_float_row(in, 0, y);
    T2_DASSERT((n + AUG_READ_BEHIND) * sizeof(float) <= z->padded_bytes);
    return memcpy(z->padded, aug_float_row(in, 0, y), n * sizeof(float));
}

void aug_byte_row_done(const struct aug_resizer *z, const struct aug_image *out, int32_t y)
{
    if (!z->sink)
        return;
    aug_colour_kernel()->from_bytes(aug_row(out, y), (size_t) out->width * (size_t) out->channels,
                                    1, z->sunk.data);
    z->sink->take(z->sink->arg, y, z->sunk.data);
}

void aug_pick_bytes(const struct aug_resizer *z, const struct aug_image *in, struct aug_image *out)
{
    size_t c = (size_t) in->channels;

    for (int32_t y = 0; y < out->height; y++) {
        const uint8_t *s = aug_row(in, z->y.index[y]);
        uint8_t *d = aug_row(out, y);
        for (int32_t x = 0; x < out->width; x++, d += c)
            memcpy(d, s + (size_t) z->x.index[x] * c, c);
        aug_byte_row_done(z, out, y);
    }
}

void aug_pick_floats(const struct aug_resizer *z, const struct aug_source *in,
                     struct aug_floats *out)
{
    size_t c = (size_t) in->channels;

    for (int32_t y = 0; y < out->height; y++) {
        float *d = aug_float_row(out, 0, y);
        for (int32_t x = 0; x < out->width; x++, d += c) {
            size_t at = (size_t) z->x.index[x] * c;
            if (in->floats)
                memcpy(d, aug_source_floats(in, z->y.index[y]) + at, c * sizeof *d);
            for (size_t j = 0; in->bytes && j < c; j++)
                d[j] = (float) aug_source_bytes(in, z->y.index[y])[at + j];
        }
        aug_row_done(z, out, y);
    }
}

/* ---- dispatch ---- */

enum t2_status aug_resize_bytes(struct aug_resizer *z, const struct aug_resize *how,
                                const struct aug_image *in, int32_t height, int32_t width,
                                struct aug_image *out, struct t2_err *err)
{
    const struct aug_source source = {.bytes = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};

    T2_TRY(aug_image_resize(out, height, width, in->channels, err));
    switch (how->convention) {
    case AUG_PIL:
        return aug_resize_pil(z, how, in, out, err);
    case AUG_OPENCV:
        return aug_resize_cv(z, how, in, out, err);
    default:
        if (how->method != AUG_NEAREST)
            return t2_fail(err, T2_EUNSUPPORTED, "TensorFlow's resizing gives floats");
        return aug_resize_tf_nearest(z, how, &source, out, err);
    }
}

enum t2_status aug_resize_to_floats(struct aug_resizer *z, const struct aug_resize *how,
                                    const struct aug_image *in, int32_t height, int32_t width,
                                    struct aug_floats *out, struct t2_err *err)
{
    const struct aug_source source = {.bytes = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};

    if (how->convention == AUG_TF1 || how->convention == AUG_TF2) {
        T2_TRY(aug_floats_resize(out, AUG_NHWC, height, width, in->channels, err));
        return aug_resize_tf(z, how, &source, out, err);
    }
    T2_TRY(aug_resize_bytes(z, how, in, height, width, &z->bytes, err));
    return aug_to_floats(&z->bytes, 1, out, err);
}

/* Resizes into one row that each output row overwrites (a stride of 0): the sink has taken the row
 * before, so the whole result is never in memory. */
static enum t2_status to_rows(struct aug_resizer *z, const struct aug_resize *how,
                              const struct aug_image *in, int32_t height, int32_t width,
                              struct t2_err *err)
{
    const struct aug_source source = {.bytes = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};
    struct aug_floats floats = z->sunk;
    struct aug_image bytes;

    if (how->convention != AUG_PIL) {
        floats.height = height;
        floats.stride_floats = 0;
        return aug_resize_tf(z, how, &source, &floats, err);
    }
    T2_TRY(aug_image_resize(&z->bytes, 1, width, in->channels, err));
    bytes = z->bytes;
    bytes.height = height;
    bytes.stride_bytes = 0;
    return aug_resize_pil(z, how, in, &bytes, err);
}

enum t2_status aug_resize_to_rows(struct aug_resizer *z, const struct aug_resize *how,
                                  const struct aug_image *in, int32_t height, int32_t width,
                                  const struct aug_row_sink *sink, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    T2_TRY(aug_floats_resize(&z->sunk, AUG_NHWC, 1, width, in->channels, err));
    if (how->convention == AUG_OPENCV) {
        T2_TRY(aug_resize_bytes(z, how, in, height, width, &z->bytes, err));
        z->sink = sink;
        for (int32_t y = 0; y < height; y++)
            aug_byte_row_done(z, &z->bytes, y);
    } else {
        z->sink = sink;
        st = to_rows(z, how, in, height, width, err);
    }
    z->sink = NULL;
    return st;
}

enum t2_status aug_resize_floats(struct aug_resizer *z, const struct aug_resize *how,
                                 const struct aug_floats *in, int32_t height, int32_t width,
                                 struct aug_floats *out, struct t2_err *err)
{
    const struct aug_source source = {.floats = in,
                                      .width = in->width,
                                      .height = in->height,
                                      .channels = in->channels};

    T2_ASSERT(in->layout == AUG_NHWC && in != out);
    T2_TRY(aug_floats_resize(out, AUG_NHWC, height, width, in->channels, err));
    switch (how->convention) {
    case AUG_PIL:
        return aug_resize_pil_floats(z, how, in, out, err);
    case AUG_OPENCV:
        return aug_resize_cv_floats(z, how, in, out, err);
    default:
        return aug_resize_tf(z, how, &source, out, err);
    }
}
