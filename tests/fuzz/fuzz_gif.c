/*
 * fuzz_gif.c - GIF decoding.  The seeds are made by fixtures/make/make_images.c.
 */
#include "augment/gif.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_gif_probe, aug_gif_decode, data, size);
    return 0;
}
