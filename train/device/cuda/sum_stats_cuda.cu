/*
 * train/device/cuda/sum_stats_cuda.cu - sums of a batch's statistics, by one block: each thread
 * adds examples, in their order, and the threads' sums are added as a tree.  16 bytes a row are
 * read once.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

enum { N_SUMS = 6 };

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) sum_stats(struct dev_sum_stats_args a)
{
    DEV_SHARED(double, parts, [DEV_CUDA_BLOCK]);
    double sums[N_SUMS] = {};

    for (int64_t b = threadIdx.x; b < a.B; b += DEV_CUDA_BLOCK) {
        double right = 0.0, weight = 0.0; /* of the example */

        for (int64_t l = 0; l < a.n_rows; l++) {
            const float *row = a.row_stats + 4 * (b * a.rows + l);

            sums[0] += (double) row[0];
            sums[1] += (double) row[2];
            right += row[1] == 1.0f ? 1.0 : 0.0;
            sums[3] += row[1] > 0.0f ? 1.0 : 0.0;
            weight += (double) row[3];
        }
        sums[2] += right;
        sums[4] += weight;
        sums[5] += right >= weight ? 1.0 : 0.0;
    }
    for (int n = 0; n < N_SUMS; n++) {
        __syncthreads();
        parts[threadIdx.x] = sums[n];
        for (int half = DEV_CUDA_BLOCK / 2; half > 0; half /= 2) {
            __syncthreads();
            if ((int) threadIdx.x < half)
                parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
        sums[n] = parts[0];
    }
    if (threadIdx.x == 0)
        *a.sums = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], 0.0, 0.0};
}

} /* namespace */

extern "C" void dev_cuda_sum_stats(struct dev *d, const struct dev_sum_stats_args *a)
{
    LAUNCH(d, "sum_stats", sum_stats, 1, DEV_CUDA_BLOCK, 0, *a);
}
