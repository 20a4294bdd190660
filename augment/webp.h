/*
 * augment/webp.h - WebP by libwebp, where the build has it (T2_HAVE_WEBP).
 */
#ifndef AUG_WEBP_H
#define AUG_WEBP_H

#include "augment/codec.h"

T2_MUST_CHECK enum t2_status aug_webp_probe(const uint8_t *file, size_t len_bytes,
                                            struct aug_info *info, struct t2_err *err);
/* Of `how` only channels and max_components. */
T2_MUST_CHECK enum t2_status aug_webp_decode(const uint8_t *file, size_t len_bytes,
                                             const struct aug_decode *how, struct aug_image *out,
                                             struct aug_notes *notes, struct t2_err *err);

#endif
