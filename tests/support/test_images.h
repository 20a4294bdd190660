/*
 * tests/support/test_images.h - images made by rule, and files of them.
 */
#ifndef T2_TESTS_SUPPORT_IMAGES_H
#define T2_TESTS_SUPPORT_IMAGES_H

#include "augment/image.h"
#include "base/buf.h"

/* Smooth colours with some noise; the same for the same arguments.  aug_image_release. */
struct aug_image t_image(int32_t height, int32_t width, int32_t channels, uint64_t seed);
/* The same as a JPEG of quality 90, 4:2:0. */
void t_jpeg(int32_t height, int32_t width, int32_t channels, uint64_t seed, struct t2_buf *out);
void t_png(int32_t height, int32_t width, int32_t channels, uint64_t seed, struct t2_buf *out);
/* 8 x 8 in CMYK, all of one colour. */
void t_cmyk_jpeg(struct t2_buf *out);
/* An EXIF segment with this orientation behind a JPEG's first marker. */
void t_add_orientation(struct t2_buf *jpeg, int orientation);
void t_assert_same_pixels(const struct aug_image *a, const struct aug_image *b);

#endif
