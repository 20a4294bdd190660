/*
 * train/device/cuda/targeted_cuda.cu - the smallest weights found (struct dev_targeted).
 *
 * Sizes are floats that are not negative, and so are ordered as their bits are: the limit is found
 * bit by bit, 31 counts over the column.  Whole numbers are counted, so the order does not matter.
 * Weights are read 32 times, from the cache but for the first.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

namespace
{

enum { COLUMNS_Y = 8 };

/* The size of a weight; NaN (of a run that is lost) as infinity. */
__device__ float size_of(float w)
{
    return w != w ? INFINITY : fabsf(w);
}

/* Number nth (from 0) of n sizes in ascending order, for the columns of 32 threads each; all
 * (32,COLUMNS_Y) threads of the block come here.  at(row) is the size, for rows y, y + COLUMNS_Y
 * ... */
template <class At>
__device__ float select(int64_t n, int64_t nth, bool there, At at,
                        int (&counts)[COLUMNS_Y][DEV_CUDA_WARP])
{
    unsigned limit = 0;

    for (int bit = 30; bit >= 0; bit--) {
        /* how many are below limit + 2^bit? */
        unsigned tried = limit | 1u << bit;
        int below = 0;

        for (int64_t row = threadIdx.y; there && row < n; row += COLUMNS_Y)
            below += __float_as_uint(at(row)) < tried ? 1 : 0;
        __syncthreads();
        counts[threadIdx.y][threadIdx.x] = below;
        __syncthreads();
        below = 0;
        for (int y = 0; y < COLUMNS_Y; y++)
            below += counts[y][threadIdx.x];
        if (below <= nth)
            limit = tried;
    }
    return __uint_as_float(limit);
}

struct column_sizes {
    struct dev_targeted a;
    int64_t col;
    __device__ float operator()(int64_t row) const
    {
        return size_of(a.w[row * a.cols + col]);
    }
};

__global__ void column_limits(struct dev_targeted a, float *limits)
{
    DEV_SHARED(int, counts, [COLUMNS_Y][DEV_CUDA_WARP]);
    int64_t col = (int64_t) blockIdx.x * DEV_CUDA_WARP + threadIdx.x;
    float limit = select(a.rows, a.nth, col < a.cols, column_sizes{a, col}, counts);

    if (threadIdx.y == 0 && col < a.cols)
        limits[col] = limit;
}

/* A thread a column, rows in their order. */
struct column_norms {
    struct dev_targeted a;
    float *norms;
    __device__ void operator()(int64_t c) const
    {
        double sum = 0.0;

        for (int64_t r = 0; r < a.rows; r++)
            sum += (double) a.w[r * a.cols + c] * (double) a.w[r * a.cols + c];
        norms[c] = size_of((float) sqrt(sum));
    }
};

struct listed {
    const float *values;
    __device__ float operator()(int64_t i) const
    {
        return values[i];
    }
};

/* limits[c]: infinity for the columns that are targeted, -1 for the others.  One block; each of its
 * columns of threads does the same work. */
__global__ void limit_of_norms(struct dev_targeted a, const float *norms, float *limits)
{
    DEV_SHARED(int, counts, [COLUMNS_Y][DEV_CUDA_WARP]);
    float limit = select(a.cols, a.nth, true, listed{norms}, counts);

    for (int64_t c = threadIdx.y * DEV_CUDA_WARP + threadIdx.x; c < a.cols;
         c += COLUMNS_Y * DEV_CUDA_WARP)
        limits[c] = norms[c] <= limit ? INFINITY : -1.0f;
}

struct targeted {
    struct dev_targeted a;
    const float *limits;
    __device__ void operator()(int64_t i, float factor) const
    {
        float limit = limits[i - row_of(i, a.cols) * a.cols];

        a.factors[i] = size_of(a.w[i]) <= limit ? factor : 1.0f;
    }
};

} /* namespace */

extern "C" void dev_cuda_targeted(struct dev *d, const struct dev_targeted *a)
{
    float *limits = a->scratch + a->rows, *norms = limits + a->cols;
    dim3 block(DEV_CUDA_WARP, COLUMNS_Y);

    if (a->columns) {
        for_each(d, "targeted", a->cols, column_norms{*a, norms});
        LAUNCH(d, "targeted", limit_of_norms, 1, block, 0, *a, norms, limits);
    } else {
        LAUNCH(d, "targeted", column_limits, (unsigned) div_up(a->cols, DEV_CUDA_WARP), block, 0,
               *a, limits);
    }
    for_each_dropped(d, "targeted", a->rows * a->cols, &a->dropout, targeted{*a, limits});
}
