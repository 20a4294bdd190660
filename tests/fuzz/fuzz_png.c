/*
 * fuzz_png.c - PNG decoding.  The seeds are made by fixtures/make/make_images.c.
 */
#include "augment/png.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_png_probe, aug_png_decode, data, size);
    return 0;
}
