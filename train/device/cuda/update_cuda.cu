/*
 * train/device/cuda/update_cuda.cu - the update rules: a block of each piece's eight takes an
 * eighth of it.  Gradient, value and slots are read once and the last two written once: the least
 * possible.
 *
 * Compiled without fused multiply-adds, so that a rule's products and sums are rounded one by one
 * as on the host: the bits are the reference's.
 */
#include "train/device/cuda/launch.cuh"

extern "C" {
#include "train/device/rules/eighth_power.h"
#include "train/device/rules/rules.h"
}

namespace
{

enum { PER_PIECE = 8 };

/* The first element of a block's share of a piece, and its step. */
__device__ int64_t first_element()
{
    return (int64_t) (blockIdx.x % PER_PIECE) * blockDim.x + threadIdx.x;
}

__device__ int64_t element_step()
{
    return (int64_t) PER_PIECE * blockDim.x;
}

unsigned blocks(int64_t n_pieces)
{
    return (unsigned) (n_pieces * PER_PIECE);
}

template <int N, class Rule>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK) update(struct dev_update a, Rule rule)
{
    const struct dev_piece p = a.pieces[blockIdx.x / PER_PIECE];
    const struct dev_rule c = dev_rule_of(&a, &p);
    float scale = a.step->scale;

    if (!a.step->finite)
        return;
    for (int64_t i = first_element(); i < p.n; i += element_step()) {
        int64_t at = p.offset + i;
        struct dev_element e;

        e.g = a.grads[at] * scale;
        e.x = a.values[at];
        DEV_UNROLL
        for (int s = 0; s < DEV_MAX_SLOTS; s++)
            e.slot[s] = s < N ? a.slots[s][at] : 0.0f;
        rule(&c, &e);
        a.values[at] = e.x;
        if (a.rounded)
            dev_put(a.rounded_type, a.rounded, at, e.x);
        DEV_UNROLL
        for (int s = 0; s < N; s++)
            a.slots[s][at] = e.slot[s];
    }
}

#define KERNEL(name, args)
#define UPDATE(name, n_slots)                                                                      \
    struct rule_##name {                                                                           \
        __device__ void operator()(const struct dev_rule *c, struct dev_element *e) const          \
        {                                                                                          \
            dev_rule_##name(c, e);                                                                 \
        }                                                                                          \
    };
#include "train/device/kernels.def"

struct encode {
    struct dev_encode_weights_args a;
    __device__ bool acts() const
    {
        return a.step->finite != 0;
    }
    __device__ void operator()(int64_t at) const
    {
        a.values[at] = dev_eighth_power(a.values[at], a.step->numbers[DEV_ENCODING_NOISE]);
    }
};

struct average {
    struct dev_moving_average_args a;
    __device__ bool acts() const
    {
        return a.step->finite != 0;
    }
    __device__ void operator()(int64_t at) const
    {
        a.averages[at] -= a.step->average_rest * (a.averages[at] - a.values[at]);
    }
};

struct look {
    struct dev_lookahead_args a;
    __device__ bool acts() const
    {
        return a.step->finite && a.step->looks;
    }
    __device__ void operator()(int64_t at) const
    {
        a.slow[at] += a.step->look_take * (a.values[at] - a.slow[at]);
        a.values[at] = a.slow[at];
    }
};

struct exchange {
    struct dev_exchange_args a;
    __device__ bool acts() const
    {
        return true;
    }
    __device__ void operator()(int64_t at) const
    {
        float was = a.a[at];

        a.a[at] = a.b[at];
        a.b[at] = was;
    }
};

template <class F>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    each_of_pieces(const struct dev_piece *pieces, F f)
{
    const struct dev_piece p = pieces[blockIdx.x / PER_PIECE];

    if (!f.acts())
        return;
    for (int64_t i = first_element(); i < p.n; i += element_step())
        f(p.offset + i);
}

template <class F>
void for_pieces(struct dev *d, const char *name, const struct dev_piece *pieces, int64_t n, F f)
{
    if (n > 0)
        LAUNCH(d, name, each_of_pieces<F>, blocks(n), DEV_CUDA_BLOCK, 0, pieces, f);
}

} /* namespace */

extern "C" {

#define KERNEL(name, args)
#define UPDATE(name, n_slots)                                                                      \
    void dev_cuda_update_##name(struct dev *d, const struct dev_update *a)                         \
    {                                                                                              \
        if (a->n_pieces > 0)                                                                       \
            LAUNCH(d, "update_" #name, (update<n_slots, rule_##name>), blocks(a->n_pieces),        \
                   DEV_CUDA_BLOCK, 0, *a, rule_##name{});                                          \
    }
#include "train/device/kernels.def"

void dev_cuda_encode_weights(struct dev *d, const struct dev_encode_weights_args *a)
{
    for_pieces(d, "encode_weights", a->pieces, a->n_pieces, encode{*a});
}

void dev_cuda_moving_average(struct dev *d, const struct dev_moving_average_args *a)
{
    for_pieces(d, "moving_average", a->pieces, a->n_pieces, average{*a});
}

void dev_cuda_lookahead(struct dev *d, const struct dev_lookahead_args *a)
{
    for_pieces(d, "lookahead", a->pieces, a->n_pieces, look{*a});
}

void dev_cuda_exchange(struct dev *d, const struct dev_exchange_args *a)
{
    for_pieces(d, "exchange", a->pieces, a->n_pieces, exchange{*a});
}

} /* extern "C" */
