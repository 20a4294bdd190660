/*
 * train/device/cuda/image_layout_cuda.cu - channels joined, images moved: each value read and
 * written once.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

struct copy_columns {
    struct dev_copy_columns_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t row = row_of(i, a.cols), col = i - row * a.cols;

        put(a.type, a.y, row * a.y_stride + col, get(a.type, a.x, row * a.x_stride + col),
            a.accumulate);
    }
};

struct shift_pixels {
    struct dev_shift_pixels_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t H = a.dims[1], W = a.dims[2], C = a.dims[3];
        int64_t pixel = row_of(i, C), row = row_of(pixel, W), b = row_of(row, H);
        int64_t r = row - b * H + a.rows, q = pixel - row * W + a.columns;
        bool inside = r >= 0 && r < H && q >= 0 && q < W;

        int64_t from = ((b * H + r) * W + q) * C + i - pixel * C;

        put(a.type, a.y, i, inside ? get(a.type, a.x, from) : 0.0f, a.accumulate);
    }
};

struct mirror_pixels {
    struct dev_mirror_pixels_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t W = a.dims[2], C = a.dims[3], pixel = row_of(i, C), row = row_of(pixel, W);

        int64_t from = (row * W + W - 1 - (pixel - row * W)) * C + i - pixel * C;

        put(a.type, a.y, i, get(a.type, a.x, from), false);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_copy_columns(struct dev *d, const struct dev_copy_columns_args *a)
{
    for_each(d, "copy_columns", a->rows * a->cols, copy_columns{*a});
}

void dev_cuda_shift_pixels(struct dev *d, const struct dev_shift_pixels_args *a)
{
    for_each(d, "shift_pixels", a->dims[0] * a->dims[1] * a->dims[2] * a->dims[3],
             shift_pixels{*a});
}

void dev_cuda_mirror_pixels(struct dev *d, const struct dev_mirror_pixels_args *a)
{
    for_each(d, "mirror_pixels", a->dims[0] * a->dims[1] * a->dims[2] * a->dims[3],
             mirror_pixels{*a});
}

} /* extern "C" */
