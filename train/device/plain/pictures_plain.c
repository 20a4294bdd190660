/*
 * train/device/plain/pictures_plain.c - channels joined, pictures moved, channels weighted, in plain loops.
 */
#include <math.h>

#include "train/device/plain/plain_kernels.h"

void dev_plain_copy_columns(struct dev *d, const float *x, int64_t rows, int64_t cols,
                            int64_t x_stride, bool accumulate, float *y, int64_t y_stride)
{
    (void) d;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c) {
            float *to = &y[r * y_stride + c];

            *to = accumulate ? *to + x[r * x_stride + c] : x[r * x_stride + c];
        }
}

void dev_plain_shift_pixels(struct dev *d, const float *x, const int64_t dims[4], int64_t rows,
                            int64_t columns, bool accumulate, float *y)
{
    int64_t B = dims[0], H = dims[1], W = dims[2], C = dims[3];

    (void) d;
    for (int64_t b = 0; b < B; ++b)
        for (int64_t i = 0; i < H; ++i)
            for (int64_t j = 0; j < W; ++j)
                for (int64_t c = 0; c < C; ++c) {
                    int64_t si = i + rows, sj = j + columns;
                    bool inside = si >= 0 && si < H && sj >= 0 && sj < W;
                    float value = inside ? x[((b * H + si) * W + sj) * C + c] : 0.0f;
                    float *to = &y[((b * H + i) * W + j) * C + c];

                    *to = accumulate ? *to + value : value;
                }
}

static double sigmoid(float x)
{
    return 1.0 / (1.0 + exp(-(double) x));
}

void dev_plain_excite(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; ++b)
        for (int64_t p = 0; p < a->P; ++p)
            for (int64_t c = 0; c < a->C; ++c) {
                int64_t i = (b * a->P + p) * a->C + c;

                a->y[i] = (float) ((double) a->x[i] * sigmoid(a->gate[b * a->C + c]));
            }
}

void dev_plain_excite_bwd(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; ++b)
        for (int64_t c = 0; c < a->C; ++c) {
            double s = sigmoid(a->gate[b * a->C + c]), sum = 0.0;
            float *dgate = &a->dgate[b * a->C + c];

            for (int64_t p = 0; p < a->P; ++p) {
                int64_t i = (b * a->P + p) * a->C + c;
                double dx = s * (double) a->dy[i];

                sum += (double) a->x[i] * (double) a->dy[i];
                a->dx[i] = (float) (a->accumulate_dx ? (double) a->dx[i] + dx : dx);
            }
            sum *= s * (1.0 - s);
            *dgate = (float) (a->accumulate_dgate ? (double) *dgate + sum : sum);
        }
}
