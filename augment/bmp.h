/*
 * augment/bmp.h - BMP: 1, 4, 8, 16, 24 and 32 bits, run lengths, any header.
 */
#ifndef AUG_BMP_H
#define AUG_BMP_H

#include "augment/codec.h"

T2_MUST_CHECK enum t2_status aug_bmp_probe(const uint8_t *file, size_t len_bytes,
                                           struct aug_info *info, struct t2_err *err);
/* Of `how` only channels and max_components. */
T2_MUST_CHECK enum t2_status aug_bmp_decode(const uint8_t *file, size_t len_bytes,
                                            const struct aug_decode *how, struct aug_image *out,
                                            struct aug_notes *notes, struct t2_err *err);

#endif
