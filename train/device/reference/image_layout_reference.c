/*
 * train/device/reference/image_layout_reference.c - channels joined, images moved, in plain loops.
 */
#include "train/device/reference/reference_kernels.h"

void dev_reference_copy_columns(struct dev *d, const float *x, int64_t rows, int64_t cols,
                                int64_t x_stride, bool accumulate, float *y, int64_t y_stride)
{
    (void) d;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            float *to = &y[r * y_stride + c];

            *to = accumulate ? *to + x[r * x_stride + c] : x[r * x_stride + c];
        }
}

void dev_reference_shift_pixels(struct dev *d, const float *x, const int64_t dims[4], int64_t rows,
                                int64_t columns, bool accumulate, float *y)
{
    int64_t B = dims[0], H = dims[1], W = dims[2], C = dims[3];

    (void) d;
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < H; i++)
            for (int64_t j = 0; j < W; j++)
                for (int64_t c = 0; c < C; c++) {
                    int64_t si = i + rows, sj = j + columns;
                    bool inside = si >= 0 && si < H && sj >= 0 && sj < W;
                    float value = inside ? x[((b * H + si) * W + sj) * C + c] : 0.0f;
                    float *to = &y[((b * H + i) * W + j) * C + c];

                    *to = accumulate ? *to + value : value;
                }
}

void dev_reference_mirror_pixels(struct dev *d, const float *x, const int64_t dims[4], float *y)
{
    int64_t rows = dims[0] * dims[1], W = dims[2], C = dims[3];

    (void) d;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < W; j++)
            for (int64_t c = 0; c < C; c++)
                y[(r * W + j) * C + c] = x[(r * W + W - 1 - j) * C + c];
}
