/*
 * tests/fuzz/fuzz_images.c - what a file is, its EXIF, and decoding by content; verdicts.
 */
#include <stdlib.h>

#include "augment/admit.h"
#include "augment/exif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct aug_admit_policy policy = {.apply_exif = true,
                                                   .reencode = AUG_REENCODE_ODD,
                                                   .max_components = 1 << 18};
    static struct aug_image im;
    const struct aug_window w = {1, 1, 2, 2};
    const struct aug_decode how = {.apply_exif = true, .window = &w, .max_components = 1 << 18};
    struct aug_admission a;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};
    int orientation = aug_exif_orientation(data, size);

    if (orientation < 1 || orientation > 8)
        abort();
    if (aug_admit("x.jpg", data, size, &policy, &im, &a, &err) != T2_OK)
        abort();
    if (a.verdict == AUG_REENCODE && aug_reencode(data, size, &policy, &im, &out, &err) != T2_OK)
        abort();
    t2_buf_release(&out);
    if (aug_decode(data, size, &how, &im, NULL, &err) == T2_OK && (im.width != 2 || im.height != 2))
        abort();
    return 0;
}
