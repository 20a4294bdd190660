/*
 * train/device/cuda/layer_norm_cuda.cu - layer normalisation, a warp a row.
 *
 * Forward reads x once from memory (again from the cache: a row of 1024 is 4 KiB) and writes y: the
 * least possible.  Backward reads x and dy once for dx and once more for the sums over the rows, 5
 * passes over (rows,D) where 3 are the least.  Behind a residual connection the warp first makes
 * its row of the sum, 4 passes where two kernels had 5, and in the backward pass hands the gradient
 * on to both parts of it, 7 where three had 10.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

enum { ROWS_A_BLOCK = DEV_CUDA_BLOCK / DEV_CUDA_WARP };

namespace
{

/* The warp's row of x + dropout(y). */
static __device__ __forceinline__ void sum_row(const struct dev_residual_args &s, int64_t row)
{
    int64_t at = row * s.cols;
    bool alone = s.row_ids && s.row_ids[row] == 0;

    row_dropped(&s.dropout, at, s.cols, [&](int64_t c, float factor) {
        float x = get(s.type, s.x, at + c);

        put(s.type, s.out, at + c, alone ? x : x + get(s.type, s.y, at + c) * factor, false);
    });
    __syncwarp(); /* what other lanes have written is read now */
}

/* Mean, then squares of differences: no cancellation. */
template <bool OF_SUM>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK) normalise(struct dev_layer_norm_args a)
{
    int64_t row = (int64_t) blockIdx.x * ROWS_A_BLOCK + threadIdx.x / DEV_CUDA_WARP;
    int lane = (int) threadIdx.x % DEV_CUDA_WARP;
    int64_t at = row * a.D;
    float mean = 0.0f, squares = 0.0f, rstd;

    if (row >= a.rows)
        return;
    if (OF_SUM)
        sum_row(a.sum, row);
    for (int64_t c = lane; c < a.D; c += DEV_CUDA_WARP)
        mean += get(a.type, a.x, at + c);
    mean = warp_sum(mean) / (float) a.D;
    for (int64_t c = lane; c < a.D; c += DEV_CUDA_WARP) {
        float t = get(a.type, a.x, at + c) - mean;

        squares += t * t;
    }
    rstd = 1.0f / sqrtf(warp_sum(squares) / (float) a.D + a.eps);
    for (int64_t c = lane; c < a.D; c += DEV_CUDA_WARP)
        put(a.type, a.y, at + c, (get(a.type, a.x, at + c) - mean) * rstd * a.scale[c] + a.bias[c],
            false);
    if (lane == 0) {
        a.stats[2 * row] = mean;
        a.stats[2 * row + 1] = rstd;
    }
}

/* Element i of a sum's gradient: rounded as if it were stored, and handed on. */
static __device__ __forceinline__ void sum_gradient(const struct dev_layer_norm_bwd_args &a,
                                                    int64_t i, bool alone, float factor,
                                                    float gradient)
{
    const struct dev_residual_bwd_args &s = a.sum;
    uint32_t stored;

    if (s.dout)
        gradient += get(a.type, s.dout, i);
    dev_put(a.type, &stored, 0, gradient);
    gradient = get(a.type, &stored, 0);
    if (a.dx)
        put(a.type, a.dx, i, gradient, a.accumulate_x);
    if (s.dy)
        put(a.type, s.dy, i, alone ? 0.0f : gradient * factor, s.accumulate);
}

/* dx = rstd (g - mean of g - xhat mean of g xhat), g = dy scale */
template <bool OF_SUM>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK) gradient(struct dev_layer_norm_bwd_args a)
{
    int64_t row = (int64_t) blockIdx.x * ROWS_A_BLOCK + threadIdx.x / DEV_CUDA_WARP;
    int lane = (int) threadIdx.x % DEV_CUDA_WARP;
    int64_t at = row * a.D;
    float g_mean = 0.0f, gx_mean = 0.0f, mean, rstd;

    if (row >= a.rows)
        return;
    mean = a.stats[2 * row];
    rstd = a.stats[2 * row + 1];
    for (int64_t c = lane; c < a.D; c += DEV_CUDA_WARP) {
        float g = get(a.type, a.dy, at + c) * a.scale[c];

        g_mean += g;
        gx_mean += g * (get(a.type, a.x, at + c) - mean) * rstd;
    }
    g_mean = warp_sum(g_mean) / (float) a.D;
    gx_mean = warp_sum(gx_mean) / (float) a.D;
    auto gradient_of = [&](int64_t c) {
        float xhat = (get(a.type, a.x, at + c) - mean) * rstd;

        return rstd * (get(a.type, a.dy, at + c) * a.scale[c] - g_mean - xhat * gx_mean);
    };
    if (OF_SUM) {
        bool alone = a.sum.row_ids && a.sum.row_ids[row] == 0;

        row_dropped(&a.sum.dropout, at, a.D, [&](int64_t c, float factor) {
            sum_gradient(a, at + c, alone, factor, gradient_of(c));
        });
    } else {
        for (int64_t c = lane; c < a.D; c += DEV_CUDA_WARP)
            put(a.type, a.dx, at + c, gradient_of(c), a.accumulate_x);
    }
}

struct param_grads {
    struct dev_layer_norm_bwd_args a;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        int64_t at = row * a.D + col;
        float dy = get(a.type, a.dy, at);

        sum[0] += dy * (get(a.type, a.x, at) - a.stats[2 * row]) * a.stats[2 * row + 1];
        sum[1] += dy;
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        put(&a.dscale[col], sum[0], a.accumulate_scale);
        put(&a.dbias[col], sum[1], a.accumulate_bias);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_layer_norm(struct dev *d, const struct dev_layer_norm_args *a)
{
    unsigned grid = (unsigned) div_up(a->rows, ROWS_A_BLOCK);

    if (a->rows > 0 && a->of_sum)
        LAUNCH(d, "layer_norm of a sum", normalise<true>, grid, DEV_CUDA_BLOCK, 0, *a);
    else if (a->rows > 0)
        LAUNCH(d, "layer_norm", normalise<false>, grid, DEV_CUDA_BLOCK, 0, *a);
}

void dev_cuda_layer_norm_bwd(struct dev *d, const struct dev_layer_norm_bwd_args *a)
{
    unsigned grid = (unsigned) div_up(a->rows, ROWS_A_BLOCK);

    if (a->rows > 0 && a->of_sum)
        LAUNCH(d, "layer_norm_bwd of a sum", gradient<true>, grid, DEV_CUDA_BLOCK, 0, *a);
    else if (a->rows > 0)
        LAUNCH(d, "layer_norm_bwd", gradient<false>, grid, DEV_CUDA_BLOCK, 0, *a);
    for_columns<2>(d, "layer_norm_bwd", a->rows, a->D, a->scratch, param_grads{*a});
}

int64_t dev_cuda_layer_norm_scratch(int64_t rows, int64_t D)
{
    return columns_scratch(rows, D, 2);
}

} /* extern "C" */
