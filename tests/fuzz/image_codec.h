/*
 * tests/fuzz/image_codec.h - what the fuzz targets of the image codecs do with any bytes.
 */
#ifndef T2_FUZZ_IMAGE_CODEC_H
#define T2_FUZZ_IMAGE_CODEC_H

#include <stdlib.h>

#include "augment/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef enum t2_status t_probe(const uint8_t *data, size_t size, struct aug_info *info,
                               struct t2_err *err);
typedef enum t2_status t_decode(const uint8_t *data, size_t size, const struct aug_decode *how,
                                struct aug_image *im, struct aug_notes *notes, struct t2_err *err);

static inline void t_fuzz_codec(t_probe *probe, t_decode *decode, const uint8_t *data, size_t size)
{
    static struct aug_image im;
    struct t2_err err = T2_ERR_INIT;
    struct aug_info info;
    struct aug_notes notes;

    if (probe(data, size, &info, &err) == T2_OK && info.width < 1)
        abort();
    for (int32_t channels = 0; channels <= 4; channels++) {
        const struct aug_decode how = {.channels = channels,
                                       .recover = channels == 2,
                                       .max_components = 1 << 20};
        if (decode(data, size, &how, &im, &notes, &err) == T2_OK && im.width < 1)
            abort();
    }
}

#endif
