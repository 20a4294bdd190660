/*
 * augment/jpeg.h - JPEG by libjpeg-turbo, with the settings of TensorFlow's decoder and encoder.
 *
 * Specification of the image pipelines, 5.1; tensorflow/core/lib/jpeg.  Use codec.h unless the kind
 * is known; how->apply_exif is not looked at here.
 */
#ifndef AUG_JPEG_H
#define AUG_JPEG_H

#include "augment/codec.h"
#include "base/buf.h"

T2_MUST_CHECK enum t2_status aug_jpeg_probe(const uint8_t *file, size_t len_bytes,
                                            struct aug_info *info, struct t2_err *err);
T2_MUST_CHECK enum t2_status aug_jpeg_decode(const uint8_t *file, size_t len_bytes,
                                             const struct aug_decode *how, struct aug_image *out,
                                             struct aug_notes *notes, struct t2_err *err);

/* tf.image.encode_jpeg: baseline, 300 x 300 dpi, chroma at half size, no optimisation.  The bytes
 * are those of TensorFlow 2.21 (40 of 40, libjpeg-turbo 2.1.5). */
struct aug_jpeg_settings {
    int quality;      /* 0 ... 100; encode_jpeg's default is 95, imagenet_to_gcs uses 100 */
    bool full_chroma; /* chroma_downsampling=False: 4:4:4 */
    bool optimise_size;
    bool progressive;
    bool no_density; /* no dpi, as Pillow */
};
/* Appends a JPEG file of 1 (grey) or 3 (RGB) channels. */
T2_MUST_CHECK enum t2_status aug_jpeg_encode(const struct aug_image *im,
                                             const struct aug_jpeg_settings *how,
                                             struct t2_buf *out, struct t2_err *err);

#endif
