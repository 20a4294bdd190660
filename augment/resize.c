/*
 * augment/resize.c - which library's resizing.
 */
#include "augment/resize.h"

#include <string.h>

#include "augment/resize_parts.h"

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
