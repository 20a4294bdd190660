/*
 * fuzz_webp.c - WebP decoding.  The seeds are made by fixtures/make/make_images.c.
 */
#include "augment/webp.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_webp_probe, aug_webp_decode, data, size);
    return 0;
}
