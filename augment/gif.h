/*
 * augment/gif.h - GIF: the first image, on the background of the screen.
 */
#ifndef AUG_GIF_H
#define AUG_GIF_H

#include "augment/codec.h"

T2_MUST_CHECK enum t2_status aug_gif_probe(const uint8_t *file, size_t len_bytes,
                                           struct aug_info *info, struct t2_err *err);
/* Of `how` only channels and max_components. */
T2_MUST_CHECK enum t2_status aug_gif_decode(const uint8_t *file, size_t len_bytes,
                                            const struct aug_decode *how, struct aug_image *out,
                                            struct aug_notes *notes, struct t2_err *err);

#endif
