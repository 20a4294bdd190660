/*
 * fuzz_jpeg.c - JPEG decoding: whole, a window, reduced, recovering; our Huffman decoder against
 * libjpeg's.  The seeds are made by fixtures/make/make_images.c.
 */
#include <stdlib.h>
#include <string.h>

#include "augment/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *data, size_t size, struct aug_decode how)
{
    static struct aug_image im, plain;
    static struct aug_scan *kept; /* also tables of a file before must not matter */
    struct t2_err err = T2_ERR_INIT;
    struct aug_notes notes, plain_notes;
    enum t2_status st;

    how.max_components = 1 << 20; /* memory and time */
    how.kept = &kept;
    st = aug_jpeg_decode(data, size, &how, &im, &notes, &err);
    if (st == T2_OK && im.width < 1)
        abort();
    how.plain_huffman = true;
    if (aug_jpeg_decode(data, size, &how, &plain, &plain_notes, &err) != st ||
        notes.n_warnings != plain_notes.n_warnings)
        abort();
    if (st == T2_OK && memcmp(im.data, plain.data, (size_t) im.height * im.stride_bytes) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct aug_window w = {3, 2, 9, 5};
    struct aug_info info;
    struct t2_err err = T2_ERR_INIT;

    if (aug_jpeg_probe(data, size, &info, &err) == T2_OK && info.width < 1)
        abort();
    decode(data, size, (struct aug_decode){.channels = 3});
    decode(data, size, (struct aug_decode){.channels = 1, .ratio = 2});
    decode(data, size, (struct aug_decode){.recover = true, .dct = AUG_DCT_ACCURATE});
    decode(data, size, (struct aug_decode){.window = &w, .plain_upsampling = true});
    decode(data, size,
           (struct aug_decode){
               .window = &w, .left_too = true, .stop_after_window = true, .channels = 3});
    return 0;
}
