/*
 * tfrec/picture.h - is a bytes value a picture, of what type and size?  Only headers are looked at.
 */
#ifndef REC_PICTURE_H
#define REC_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum rec_picture {
    REC_NO_PICTURE,
    REC_JPEG,
    REC_PNG,
    REC_GIF,
    REC_BMP,
    REC_WEBP,
    REC_TIFF,
    REC_N_PICTURES
};

/* By its first bytes. */
enum rec_picture rec_picture_type(struct t2_slice value);
const char *rec_picture_name(enum rec_picture type); /* "JPEG" */
const char *rec_picture_mime(enum rec_picture type); /* "image/jpeg" */
/* false when the header does not say (cut, damaged, or a type whose header is not read here). */
bool rec_picture_size(struct t2_slice value, uint32_t *width, uint32_t *height);

#endif
