/*
 * train/device/reference/image_layout_reference.c - channels joined, images moved, in plain loops.
 */
#include "train/device/reference/reference_kernels.h"

static void put(enum dev_type type, void *p, int64_t i, float x, bool accumulate)
{
    dev_put(type, p, i, accumulate ? dev_get(type, p, i) + x : x);
}

void dev_reference_copy_columns(struct dev *d, const struct dev_copy_columns_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c++)
            put(a->type, a->y, r * a->y_stride + c, dev_get(a->type, a->x, r * a->x_stride + c),
                a->accumulate);
}

void dev_reference_shift_pixels(struct dev *d, const struct dev_shift_pixels_args *a)
{
    int64_t B = a->dims[0], H = a->dims[1], W = a->dims[2], C = a->dims[3];

    (void) d;
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < H; i++)
            for (int64_t j = 0; j < W; j++)
                for (int64_t c = 0; c < C; c++) {
                    int64_t si = i + a->rows, sj = j + a->columns;
                    bool inside = si >= 0 && si < H && sj >= 0 && sj < W;
                    float value =
                        inside ? dev_get(a->type, a->x, ((b * H + si) * W + sj) * C + c) : 0.0f;

                    put(a->type, a->y, ((b * H + i) * W + j) * C + c, value, a->accumulate);
                }
}

void dev_reference_mirror_pixels(struct dev *d, const struct dev_mirror_pixels_args *a)
{
    int64_t rows = a->dims[0] * a->dims[1], W = a->dims[2], C = a->dims[3];

    (void) d;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < W; j++)
            for (int64_t c = 0; c < C; c++)
                dev_put(a->type, a->y, (r * W + j) * C + c,
                        dev_get(a->type, a->x, (r * W + W - 1 - j) * C + c));
}
