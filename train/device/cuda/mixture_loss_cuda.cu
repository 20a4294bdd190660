/*
 * train/device/cuda/mixture_loss_cuda.cu - pixels under mixtures of logistics (struct
 * dev_mixture_loss), a thread a row: a few hundred exponentials each, and rows are many.
 */
#include "train/device/cuda/launch.cuh"

#define inline __host__ __device__ inline
extern "C" {
#include "train/device/mixture_row.h"
}
#undef inline

namespace
{

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) mixture_loss(struct dev_mixture_loss a)
{
    int64_t r = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;

    if (r < a.N)
        dev_mixture_row(&a, r);
}

} /* namespace */

extern "C" void dev_cuda_mixture_loss(struct dev *d, const struct dev_mixture_loss *a)
{
    if (a->N > 0)
        LAUNCH(d, "mixture_loss", mixture_loss, (unsigned) div_up(a->N, DEV_CUDA_BLOCK),
               DEV_CUDA_BLOCK, 0, *a);
}
