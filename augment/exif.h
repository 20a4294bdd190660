/*
 * augment/exif.h - EXIF orientation: reading it, and turning images upright.
 *
 * 1 as stored; 2 mirrored left-right; 3 half a turn; 4 mirrored top-bottom; 5 transposed; 6 to be
 * turned a quarter clockwise; 7 transposed along the other diagonal; 8 a quarter anticlockwise.
 */
#ifndef AUG_EXIF_H
#define AUG_EXIF_H

#include <stddef.h>
#include <stdint.h>

#include "augment/image.h"

/* Of a TIFF header and its first directory ("II*\0..." or "MM\0*..."), as in a JPEG's APP1 segment,
 * a PNG's eXIf and a WebP's EXIF chunk.  1 when there is none, or none that makes sense. */
int aug_exif_orientation_of_tiff(const uint8_t *tiff, size_t len_bytes);
/* Of a whole JPEG, PNG or WebP file, by content; 1 for all else. */
int aug_exif_orientation(const uint8_t *file, size_t len_bytes);

/* Size after turning. */
void aug_oriented_size(int orientation, int32_t *width, int32_t *height);
/* A window of the upright image, as the window of the stored one (width x height) with the same
 * pixels. */
struct aug_window aug_stored_window(int orientation, int32_t width, int32_t height,
                                    struct aug_window upright);
/* from -> to, upright; `to` must not share memory with `from`. */
T2_MUST_CHECK enum t2_status aug_orient(const struct aug_image *from, int orientation,
                                        struct aug_image *to, struct t2_err *err);

#endif
