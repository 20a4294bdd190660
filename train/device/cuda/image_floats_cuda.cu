/*
 * train/device/cuda/image_floats_cuda.cu - bytes of pictures as the floats that they stand for: a
 * byte read and a float written a value, the table of 256 a channel from the cache.  Mirrored on the
 * way: a warp's bytes are the same lines, read from the other end.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

struct image_floats {
    struct dev_image_floats_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t pixel = row_of(i, a.C), c = i - pixel * a.C, from = pixel;

        if (a.mirrored) {
            int64_t row = row_of(pixel, a.W);

            if (a.mirrored[row_of(row, a.H)])
                from = 2 * row * a.W + a.W - 1 - pixel;
        }
        a.y[i] = a.values[c * 256 + a.x[from * a.C + c]];
    }
};

} /* namespace */

extern "C" void dev_cuda_image_floats(struct dev *d, const struct dev_image_floats_args *a)
{
    for_each(d, "image_floats", a->B * a->H * a->W * a->C, image_floats{*a});
}
