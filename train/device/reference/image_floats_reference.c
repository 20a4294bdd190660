/*
 * train/device/reference/image_floats_reference.c - images that travelled as bytes become floats.
 */
#include "train/device/reference/reference_kernels.h"

void dev_reference_image_floats(struct dev *d, const struct dev_image_floats_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t i = 0; i < a->H; i++)
            for (int64_t j = 0; j < a->W; j++)
                for (int64_t c = 0; c < a->C; c++) {
                    int64_t row = (b * a->H + i) * a->W;
                    int64_t from = a->mirrored && a->mirrored[b] ? a->W - 1 - j : j;

                    a->y[(row + j) * a->C + c] = a->values[c * 256 + a->x[(row + from) * a->C + c]];
                }
}
