/*
 * train/device/cuda/halt_cuda.cu - adaptive computation time (struct dev_halt): a warp a row, whose
 * lanes all decide the same and take every 32nd value.
 */
#include "train/device/cuda/launch.cuh"

#define inline __host__ __device__ inline
extern "C" {
#include "train/device/halt_row.h"
}
#undef inline

namespace
{

enum { ROWS = DEV_CUDA_BLOCK / DEV_CUDA_WARP }; /* of a block */

__device__ float mixed_at(const struct dev_halt &a, int64_t i)
{
    return a.mixed ? get(a.type, a.mixed, i) : 0.0f;
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) halt(struct dev_halt a)
{
    int64_t r = (int64_t) blockIdx.x * ROWS + threadIdx.x / DEV_CUDA_WARP;
    int64_t lane = threadIdx.x % DEV_CUDA_WARP;

    if (r >= a.rows)
        return;
    struct dev_halted now = dev_halt_row(&a, r);
    float rest = a.accumulated ? 1.0f : 1.0f - now.w;

    for (int64_t i = r * a.D + lane; i < (r + 1) * a.D; i += DEV_CUDA_WARP)
        put(a.type, a.y, i, now.w * get(a.type, a.x, i) + rest * mixed_at(a, i), false);
    if (lane < 3)
        a.next[3 * r + lane] = now.state[lane];
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) halt_bwd(struct dev_halt a)
{
    int64_t r = (int64_t) blockIdx.x * ROWS + threadIdx.x / DEV_CUDA_WARP;
    int64_t lane = threadIdx.x % DEV_CUDA_WARP;
    float dw = 0.0f, dlogit, dstate[3] = {0.0f, 0.0f, 0.0f};

    if (r >= a.rows)
        return;
    struct dev_halted now = dev_halt_row(&a, r);
    float rest = a.accumulated ? 1.0f : 1.0f - now.w;

    for (int64_t i = r * a.D + lane; i < (r + 1) * a.D; i += DEV_CUDA_WARP) {
        float dy = get(a.type, a.dy, i);

        dw += dy * (get(a.type, a.x, i) - (a.accumulated ? 0.0f : mixed_at(a, i)));
        put(a.type, a.dx, i, now.w * dy, a.accumulate_x);
        if (a.dmixed)
            put(a.type, a.dmixed, i, rest * dy, a.accumulate_mixed);
    }
    dw = warp_sum(dw);
    dev_halt_row_bwd(&a, r, now, dw, &dlogit, &dstate[0], &dstate[1]);
    if (lane == 0)
        put(&a.dlogits[r], dlogit, a.accumulate_logits);
    if (a.dstate && lane < 3)
        put(&a.dstate[3 * r + lane], dstate[lane], a.accumulate_state);
}

/* One block: rows are some thousand. */
__global__ void __launch_bounds__(DEV_CUDA_BLOCK) ponder(struct dev_ponder_args a)
{
    DEV_SHARED(double, parts, [DEV_CUDA_WARP]);
    double sum = 0.0;

    for (int64_t r = threadIdx.x; r < a.rows; r += blockDim.x)
        for (int64_t i = a.first; i < a.first + a.n; i++)
            sum += (double) a.state[a.columns * r + i];
    sum = block_sum(sum, parts);
    if (threadIdx.x == 0)
        a.sums->ponder += (double) a.weight * sum;
}

struct ponder_bwd {
    struct dev_ponder_bwd_args a;
    __device__ void operator()(int64_t i) const
    {
        float each = a.weight * a.step->loss_scale / (float) a.step->all_rows;

        put(&a.dstate[i], i % 3 == 1 ? each : 0.0f, a.accumulate);
    }
};

} /* namespace */

extern "C" void dev_cuda_halt(struct dev *d, const struct dev_halt *a)
{
    if (a->rows > 0)
        LAUNCH(d, "halt", halt, (unsigned) div_up(a->rows, ROWS), DEV_CUDA_BLOCK, 0, *a);
}

extern "C" void dev_cuda_halt_bwd(struct dev *d, const struct dev_halt *a)
{
    if (a->rows > 0)
        LAUNCH(d, "halt_bwd", halt_bwd, (unsigned) div_up(a->rows, ROWS), DEV_CUDA_BLOCK, 0, *a);
}

extern "C" void dev_cuda_ponder(struct dev *d, const struct dev_ponder_args *a)
{
    LAUNCH(d, "ponder", ponder, 1, DEV_CUDA_BLOCK, 0, *a);
}

extern "C" void dev_cuda_ponder_bwd(struct dev *d, const struct dev_ponder_bwd_args *a)
{
    for_each(d, "ponder_bwd", 3 * a->rows, ponder_bwd{*a});
}
