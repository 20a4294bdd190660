/*
 * train/device/cuda/elementwise_cuda.cu - kernels that pass once over memory: each value is read
 * once and written once, which is the least possible, so their time is that of the memory.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

/* ---- activations ---- */

namespace
{

struct relu_bwd {
    struct dev_relu_bwd_args a;
    __device__ void operator()(int64_t i) const
    {
        float y = get(a.type, a.y, i);
        bool passes = y > 0.0f && !(a.most > 0.0f && y >= a.most);

        put(a.type, a.dx, i, passes ? get(a.type, a.dy, i) * a.scale : 0.0f, false);
    }
};

/* Not max(x, 0), which drops NaN. */
struct relu {
    struct dev_relu_args a;
    __device__ void operator()(int64_t i) const
    {
        float x = get(a.type, a.x, i);

        x = a.most > 0.0f && x > a.most ? a.most : x;
        put(a.type, a.y, i, x < 0.0f ? 0.0f : x, false);
    }
};

/* 1/2 (1 + tanh(u)) = 1 / (1 + e^-2u): GELU is x times this. */
__device__ float gate(float x)
{
    return 1.0f / (1.0f + expf(-2.0f * GELU_SLOPE * (x + GELU_CUBE * x * x * x)));
}

struct gelu {
    struct dev_gelu_args a;
    __device__ void operator()(int64_t i) const
    {
        float x = get(a.type, a.x, i);

        put(a.type, a.y, i, x * gate(x), false);
    }
};

/* d/dx (x s) = s + x s (1 - s) 2 u'. */
struct gelu_bwd {
    struct dev_gelu_bwd_args a;
    __device__ void operator()(int64_t i) const
    {
        float x = get(a.type, a.x, i), s = gate(x);
        float inner = 2.0f * GELU_SLOPE * (1.0f + 3.0f * GELU_CUBE * x * x);

        put(a.type, a.dx, i, get(a.type, a.dy, i) * (s + x * s * (1.0f - s) * inner), a.accumulate);
    }
};

struct hyperbolic {
    struct dev_tanh_args a;
    __device__ void operator()(int64_t i) const
    {
        a.y[i] = tanhf(a.x[i]);
    }
};

struct hyperbolic_bwd {
    struct dev_tanh_bwd_args a;
    __device__ void operator()(int64_t i) const
    {
        a.dx[i] = (a.accumulate ? a.dx[i] : 0.0f) + a.dy[i] * (1.0f - a.y[i] * a.y[i]);
    }
};

/* ---- sums ---- */

struct copy {
    struct dev_copy_args a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type, a.y, i, get(a.type, a.x, i), a.accumulate);
    }
};

struct convert {
    struct dev_convert_args a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type_y, a.y, i, dev_get(a.type_x, a.x, i), a.accumulate);
    }
};

struct scale_rows {
    struct dev_scale_rows_args a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type, a.y, i, a.factors[row_of(i, a.cols)] * get(a.type, a.x, i), a.accumulate);
    }
};

struct blend {
    struct dev_blend_args a;
    __device__ void operator()(int64_t i) const
    {
        a.y[i] = a.keep * a.y[i] + a.take * a.x[i];
    }
};

struct col_sum {
    struct dev_col_sum_args a;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        sum[0] += get(a.type, a.x, row * a.cols + col);
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        put(&a.out[col], sum[0], a.accumulate);
    }
};

/* ---- dropout ---- */

struct dropout {
    struct dev_dropout_args a;
    __device__ void operator()(int64_t i, float factor) const
    {
        put(a.type, a.y, i, get(a.type, a.x, i) * factor, a.accumulate);
    }
};

struct residual {
    struct dev_residual_args a;
    __device__ void operator()(int64_t i, float factor) const
    {
        bool alone = a.row_ids && a.row_ids[row_of(i, a.cols)] == 0;

        float x = get(a.type, a.x, i);

        put(a.type, a.out, i, alone ? x : x + get(a.type, a.y, i) * factor, false);
    }
};

struct residual_bwd {
    struct dev_residual_bwd_args a;
    __device__ void operator()(int64_t i, float factor) const
    {
        bool alone = a.row_ids && a.row_ids[row_of(i, a.cols)] == 0;

        put(a.type, a.dy, i, alone ? 0.0f : get(a.type, a.dout, i) * factor, a.accumulate);
    }
};

/* ---- decoding ---- */

struct cache_put {
    struct dev_cache_put_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t b = row_of(i, a.D);

        put(a.type, a.cache, (b * a.cache_rows + dev_position_of(a.at_step, b)) * a.D + i - b * a.D,
            get(a.type, a.x, i), false);
    }
};

/* Rows beyond the position keep what they have. */
struct cache_index {
    struct dev_cache_index_args a;
    __device__ void operator()(int64_t i) const
    {
        int64_t b = row_of(i, a.cache_rows), r = i - b * a.cache_rows;
        int64_t before = dev_position_of(a.at_step, b) * a.step_rows;
        int64_t size = a.B * a.cache_rows, turn = a.at_step->position % 2;

        if (r >= before + a.step_rows)
            return;
        a.tables[turn * size + i] =
            r >= before ? (int32_t) b
                        : a.tables[(1 - turn) * size + a.origins[b] * a.cache_rows + r];
    }
};

__global__ void put_step(struct dev_step value, struct dev_step *to)
{
    *to = value;
}

struct sum {
    const float *x, *y;
    float *to;
    __device__ void operator()(int64_t i) const
    {
        to[i] = y ? x[i] + y[i] : x[i];
    }
};

} /* namespace */

extern "C" {

void dev_cuda_sum_on(struct dev *d, enum dev_queue queue, const float *x, const float *y, int64_t n,
                     float *to)
{
    sum f = {x, y, to};

    if (n == 0)
        return;
    DEV_CUDA_LAUNCH("sum", each_element<sum>, dim3(grid_for(d, n, DEV_CUDA_BLOCK)),
                    dim3(DEV_CUDA_BLOCK), 0, dev_cuda_of(d)->streams[queue], n, f);
    dev_cuda_ok(d, cudaGetLastError(), "launch");
}

void dev_cuda_relu_bwd(struct dev *d, const struct dev_relu_bwd_args *a)
{
    for_each(d, "relu_bwd", a->n, relu_bwd{*a});
}

void dev_cuda_relu(struct dev *d, const struct dev_relu_args *a)
{
    for_each(d, "relu", a->n, relu{*a});
}

void dev_cuda_gelu(struct dev *d, const struct dev_gelu_args *a)
{
    for_each(d, "gelu", a->n, gelu{*a});
}

void dev_cuda_gelu_bwd(struct dev *d, const struct dev_gelu_bwd_args *a)
{
    for_each(d, "gelu_bwd", a->n, gelu_bwd{*a});
}

void dev_cuda_tanh(struct dev *d, const struct dev_tanh_args *a)
{
    for_each(d, "tanh", a->n, hyperbolic{*a});
}

void dev_cuda_tanh_bwd(struct dev *d, const struct dev_tanh_bwd_args *a)
{
    for_each(d, "tanh_bwd", a->n, hyperbolic_bwd{*a});
}

void dev_cuda_copy(struct dev *d, const struct dev_copy_args *a)
{
    for_each(d, "copy", a->n, copy{*a});
}

void dev_cuda_convert(struct dev *d, const struct dev_convert_args *a)
{
    for_each(d, "convert", a->n, convert{*a});
}

void dev_cuda_scale_rows(struct dev *d, const struct dev_scale_rows_args *a)
{
    for_each(d, "scale_rows", a->rows * a->cols, scale_rows{*a});
}

void dev_cuda_blend(struct dev *d, const struct dev_blend_args *a)
{
    for_each(d, "blend", a->n, blend{*a});
}

void dev_cuda_col_sum(struct dev *d, const struct dev_col_sum_args *a)
{
    for_columns<1>(d, "col_sum", a->rows, a->cols, a->scratch, col_sum{*a});
}

int64_t dev_cuda_col_sum_scratch(int64_t rows, int64_t cols)
{
    return columns_scratch(rows, cols, 1);
}

void dev_cuda_dropout(struct dev *d, const struct dev_dropout_args *a)
{
    for_each_dropped(d, "dropout", a->n, &a->dropout, dropout{*a});
}

void dev_cuda_residual(struct dev *d, const struct dev_residual_args *a)
{
    for_each_dropped(d, "residual", a->rows * a->cols, &a->dropout, residual{*a});
}

void dev_cuda_residual_bwd(struct dev *d, const struct dev_residual_bwd_args *a)
{
    for_each_dropped(d, "residual_bwd", a->rows * a->cols, &a->dropout, residual_bwd{*a});
}

void dev_cuda_cache_put(struct dev *d, const struct dev_cache_put_args *a)
{
    for_each(d, "cache_put", a->B * a->D, cache_put{*a});
}

void dev_cuda_cache_index(struct dev *d, const struct dev_cache_index_args *a)
{
    for_each(d, "cache_index", a->B * a->cache_rows, cache_index{*a});
}

void dev_cuda_set_step(struct dev *d, const struct dev_set_step_args *a)
{
    LAUNCH(d, "set_step", put_step, 1, 1, 0, a->value, a->to);
}

} /* extern "C" */
