/*
 * augment/image.c - images in memory.
 *
 * Bytes are (height, width, channels) with rows stride_bytes apart; floats (height, width,
 * channels) (AUG_NHWC) or (channels, height, width) (AUG_NCHW) with rows stride_floats apart.
 * capacity 0 marks a view, whose memory belongs to another image. Buffers grow and never shrink,
 * so a worker stops allocating after its largest image.
 */
#include "augment/image.h"

#include <string.h>

#include "base/alloc.h"

enum { MAX_SIDE = 1 << 30 };

static enum t2_status check_size(int32_t height, int32_t width, int32_t channels,
                                 struct t2_err *err)
{
    if (height < 1 || width < 1 || height > MAX_SIDE || width > MAX_SIDE || channels < 1 ||
        channels > MAX_SIDE)
        return t2_fail(err, T2_EFORMAT, "an image of %d x %d pixels and %d channels", (int) width,
                       (int) height, (int) channels);
    return T2_OK;
}

/* Replaces *p by memory for at least n elements of `size`, when there are not enough. */
static enum t2_status grow(void **p, size_t *capacity, int32_t height, int32_t width,
                           int32_t channels, size_t size, struct t2_err *err)
{
    size_t n, bytes;

    T2_TRY(check_size(height, width, channels, err));
    if (!t2_mul_size((size_t) width, (size_t) channels, &n) ||
        !t2_mul_size(n, (size_t) height, &n) || !t2_mul_size(n, size, &bytes))
        return t2_fail(err, T2_ENOMEM, "an image of %d x %d pixels: too large", (int) width,
                       (int) height);
    if (*capacity >= n)
        return T2_OK;
    if (*capacity > 0)
        t2_free_aligned(*p);
    *capacity = 0;
    *p = t2_alloc_aligned(bytes);
    if (!*p)
        return t2_fail(err, T2_ENOMEM, "no memory for an image of %d x %d pixels", (int) width,
                       (int) height);
    *capacity = n;
    return T2_OK;
}

static void assert_window(struct aug_window w, int32_t width, int32_t height)
{
    T2_ASSERT(w.x >= 0 && w.y >= 0 && w.width > 0 && w.height > 0);
    T2_ASSERT(w.width <= width - w.x && w.height <= height - w.y);
}

/* ---- bytes ---- */

enum t2_status aug_image_resize(struct aug_image *im, int32_t height, int32_t width,
                                int32_t channels, struct t2_err *err)
{
    void *p = im->data;
    enum t2_status st = grow(&p, &im->capacity_bytes, height, width, channels, 1, err);

    im->data = p;
    if (st != T2_OK)
        return st;
    im->width = width;
    im->height = height;
    im->channels = channels;
    im->stride_bytes = (size_t) width * (size_t) channels;
    return T2_OK;
}

void aug_image_release(struct aug_image *im)
{
    if (im->capacity_bytes > 0)
        t2_free_aligned(im->data);
    *im = (struct aug_image){.data = NULL};
}

struct aug_image aug_image_of(uint8_t *data, int32_t height, int32_t width, int32_t channels)
{
    return (struct aug_image){.data = data,
                              .width = width,
                              .height = height,
                              .channels = channels,
                              .stride_bytes = (size_t) width * (size_t) channels};
}

struct aug_image aug_image_window(const struct aug_image *im, struct aug_window w)
{
    struct aug_image view = *im;

    assert_window(w, im->width, im->height);
    view.data = aug_row(im, w.y) + (size_t) w.x * (size_t) im->channels;
    view.width = w.width;
    view.height = w.height;
    view.capacity_bytes = 0;
    return view;
}

enum t2_status aug_image_copy(const struct aug_image *from, struct aug_image *to,
                              struct t2_err *err)
{
    const struct aug_image source = *from; /* `to` may be what it looks into */

    T2_TRY(aug_image_resize(to, source.height, source.width, source.channels, err));
    for (int32_t y = 0; y < source.height; y++)
        memmove(aug_row(to, y), aug_row(&source, y), to->stride_bytes);
    return T2_OK;
}

/* ---- floats ---- */

enum t2_status aug_floats_resize(struct aug_floats *f, enum aug_layout layout, int32_t height,
                                 int32_t width, int32_t channels, struct t2_err *err)
{
    void *p = f->data;
    enum t2_status st =
        grow(&p, &f->capacity_floats, height, width, channels, sizeof *f->data, err);

    f->data = p;
    if (st != T2_OK)
        return st;
    f->width = width;
    f->height = height;
    f->channels = channels;
    f->layout = layout;
    f->stride_floats = layout == AUG_NHWC ? (size_t) width * (size_t) channels : (size_t) width;
    return T2_OK;
}

void aug_floats_release(struct aug_floats *f)
{
    if (f->capacity_floats > 0)
        t2_free_aligned(f->data);
    *f = (struct aug_floats){.data = NULL};
}

struct aug_floats aug_floats_of(float *data, enum aug_layout layout, int32_t height, int32_t width,
                                int32_t channels)
{
    return (struct aug_floats){.data = data,
                               .width = width,
                               .height = height,
                               .channels = channels,
                               .layout = layout,
                               .stride_floats = layout == AUG_NHWC
                                                    ? (size_t) width * (size_t) channels
                                                    : (size_t) width};
}

struct aug_floats aug_floats_window(const struct aug_floats *f, struct aug_window w)
{
    struct aug_floats view = *f;

    assert_window(w, f->width, f->height);
    T2_ASSERT(f->layout == AUG_NHWC); /* planes of a window would not follow each other */
    view.data = aug_float_row(f, 0, w.y) + (size_t) w.x * (size_t) f->channels;
    view.width = w.width;
    view.height = w.height;
    view.capacity_floats = 0;
    return view;
}

enum t2_status aug_to_floats(const struct aug_image *from, float scale, struct aug_floats *to,
                             struct t2_err *err)
{
    size_t n = (size_t) from->width * (size_t) from->channels;

    T2_TRY(aug_floats_resize(to, AUG_NHWC, from->height, from->width, from->channels, err));
    for (int32_t y = 0; y < from->height; y++) {
        const uint8_t *s = aug_row(from, y);
        float *d = aug_float_row(to, 0, y);
        for (size_t i = 0; i < n; i++)
            d[i] = (float) s[i] * scale;
    }
    return T2_OK;
}

static void copy_same(const struct aug_floats *from, float *to, size_t n)
{
    int32_t planes = from->layout == AUG_NHWC ? 1 : from->channels;

    for (int32_t c = 0; c < planes; c++)
        for (int32_t y = 0; y < from->height; y++, to += n)
            memcpy(to, aug_float_row(from, c, y), n * sizeof *to);
}

/*
 * Writes the image without gaps in the layout asked for. The transposition walks one channel of
 * one row at a time: reads or writes are `channels` floats apart, within one row, which the cache
 * holds.
 */
void aug_floats_store(const struct aug_floats *from, enum aug_layout layout, float *to)
{
    size_t w = (size_t) from->width, n = (size_t) from->channels;

    if (layout == from->layout) {
        copy_same(from, to, layout == AUG_NHWC ? w * n : w);
        return;
    }
    for (size_t c = 0; c < n; c++)
        for (size_t y = 0; y < (size_t) from->height; y++) {
            const float *s = aug_float_row(from, (int32_t) c, (int32_t) y);
            if (layout == AUG_NCHW) {
                float *d = to + (c * (size_t) from->height + y) * w;
                for (size_t x = 0; x < w; x++)
                    d[x] = s[x * n + c];
            } else {
                float *d = to + y * w * n + c;
                for (size_t x = 0; x < w; x++)
                    d[x * n] = s[x];
            }
        }
}

enum t2_status aug_floats_copy(const struct aug_floats *from, enum aug_layout layout,
                               struct aug_floats *to, struct t2_err *err)
{
    T2_ASSERT(from != to && (from->data != to->data || !from->data));
    T2_TRY(aug_floats_resize(to, layout, from->height, from->width, from->channels, err));
    aug_floats_store(from, layout, to->data);
    return T2_OK;
}
