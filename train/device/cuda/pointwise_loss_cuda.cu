/*
 * train/device/cuda/pointwise_loss_cuda.cu - losses of each value (struct dev_pointwise_loss), a
 * block a row.  Reads x and the targets twice, the second time from the cache.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

/* No exponential of a positive number; NaN goes through. */
__device__ float loss_of(enum dev_pointwise kind, float x, float t)
{
    if (kind == DEV_SQUARES)
        return (x - t) * (x - t);
    return (x < 0.0f ? 0.0f : x) - x * t + log1pf(expf(-fabsf(x)));
}

__device__ float slope_of(enum dev_pointwise kind, float x, float t)
{
    return kind == DEV_SQUARES ? 2.0f * (x - t) : 1.0f / (1.0f + expf(-x)) - t;
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) pointwise_loss(struct dev_pointwise_loss a)
{
    DEV_SHARED(float, parts, [DEV_CUDA_WARP]);
    int64_t begin = (int64_t) blockIdx.x * a.D, end = begin + a.D;
    float sum = 0.0f, misses = 0.0f;

    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        sum += loss_of(a.kind, a.x[i], a.targets[i]);
        misses += (a.x[i] > 0.0f) == (a.targets[i] > 0.5f) ? 0.0f : 1.0f;
    }
    sum = block_sum(sum, parts);
    misses = block_sum(misses, parts);
    if (threadIdx.x == 0) {
        float *stats = a.row_stats + 4 * (int64_t) blockIdx.x;

        stats[0] = a.weight * sum;
        stats[1] = a.kind == DEV_SIGMOID && misses == 0.0f ? 1.0f : 0.0f;
        stats[2] = 0.0f;
        stats[3] = 1.0f;
    }
    if (a.dx)
        for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
            put(&a.dx[i], slope_of(a.kind, a.x[i], a.targets[i]) * (a.weight * a.step->grad_scale),
                a.accumulate);
}

} /* namespace */

extern "C" void dev_cuda_pointwise_loss(struct dev *d, const struct dev_pointwise_loss *a)
{
    if (a->N > 0)
        LAUNCH(d, "pointwise_loss", pointwise_loss, (unsigned) a->N, DEV_CUDA_BLOCK, 0, *a);
}
