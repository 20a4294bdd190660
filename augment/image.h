/*
 * augment/image.h - images in memory: bytes or floats, height x width x channels.
 *
 * The same struct is an owner and a view: capacity 0 means that the pixels are borrowed.  Owners
 * are used again for the next image and only grow, so that a training loop stops allocating.
 */
#ifndef AUG_IMAGE_H
#define AUG_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Pixels of one byte per channel, interleaved (HWC); channels 1 grey, 2 grey and alpha, 3 RGB, 4
 * RGBA. Zero-initialise. */
struct aug_image {
    uint8_t *data;
    int32_t width, height, channels;
    size_t stride_bytes;   /* from one row to the next, >= width * channels */
    size_t capacity_bytes; /* 0: data is borrowed */
};

enum aug_layout { AUG_NHWC, AUG_NCHW };

/* Floats.  NHWC: row y is at data + y * stride_floats, interleaved.  NCHW: channel c of row y is at
 * data + (c * height + y) * stride_floats.  Zero-initialise. */
struct aug_floats {
    float *data;
    int32_t width, height, channels;
    enum aug_layout layout;
    size_t stride_floats;
    size_t capacity_floats; /* 0: data is borrowed */
};

/* x + width and y + height lie inside the image; width, height > 0. */
struct aug_window {
    int32_t x, y, width, height;
};

/* Makes room for height x width x channels, rows without gaps; what it held is lost.  T2_ENOMEM
 * when memory is short, T2_EFORMAT when a size is not in 1 ... 2^30. */
T2_MUST_CHECK enum t2_status aug_image_resize(struct aug_image *im, int32_t height, int32_t width,
                                              int32_t channels, struct t2_err *err);
void aug_image_release(struct aug_image *im);
/* Borrowed bytes as an image without gaps between rows. */
struct aug_image aug_image_of(uint8_t *data, int32_t height, int32_t width, int32_t channels);
/* The part of im in w (asserted to lie inside); borrows from im. */
struct aug_image aug_image_window(const struct aug_image *im, struct aug_window w);
/* Copies, rows without gaps; also out of a view of itself when `to` owns and starts there. */
T2_MUST_CHECK enum t2_status aug_image_copy(const struct aug_image *from, struct aug_image *to,
                                            struct t2_err *err);
static inline uint8_t *aug_row(const struct aug_image *im, int32_t y)
{
    return im->data + (size_t) y * im->stride_bytes;
}

/* As aug_image_*. */
T2_MUST_CHECK enum t2_status aug_floats_resize(struct aug_floats *f, enum aug_layout layout,
                                               int32_t height, int32_t width, int32_t channels,
                                               struct t2_err *err);
void aug_floats_release(struct aug_floats *f);
struct aug_floats aug_floats_of(float *data, enum aug_layout layout, int32_t height, int32_t width,
                                int32_t channels);
struct aug_floats aug_floats_window(const struct aug_floats *f, struct aug_window w);
static inline float *aug_float_row(const struct aug_floats *f, int32_t c, int32_t y)
{
    return f->layout == AUG_NHWC
               ? f->data + (size_t) y * f->stride_floats
               : f->data + ((size_t) c * (size_t) f->height + (size_t) y) * f->stride_floats;
}

/* The bytes as floats 0 ... 255 times scale (1 is tf.cast; 1/255.0f in float is
 * convert_image_dtype), in layout NHWC. */
T2_MUST_CHECK enum t2_status aug_to_floats(const struct aug_image *from, float scale,
                                           struct aug_floats *to, struct t2_err *err);
/* Into floats of another owner (a batch), height * width * channels of them without gaps, in
 * the given layout. */
void aug_floats_store(const struct aug_floats *from, enum aug_layout layout, float *to);
/* Copy in another layout. */
T2_MUST_CHECK enum t2_status aug_floats_copy(const struct aug_floats *from, enum aug_layout layout,
                                             struct aug_floats *to, struct t2_err *err);

#endif
