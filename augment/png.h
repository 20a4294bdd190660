/*
 * augment/png.h - PNG by libpng, converted as TensorFlow's decode_png does.
 *
 * Alpha is dropped, not blended; 16 bits are reduced to the high byte; palettes are expanded.
 */
#ifndef AUG_PNG_H
#define AUG_PNG_H

#include "augment/codec.h"
#include "base/buf.h"

T2_MUST_CHECK enum t2_status aug_png_probe(const uint8_t *file, size_t len_bytes,
                                           struct aug_info *info, struct t2_err *err);
/* Of `how` only channels (0 ... 4), max_components and recover (rows that are missing stay
 * black). */
T2_MUST_CHECK enum t2_status aug_png_decode(const uint8_t *file, size_t len_bytes,
                                            const struct aug_decode *how, struct aug_image *out,
                                            struct aug_notes *notes, struct t2_err *err);
/* tf.image.encode_png: appends 8 bits, 1 ... 4 channels, level -1 ... 9.  With -1, zlib's default,
 * the bytes were those of TensorFlow 1.15.5 for all recorded CIFAR images (libpng 1.6.39,
 * zlib 1.2.13). */
T2_MUST_CHECK enum t2_status aug_png_encode(const struct aug_image *im, int level,
                                            struct t2_buf *out, struct t2_err *err);

#endif
