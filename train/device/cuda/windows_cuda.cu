/*
 * train/device/cuda/windows_cuda.cu - windows of images cut out and put back: a value a thread.
 */
#include "train/device/cuda/dropped.cuh"
#define inline __host__ __device__ inline
extern "C" {
#include "train/device/window_range.h"
}
#undef inline

namespace
{

struct cut_windows {
    struct dev_cut_windows_args a;
    __device__ void operator()(int64_t n) const
    {
        const struct dev_windows &of = a.of;
        int64_t pixel = row_of(n, of.C), row = row_of(pixel, of.size[1]);
        int64_t window = row_of(row, of.size[0]), grid_row = row_of(window, of.columns);
        int64_t b = row_of(grid_row, of.rows);
        int64_t i = (grid_row - b * of.rows) * of.step[0] + of.first[0] + row - window * of.size[0];
        int64_t j = (window - grid_row * of.columns) * of.step[1] + of.first[1] + pixel -
                    row * of.size[1];
        bool inside = i >= 0 && i < of.H && j >= 0 && j < of.W;
        int64_t from = ((b * of.H + i) * of.W + j) * of.C + n - pixel * of.C;

        put(a.type, a.y, n, inside ? get(a.type, a.x, from) : 0.0f, a.accumulate);
    }
};

struct put_windows {
    struct dev_put_windows_args a;
    __device__ void operator()(int64_t n) const
    {
        const struct dev_windows &of = a.of;
        int64_t pixel = row_of(n, of.C), row = row_of(pixel, of.W), b = row_of(row, of.H);
        int64_t i = row - b * of.H, j = pixel - row * of.W;
        struct dev_window_range r =
            dev_windows_with(i, of.rows, of.step[0], of.first[0], of.size[0]);
        struct dev_window_range q =
            dev_windows_with(j, of.columns, of.step[1], of.first[1], of.size[1]);
        float sum = 0.0f;

        for (int64_t w = r.from; w < r.end; w++)
            for (int64_t v = q.from; v < q.end; v++) {
                int64_t window = (b * of.rows + w) * of.columns + v;
                int64_t at_row = window * of.size[0] + i - w * of.step[0] - of.first[0];
                int64_t at = at_row * of.size[1] + j - v * of.step[1] - of.first[1];

                sum += get(a.type, a.y, at * of.C + n - pixel * of.C);
            }
        put(a.type, a.x, n, sum, a.accumulate);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_cut_windows(struct dev *d, const struct dev_cut_windows_args *a)
{
    const struct dev_windows *of = &a->of;

    for_each(d, "cut_windows",
             of->B * of->rows * of->columns * of->size[0] * of->size[1] * of->C, cut_windows{*a});
}

void dev_cuda_put_windows(struct dev *d, const struct dev_put_windows_args *a)
{
    for_each(d, "put_windows", a->of.B * a->of.H * a->of.W * a->of.C, put_windows{*a});
}

} /* extern "C" */
