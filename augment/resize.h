/*
 * augment/resize.h - other sizes, exactly as TensorFlow 1, TensorFlow 2, Pillow or OpenCV make
 * them.
 *
 * Specification of the image pipelines, 5.2 to 5.6.  The plain C loops are the specification;
 * vector variants give the same bits.
 */
#ifndef AUG_RESIZE_H
#define AUG_RESIZE_H

#include "augment/image.h"

enum aug_convention {
    AUG_TF1,   /* tf.image.resize_images, legacy coordinates */
    AUG_TF2,   /* tf.image.resize, centres of pixels */
    AUG_PIL,   /* Image.resize, always antialiased */
    AUG_OPENCV /* cv2.resize */
};

enum aug_method {
    AUG_NEAREST,
    AUG_BILINEAR, /* OpenCV: INTER_LINEAR */
    AUG_BICUBIC,
    AUG_AREA,     /* TensorFlow, OpenCV; Pillow: BOX */
    AUG_LANCZOS,  /* Pillow: LANCZOS (3); TF2: lanczos3; OpenCV: LANCZOS4 */
    AUG_LANCZOS5, /* TF2, like the next two */
    AUG_GAUSSIAN,
    AUG_MITCHELL,
    AUG_HAMMING,       /* Pillow */
    AUG_NEAREST_EXACT, /* OpenCV, like the next */
    AUG_LINEAR_EXACT
};

struct aug_resize {
    enum aug_convention convention;
    enum aug_method method;
    bool align_corners; /* TF1 */
    bool antialias; /* TF2 bilinear and bicubic; the kernels from lanczos on scale with it too */
    bool has_box;   /* Pillow's box=(left, upper, right, lower) in pixels of the source */
    float box[4];
    bool mirrored; /* TensorFlow's: the result of the source turned round, left to right */
};

/* Tables and intermediate rows, kept from image to image; one per thread. */
struct aug_resizer;
struct aug_resizer *aug_resizer_new(void);
void aug_resizer_free(struct aug_resizer *z);

/*
 * Bytes to bytes: Pillow and OpenCV, and nearest of TensorFlow.  T2_EUNSUPPORTED when the library
 * does not have the method, or gives floats.  `in` may be a window; out must not share memory with
 * it.
 */
T2_MUST_CHECK enum t2_status aug_resize_bytes(struct aug_resizer *z, const struct aug_resize *how,
                                              const struct aug_image *in, int32_t height,
                                              int32_t width, struct aug_image *out,
                                              struct t2_err *err);
/* Bytes to floats 0 ... 255 (not clipped), NHWC: TensorFlow's; for Pillow and OpenCV the bytes as
 * floats. */
T2_MUST_CHECK enum t2_status aug_resize_to_floats(struct aug_resizer *z,
                                                  const struct aug_resize *how,
                                                  const struct aug_image *in, int32_t height,
                                                  int32_t width, struct aug_floats *out,
                                                  struct t2_err *err);
/* The same row by row, y ascending: *row has width * channels floats, to be changed as one likes
 * until `take` returns. */
struct aug_row_sink {
    void (*take)(void *arg, int32_t y, float *row);
    /* Gets rows that are resized as bytes; NULL: `take` gets them, too. */
    void (*take_bytes)(void *arg, int32_t y, const uint8_t *row);
    void *arg;
};
T2_MUST_CHECK enum t2_status aug_resize_to_rows(struct aug_resizer *z, const struct aug_resize *how,
                                                const struct aug_image *in, int32_t height,
                                                int32_t width, const struct aug_row_sink *sink,
                                                struct t2_err *err);
/* Floats to floats, NHWC both: TensorFlow's; Pillow's mode F per channel; OpenCV's CV_32F. */
T2_MUST_CHECK enum t2_status aug_resize_floats(struct aug_resizer *z, const struct aug_resize *how,
                                               const struct aug_floats *in, int32_t height,
                                               int32_t width, struct aug_floats *out,
                                               struct t2_err *err);

#endif
