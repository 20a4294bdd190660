/*
 * train/device/reference/image_floats_reference.c - images that travelled as bytes become floats.
 */
#include "train/device/reference/reference_kernels.h"

void dev_reference_image_floats(struct dev *d, const struct dev_image_floats_args *a)
{
    (void) d;
    for (int64_t p = 0; p < a->pixels; p++)
        for (int64_t c = 0; c < a->C; c++)
            a->y[p * a->C + c] = a->values[c * 256 + a->x[p * a->C + c]];
}
