/*
 * train/device/cuda/pooling_cuda.cu - maxima and means over windows, and their gradients.
 *
 * A thread makes one value; those beside it read beside it.  Gradients are gathered: each pixel of
 * dx looks at the windows that see it, in their order, so nothing is added by two threads.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

struct place {
    int64_t b, row, column, c;
};

/* Of element i of images with `height` rows of `width` pixels. */
__device__ struct place place_of(int64_t i, int64_t height, int64_t width, int64_t C)
{
    int64_t pixel = row_of(i, C), row = row_of(pixel, width), b = row_of(row, height);

    return {b, row - b * height, pixel - row * width, i - pixel * C};
}

/* Taps [first, last) of a window that lie inside of the image, along one axis. */
struct span {
    int64_t first, last;
};

__device__ struct span inside(int64_t window, const struct dev_pool &a, int64_t before, int64_t end)
{
    int64_t at = window * a.stride - before;

    return {at < 0 ? -at : 0, end - at < a.size ? end - at : a.size};
}

/* Rows and columns are few: a division of 64 bits would be a call. */
__device__ int64_t divided(int64_t place, int64_t by)
{
    return (int64_t) ((uint32_t) place / (uint32_t) by);
}

/* Windows [first, last) that see a row or column. */
__device__ struct span seeing(int64_t at, const struct dev_pool &a, int64_t before, int64_t windows)
{
    int64_t low = at + before - a.size + 1, last = divided(at + before, a.stride) + 1;

    return {low <= 0 ? 0 : divided(low + a.stride - 1, a.stride), last < windows ? last : windows};
}

struct max_pool {
    struct dev_max_pool_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_pool &a = args.of;
        struct place at = place_of(i, a.Ho, a.Wo, a.C);
        struct span rows = inside(at.row, a, a.top, a.H),
                    columns = inside(at.column, a, a.left, a.W);
        float best = 0.0f;
        int32_t tap = -1;

        for (int64_t u = rows.first; u < rows.last; u++)
            for (int64_t v = columns.first; v < columns.last; v++) {
                int64_t row = at.row * a.stride - a.top + u;
                int64_t column = at.column * a.stride - a.left + v;
                float x = get(a.type, args.x, ((at.b * a.H + row) * a.W + column) * a.C + at.c);

                if (tap < 0 || x > best || x != x) {
                    best = x;
                    tap = (int32_t) (u * a.size + v);
                }
            }
        put(a.type, args.y, i, best, false);
        if (args.argmax)
            args.argmax[i] = tap;
    }
};

struct max_pool_bwd {
    struct dev_max_pool_bwd_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_pool &a = args.of;
        struct place at = place_of(i, a.H, a.W, a.C);
        struct span rows = seeing(at.row, a, a.top, a.Ho),
                    columns = seeing(at.column, a, a.left, a.Wo);
        float sum = 0.0f;

        for (int64_t r = rows.first; r < rows.last; r++)
            for (int64_t q = columns.first; q < columns.last; q++) {
                int64_t k = ((at.b * a.Ho + r) * a.Wo + q) * a.C + at.c;
                int64_t tap =
                    (at.row - r * a.stride + a.top) * a.size + at.column - q * a.stride + a.left;

                if (args.argmax[k] == tap)
                    sum += get(a.type, args.dy, k);
            }
        put(a.type, args.dx, i, sum, args.accumulate);
    }
};

/* Pixels of window (r, q) inside of the image. */
__device__ float count(const struct dev_pool &a, int64_t r, int64_t q)
{
    struct span rows = inside(r, a, a.top, a.H), columns = inside(q, a, a.left, a.W);

    return (float) ((rows.last - rows.first) * (columns.last - columns.first));
}

struct avg_pool {
    struct dev_avg_pool_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_pool &a = args.of;
        struct place at = place_of(i, a.Ho, a.Wo, a.C);
        struct span rows = inside(at.row, a, a.top, a.H),
                    columns = inside(at.column, a, a.left, a.W);
        float sum = 0.0f;

        for (int64_t u = rows.first; u < rows.last; u++)
            for (int64_t v = columns.first; v < columns.last; v++) {
                int64_t row = at.row * a.stride - a.top + u;
                int64_t column = at.column * a.stride - a.left + v;

                sum += get(a.type, args.x, ((at.b * a.H + row) * a.W + column) * a.C + at.c);
            }
        put(a.type, args.y, i, sum / count(a, at.row, at.column), false);
    }
};

struct avg_pool_bwd {
    struct dev_avg_pool_bwd_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_pool &a = args.of;
        struct place at = place_of(i, a.H, a.W, a.C);
        struct span rows = seeing(at.row, a, a.top, a.Ho),
                    columns = seeing(at.column, a, a.left, a.Wo);
        float sum = 0.0f;

        for (int64_t r = rows.first; r < rows.last; r++)
            for (int64_t q = columns.first; q < columns.last; q++)
                sum += get(a.type, args.dy, ((at.b * a.Ho + r) * a.Wo + q) * a.C + at.c) /
                       count(a, r, q);
        put(a.type, args.dx, i, sum, args.accumulate);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_max_pool(struct dev *d, const struct dev_max_pool_args *a)
{
    for_each(d, "max_pool", a->of.B * a->of.Ho * a->of.Wo * a->of.C, max_pool{*a});
}

void dev_cuda_max_pool_bwd(struct dev *d, const struct dev_max_pool_bwd_args *a)
{
    for_each(d, "max_pool_bwd", a->of.B * a->of.H * a->of.W * a->of.C, max_pool_bwd{*a});
}

void dev_cuda_avg_pool(struct dev *d, const struct dev_avg_pool_args *a)
{
    for_each(d, "avg_pool", a->of.B * a->of.Ho * a->of.Wo * a->of.C, avg_pool{*a});
}

void dev_cuda_avg_pool_bwd(struct dev *d, const struct dev_avg_pool_bwd_args *a)
{
    for_each(d, "avg_pool_bwd", a->of.B * a->of.H * a->of.W * a->of.C, avg_pool_bwd{*a});
}

} /* extern "C" */
