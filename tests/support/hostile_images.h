/*
 * tests/support/hostile_images.h - small image files that ask for much work or memory.
 */
#ifndef T2_TESTS_SUPPORT_HOSTILE_IMAGES_H
#define T2_TESTS_SUPPORT_HOSTILE_IMAGES_H

#include <stdint.h>

#include "base/buf.h"

/*
 * A progressive grey JPEG of these sides, whose data are those of 8 x 8 pixels, with n_scans more
 * scans that have no data at all: ten bytes each.
 */
void t_jpeg_of_scans(int width, int height, int n_scans, struct t2_buf *out);
/* A GIF of these sides with one frame of others; the data are n_bytes of codes for long runs of
 * colour 0. */
void t_gif_of_frame(int width, int height, int frame_width, int frame_height, int n_bytes,
                    struct t2_buf *out);
/* A grey PNG of one colour, whole: 1000 pixels a byte. */
void t_flat_png(int width, int height, struct t2_buf *out);

#endif
