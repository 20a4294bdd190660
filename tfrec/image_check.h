/*
 * tfrec/image_check.h - is a JPEG or PNG whole, as far as its headers say?  Nothing is decoded.
 */
#ifndef REC_IMAGE_CHECK_H
#define REC_IMAGE_CHECK_H

#include "base/buf.h"

/*
 * NULL, or what is wrong, a constant: JPEG by its markers up to the frame header (size, components)
 * and the scan, and its end marker; PNG by its header chunk (size, CRC) and its last chunk.  Values
 * that do not begin like a JPEG or PNG are never wrong.
 */
const char *rec_image_check(struct t2_slice value);

#endif
