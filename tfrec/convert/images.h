/*
 * tfrec/convert/images.h - folders of class folders of images.
 *
 * Fields: image/encoded, image/format, image/class/label, image/class/text, image/filename.
 */
#ifndef REC_IMAGES_H
#define REC_IMAGES_H

#include "tfrec/convert/formats.h"
#include "tfrec/image_type.h"

/* "jpeg"; NULL for no image.  Also the end of a file's name. */
const char *rec_image_format(enum rec_image type);

/* images_in.c, images_out.c */
enum t2_status rec_images_open(const struct rec_convert *c, const char *path,
                               struct rec_reader **out, struct t2_err *err);
enum t2_status rec_images_create(const struct rec_convert *c, struct rec_writer **out,
                                 struct t2_err *err);

#endif
