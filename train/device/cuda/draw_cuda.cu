/*
 * train/device/cuda/draw_cuda.cu - what a step draws beside dropout masks (draw_bits.h): each
 * number by one thread, from its place in the stream.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

struct draw_keep {
    struct dev_draw_keep_args a;
    float kept; /* 1 / (1 - rate) */
    __device__ void operator()(int64_t r) const
    {
        const struct dev_step *s = a.step;
        uint64_t row = (uint64_t) (s->first_row + r);

        a.out[r] = dev_draw_uniform_double(s, s->branch_key, a.number, row) < a.rate ? 0.0f : kept;
    }
};

struct draw_share {
    struct dev_draw_share_args a;
    __device__ float share_of(int64_t r, uint32_t branch) const
    {
        return a.given ? a.given[branch * a.rows + r]
                       : dev_draw_uniform(a.step, a.step->branch_key, a.set * a.branches + branch,
                                          (uint64_t) (a.step->first_row + r));
    }
    __device__ void operator()(int64_t r) const
    {
        float sum = 0.0f;

        for (uint32_t b = 0; b < a.branches; b++)
            sum += share_of(r, b);
        a.out[r] = sum > 0.0f ? share_of(r, a.branch) / sum : 1.0f / (float) a.branches;
    }
};

struct drop_ids {
    struct dev_drop_ids_args a;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_step *s = a.step;
        uint64_t number = (uint64_t) s->first_row * (uint64_t) a.cols + (uint64_t) i;

        if (dev_draw_uniform_double(s, s->symbol_key, a.number, number) >= 1.0 - a.rate)
            a.ids[i] = 0;
    }
};

struct add_normal {
    struct dev_add_normal_args a;
    __device__ void operator()(int64_t i) const
    {
        float x = a.x ? get(a.type, a.x, i) : 0.0f;

        put(a.type, a.y, i, x + get(a.type, a.s, i) * dev_normal_of(&a, i), a.accumulate);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_draw_keep(struct dev *d, const struct dev_draw_keep_args *a)
{
    for_each(d, "draw_keep", a->rows, draw_keep{*a, (float) (1.0 / (1.0 - a->rate))});
}

void dev_cuda_draw_share(struct dev *d, const struct dev_draw_share_args *a)
{
    for_each(d, "draw_share", a->rows, draw_share{*a});
}

void dev_cuda_drop_ids(struct dev *d, const struct dev_drop_ids_args *a)
{
    for_each(d, "drop_ids", a->rows * a->cols, drop_ids{*a});
}

void dev_cuda_add_normal(struct dev *d, const struct dev_add_normal_args *a)
{
    for_each(d, "add_normal", a->rows * a->cols, add_normal{*a});
}

} /* extern "C" */
