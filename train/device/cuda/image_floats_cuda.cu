/*
 * train/device/cuda/image_floats_cuda.cu - bytes of pictures as the floats that they stand for: a
 * byte read and a float written a value, the table of 256 a channel from the cache.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

struct image_floats {
    struct dev_image_floats_args a;
    __device__ void operator()(int64_t i) const
    {
        a.y[i] = a.values[(i - row_of(i, a.C) * a.C) * 256 + a.x[i]];
    }
};

} /* namespace */

extern "C" void dev_cuda_image_floats(struct dev *d, const struct dev_image_floats_args *a)
{
    for_each(d, "image_floats", a->pixels * a->C, image_floats{*a});
}
