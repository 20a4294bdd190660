/*
 * tfrec/image_type.h - is a bytes value an image, of what type and size?  Only headers are looked
 * at.
 */
#ifndef REC_IMAGE_TYPE_H
#define REC_IMAGE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum rec_image {
    REC_NO_IMAGE,
    REC_JPEG,
    REC_PNG,
    REC_GIF,
    REC_BMP,
    REC_WEBP,
    REC_TIFF,
    REC_N_IMAGES
};

/* By its first bytes. */
enum rec_image rec_image_type(struct t2_slice value);
const char *rec_image_name(enum rec_image type); /* "JPEG" */
const char *rec_image_mime(enum rec_image type); /* "image/jpeg" */
/* false when the header does not say (cut, damaged, or a type whose header is not read here). */
bool rec_image_size(struct t2_slice value, uint32_t *width, uint32_t *height);

#endif
