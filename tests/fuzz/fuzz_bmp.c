/*
 * fuzz_bmp.c - BMP decoding.  The seeds are made by fixtures/make/make_images.c.
 */
#include "augment/bmp.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_bmp_probe, aug_bmp_decode, data, size);
    return 0;
}
