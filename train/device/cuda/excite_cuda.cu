/*
 * train/device/cuda/excite_cuda.cu - channels of images weighted: y (B,P,C) = x s(gate
 * (B,C)).  Forward reads x and writes y once; backward reads x and dy twice, once for each of the
 * two gradients.
 */
#include "train/device/cuda/dropped.cuh"

namespace
{

__device__ float gate_at(const struct dev_excite &a, float x)
{
    float up = x + 3.0f;

    if (a.slope > 0.0f)
        return a.slope * (up < 0.0f ? 0.0f : up > 6.0f ? 6.0f : up);
    return 1.0f / (1.0f + expf(-x));
}

/* d gate / dx; the hard one is steep where it is neither 0 nor 6 times its slope. */
__device__ float steepness(const struct dev_excite &a, float s)
{
    if (a.slope > 0.0f)
        return s > 0.0f && s < 6.0f * a.slope ? a.slope : 0.0f;
    return s * (1.0f - s);
}

__device__ float gate_of(const struct dev_excite &a, int64_t i)
{
    int64_t pixel = row_of(i, a.C), b = row_of(pixel, a.P);

    return gate_at(a, get(a.type, a.gate, b * a.C + i - pixel * a.C));
}

struct excite {
    struct dev_excite a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type, a.y, i, get(a.type, a.x, i) * gate_of(a, i), false);
    }
};

struct excite_dx {
    struct dev_excite a;
    __device__ void operator()(int64_t i) const
    {
        put(a.type, a.dx, i, get(a.type, a.dy, i) * gate_of(a, i), a.accumulate_dx);
    }
};

/* A thread for each (b, c): pixels in their order, neighbours read neighbours. */
struct excite_dgate {
    struct dev_excite a;
    __device__ void operator()(int64_t i) const
    {
        int64_t b = row_of(i, a.C), at = b * a.P * a.C + i - b * a.C;
        float s = gate_at(a, get(a.type, a.gate, i));
        double sum = 0.0;

        for (int64_t p = 0; p < a.P; p++)
            sum +=
                (double) get(a.type, a.x, at + p * a.C) * (double) get(a.type, a.dy, at + p * a.C);
        put(a.type, a.dgate, i, (float) (sum * (double) steepness(a, s)), a.accumulate_dgate);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_excite(struct dev *d, const struct dev_excite *a)
{
    for_each(d, "excite", a->B * a->P * a->C, excite{*a});
}

void dev_cuda_excite_bwd(struct dev *d, const struct dev_excite *a)
{
    for_each(d, "excite_bwd", a->B * a->C, excite_dgate{*a});
    for_each(d, "excite_bwd", a->B * a->P * a->C, excite_dx{*a});
}

} /* extern "C" */
