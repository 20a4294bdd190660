/*
 * train/device/cuda/conv_cuda.cu - convolutions along positions (struct dev_unfold, struct
 * dev_depthwise).
 *
 * unfold writes each value of x taps times, which its form asks for; the others read x and dy taps
 * times, from the cache but for the first time.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

namespace
{

/* The row of x that tap t of position (b,l) reads; negative where it reads zeros. */
__device__ int64_t row_read(const struct dev_unfold &a, int64_t b, int64_t l, int64_t t)
{
    int64_t row = a.at + l + (t ? a.first + t : 0);

    if (row < 0 || row >= a.at + a.L || (a.row_ids && a.row_ids[b * a.L + row] == 0))
        return -1;
    return dev_cache_element(a.cache_index, a.x_rows, b, b, row) * a.x_rows + row;
}

struct unfold {
    struct dev_unfold_args args;
    __device__ void operator()(int64_t i) const
    {
        int64_t place = row_of(i, args.of.D), position = row_of(place, args.of.taps);
        int64_t b = row_of(position, args.of.L);
        struct dev_unfold a = dev_unfold_now(&args.of, b);
        int64_t row = row_read(a, b, position - b * a.L, place - position * a.taps);

        put(a.type, args.out, i,
            row < 0 ? 0.0f : get(a.type, a.x, row * a.D + i - place * a.D) * a.scale, false);
    }
};

/* Each row of x gathers from the positions whose taps read it. */
struct unfold_bwd {
    struct dev_unfold_bwd_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_unfold &a = args.of;
        int64_t at = row_of(i, a.D), c = i - at * a.D, b = row_of(at, a.L), row = at - b * a.L;
        float sum = 0.0f;

        for (int64_t t = 0; t < a.taps; t++) {
            int64_t l = row - (t ? a.first + t : 0);

            if (l >= 0 && l < a.L && row_read(a, b, l, t) >= 0)
                sum += get(a.type, args.dout, ((b * a.L + l) * a.taps + t) * a.D + c) * a.scale;
        }
        put(a.type, args.dx, i, sum, args.accumulate);
    }
};

struct depthwise {
    struct dev_depthwise_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_depthwise &a = args.of;
        int64_t at = row_of(i, a.C), c = i - at * a.C, l = at - row_of(at, a.L) * a.L;
        float sum = 0.0f;

        for (int64_t t = 0; t < a.taps; t++)
            if (l - (a.taps - 1) + t >= 0)
                sum += get(a.type, a.x, i + (t - (a.taps - 1)) * a.C) * a.w[t * a.C + c];
        put(a.type, args.y, i, sum, false);
    }
};

struct depthwise_dx {
    struct dev_depthwise_bwd_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_depthwise &a = args.of;
        int64_t at = row_of(i, a.C), c = i - at * a.C, l = at - row_of(at, a.L) * a.L;
        float sum = 0.0f;

        for (int64_t t = 0; t < a.taps; t++)
            if (l + (a.taps - 1) - t < a.L)
                sum += get(a.type, args.dy, i + (a.taps - 1 - t) * a.C) * a.w[t * a.C + c];
        put(a.type, args.dx, i, sum, args.accumulate_x);
    }
};

/* dw (taps,C) as sums over all positions. */
struct depthwise_dw {
    struct dev_depthwise_bwd_args args;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        const struct dev_depthwise &a = args.of;
        int64_t t = row_of(col, a.C), c = col - t * a.C, l = row - row_of(row, a.L) * a.L;

        if (l - (a.taps - 1) + t >= 0)
            sum[0] += get(a.type, args.dy, row * a.C + c) *
                      get(a.type, a.x, (row - (a.taps - 1) + t) * a.C + c);
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        put(&args.dw[col], sum[0], args.accumulate_w);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_unfold(struct dev *d, const struct dev_unfold_args *a)
{
    for_each(d, "unfold", a->of.B * a->of.L * a->of.taps * a->of.D, unfold{*a});
}

void dev_cuda_unfold_bwd(struct dev *d, const struct dev_unfold_bwd_args *a)
{
    for_each(d, "unfold_bwd", a->of.B * a->of.L * a->of.D, unfold_bwd{*a});
}

void dev_cuda_depthwise(struct dev *d, const struct dev_depthwise_args *a)
{
    for_each(d, "depthwise", a->of.B * a->of.L * a->of.C, depthwise{*a});
}

void dev_cuda_depthwise_bwd(struct dev *d, const struct dev_depthwise_bwd_args *a)
{
    int64_t rows = a->of.B * a->of.L, cols = a->of.taps * a->of.C;
    float *partial = (float *) dev_cuda_workspace(d, (size_t) columns_scratch(rows, cols, 1) * 4);

    for_each(d, "depthwise_bwd", rows * a->of.C, depthwise_dx{*a});
    for_columns<1>(d, "depthwise_bwd", rows, cols, partial, depthwise_dw{*a});
}

} /* extern "C" */
