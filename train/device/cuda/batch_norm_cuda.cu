/*
 * train/device/cuda/batch_norm_cuda.cu - batch normalisation of x (rows,C).
 *
 * Moments read x twice: the mean, then squares of differences from it, so that what a column has in
 * common does not cancel.  Forward reads x (and the residual) and writes y: the least possible.
 * Backward reads x and dy twice, once for the sums of the columns and once for dx.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

namespace
{

struct mean_of {
    struct dev_batch_moments_args a;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        sum[0] += get(a.type, a.x, row * a.C + col);
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        a.mean[col] = sum[0] / (float) a.rows;
    }
};

struct variance_of {
    struct dev_batch_moments_args a;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        float t = get(a.type, a.x, row * a.C + col) - a.mean[col];

        sum[0] += t * t;
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        a.variance[col] = sum[0] / (float) a.rows;
    }
};

__device__ float reciprocal(const struct dev_batch_norm &a, int64_t c)
{
    return 1.0f / sqrtf(a.variance[c] + a.epsilon);
}

/* The result before residual and ReLU. */
__device__ float normalised(const struct dev_batch_norm &a, int64_t i, int64_t c)
{
    return (get(a.type, a.x, i) - a.mean[c]) * (reciprocal(a, c) * a.gamma[c]) + a.beta[c];
}

struct batch_norm {
    struct dev_batch_norm_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_batch_norm &a = args.of;
        float v = normalised(a, i, i - row_of(i, a.C) * a.C);

        v += a.residual ? get(a.type, a.residual, i) : 0.0f;
        put(a.type, args.y, i, a.relu && v < 0.0f ? 0.0f : v, false);
    }
};

/* dy where the ReLU let z through; z is computed again unless a residual was added to it. */
__device__ float before_relu(const struct dev_batch_norm_bwd_args &args, int64_t i, int64_t c)
{
    const struct dev_batch_norm &a = args.of;
    bool passes = !a.relu || (a.residual ? get(a.type, args.g.y, i) : normalised(a, i, c)) > 0.0f;

    return passes ? get(a.type, args.g.dy, i) : 0.0f;
}

struct grad_sums {
    struct dev_batch_norm_bwd_args args;
    float *sums; /* (2,C): of dz, of dz xhat */
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        const struct dev_batch_norm &a = args.of;
        int64_t i = row * a.C + col;
        float dz = before_relu(args, i, col);

        sum[0] += dz;
        sum[1] += dz * ((get(a.type, a.x, i) - a.mean[col]) * reciprocal(a, col));
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        sums[col] = sum[0];
        sums[args.of.C + col] = sum[1];
        put(&args.g.dbeta[col], sum[0], args.g.accumulate_beta);
        put(&args.g.dgamma[col], sum[1], args.g.accumulate_gamma);
    }
};

struct grad_x {
    struct dev_batch_norm_bwd_args args;
    const float *sums;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_batch_norm &a = args.of;
        int64_t c = i - row_of(i, a.C) * a.C;
        float dz = before_relu(args, i, c), rstd = reciprocal(a, c);
        float xhat = (get(a.type, a.x, i) - a.mean[c]) * rstd;
        float rest = (sums[c] + xhat * sums[a.C + c]) / (float) a.rows;

        if (args.g.dx)
            put(a.type, args.g.dx, i, (dz - rest) * rstd * a.gamma[c], args.g.accumulate_x);
        if (args.g.dresidual)
            put(a.type, args.g.dresidual, i, dz, args.g.accumulate_residual);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_batch_moments(struct dev *d, const struct dev_batch_moments_args *a)
{
    for_columns<1>(d, "batch_moments", a->rows, a->C, a->scratch, mean_of{*a});
    for_columns<1>(d, "batch_moments", a->rows, a->C, a->scratch, variance_of{*a});
}

void dev_cuda_batch_norm(struct dev *d, const struct dev_batch_norm_args *a)
{
    for_each(d, "batch_norm", a->of.rows * a->of.C, batch_norm{*a});
}

void dev_cuda_batch_norm_bwd(struct dev *d, const struct dev_batch_norm_bwd_args *a)
{
    float *sums = a->g.scratch, *partial = sums + 2 * a->of.C;

    for_columns<2>(d, "batch_norm_bwd", a->of.rows, a->of.C, partial, grad_sums{*a, sums});
    if (a->g.dx || a->g.dresidual)
        for_each(d, "batch_norm_bwd", a->of.rows * a->of.C, grad_x{*a, sums});
}

int64_t dev_cuda_batch_norm_scratch(int64_t rows, int64_t C)
{
    return 2 * C + columns_scratch(rows, C, 2);
}

} /* extern "C" */
