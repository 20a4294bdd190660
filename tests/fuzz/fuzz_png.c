/*
 * fuzz_png.c - PNG decoding.  The corpus is made by make_image_corpus.c.
 */
#include "augment/png.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_png_probe, aug_png_decode, data, size);
    return 0;
}
