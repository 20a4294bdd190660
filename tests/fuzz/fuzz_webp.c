/*
 * fuzz_webp.c - WebP decoding.  The corpus is made by make_picture_corpus.c.
 */
#include <stdlib.h>

#include "augment/webp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct aug_image im;
    struct t2_err err = T2_ERR_INIT;
    struct aug_info info;
    struct aug_notes notes;

    if (aug_webp_probe(data, size, &info, &err) == T2_OK && info.width < 1)
        abort();
    for (int32_t channels = 0; channels <= 4; ++channels) {
        const struct aug_decode how = {.channels = channels,
                                       .recover = channels == 2,
                                       .max_components = 1 << 20};
        if (aug_webp_decode(data, size, &how, &im, &notes, &err) == T2_OK && im.width < 1)
            abort();
    }
    return 0;
}
