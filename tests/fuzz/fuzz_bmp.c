/*
 * fuzz_bmp.c - BMP decoding.  The corpus is made by make_image_corpus.c.
 */
#include "augment/bmp.h"
#include "tests/fuzz/image_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_fuzz_codec(aug_bmp_probe, aug_bmp_decode, data, size);
    return 0;
}
