/*
 * train/device/cuda/axes_cuda.cu - values scaled, axes exchanged and averaged.
 *
 * Each value is read and written once; D, the innermost, stays together, so whole lines of memory
 * are used where it is 32 or more.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

struct scale {
    struct dev_scale_args a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type, a.y, i, dev_scale_factor(&a) * get(a.type, a.x, i), a.accumulate);
    }
};

/* Thread by element of y (B,A,D). */
struct swap_axes {
    struct dev_swap_axes_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t row = row_of(i, a.D), b = row_of(row, a.A), from = (row - b * a.A) * a.B + b;

        put(a.type, a.y, i, get(a.type, a.x, from * a.D + i - row * a.D), a.accumulate);
    }
};

/* A thread adds a column of one batch element, in double as the reference does: rows are few. */
struct mean_axis {
    struct dev_mean_axis_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t b = row_of(i, a.D), at = b * a.L * a.D + i - b * a.D;
        double sum = 0.0;

        for (int64_t l = 0; l < a.L; l++)
            sum += (double) get(a.type, a.x, at + l * a.D);
        put(a.type, a.y, i, (float) (sum / (double) a.L), false);
    }
};

struct mean_axis_bwd {
    struct dev_mean_axis_bwd_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t row = row_of(i, a.D), b = row_of(row, a.L);

        put(a.type, a.dx, i, get(a.type, a.dy, b * a.D + i - row * a.D) / (float) a.L,
            a.accumulate);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_scale(struct dev *d, const struct dev_scale_args *a)
{
    for_each(d, "scale", a->n, scale{*a});
}

void dev_cuda_swap_axes(struct dev *d, const struct dev_swap_axes_args *a)
{
    for_each(d, "swap_axes", a->A * a->B * a->D, swap_axes{*a});
}

void dev_cuda_mean_axis(struct dev *d, const struct dev_mean_axis_args *a)
{
    for_each(d, "mean_axis", a->B * a->D, mean_axis{*a});
}

void dev_cuda_mean_axis_bwd(struct dev *d, const struct dev_mean_axis_bwd_args *a)
{
    for_each(d, "mean_axis_bwd", a->B * a->L * a->D, mean_axis_bwd{*a});
}

} /* extern "C" */
