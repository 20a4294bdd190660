/*
 * train/device/cuda/choice_cuda.cu - the end of a step of decoding: a block a row of logits finds
 * the best ids, or draws one, so the logits stay where they are.
 *
 * A row is read from memory once, and from the cache n + 2 times for n ids, or 32 times for each of
 * the two cuts of a draw.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

/* Of the row: its largest, and the sum of e^((x - largest) / temperature), in double. */
__device__ float largest_of(const float *x, int64_t V, float *parts)
{
    float largest = -INFINITY;

    for (int64_t i = threadIdx.x; i < V; i += DEV_CUDA_BLOCK)
        largest = x[i] > largest ? x[i] : largest;
    return block_max(largest, parts);
}

__device__ double sum_exp(const float *x, int64_t V, float largest, double *parts)
{
    double sum = 0.0;

    for (int64_t i = threadIdx.x; i < V; i += DEV_CUDA_BLOCK)
        sum += exp((double) x[i] - (double) largest);
    return block_sum(sum, parts);
}

/* ---- the best ids ---- */

/* True if candidate a stands before b; an id below 0 is none. */
__device__ bool before(struct dev_candidate a, struct dev_candidate b)
{
    return a.id >= 0 && (b.id < 0 || a.score > b.score || (a.score == b.score && a.id < b.id));
}

/* The first of all threads' candidates, in all of them. */
__device__ struct dev_candidate first_of(struct dev_candidate c, struct dev_candidate *parts)
{
    int warp = (int) threadIdx.x / DEV_CUDA_WARP;

    for (int step = 16; step > 0; step /= 2) {
        struct dev_candidate other;

        other.score = __shfl_xor_sync(0xffffffffu, c.score, step);
        other.id = __shfl_xor_sync(0xffffffffu, c.id, step);
        c = before(other, c) ? other : c;
    }
    __syncthreads();
    if (threadIdx.x % DEV_CUDA_WARP == 0)
        parts[warp] = c;
    __syncthreads();
    for (int i = 0; i < DEV_CUDA_BLOCK / DEV_CUDA_WARP; i++)
        c = before(parts[i], c) ? parts[i] : c;
    return c;
}

__global__ void __launch_bounds__(DEV_CUDA_BLOCK) best_ids(struct dev_best_ids_args a)
{
    DEV_SHARED(double, sums, [DEV_CUDA_WARP]);
    DEV_SHARED(float, floats, [DEV_CUDA_WARP]);
    DEV_SHARED(struct dev_candidate, parts, [DEV_CUDA_WARP]);
    int64_t row = blockIdx.x;
    const float *x = a.logits + row * a.stride;
    const struct dev_ask ask = a.asks ? a.asks[row] : dev_ask{0.0, 0.0f, 1.0f, 1, 0};
    struct dev_candidate *best = a.best + row * a.n, last = {0.0f, -1};
    float largest, lse;

    if (!ask.wanted)
        return;
    largest = largest_of(x, a.V, floats);
    lse = (float) ((double) largest + log(sum_exp(x, a.V, largest, sums)));
    if (!isfinite(lse)) {
        if (threadIdx.x == 0)
            best[0].id = -1;
        return;
    }
    for (int64_t n = 0; n < a.n; n++) {
        struct dev_candidate own = {0.0f, -1};

        for (int64_t id = threadIdx.x; id < a.V; id += DEV_CUDA_BLOCK) {
            float score = a.n == 1 ? x[id] : (x[id] - lse + ask.alive) / ask.penalty;
            struct dev_candidate c = {score, (int32_t) id};

            if (before(c, own) && (n == 0 || before(last, c)))
                own = c;
        }
        last = first_of(own, parts);
        if (threadIdx.x == 0) {
            best[n] = last;
            if (a.n == 1)
                best[0].score -= lse;
        }
    }
}

/* ---- drawing ---- */

/* Floats in the order of whole numbers. */
__device__ unsigned order_of(float x)
{
    unsigned bits = __float_as_uint(x);

    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float float_of(unsigned order)
{
    return __uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order);
}

/* The n-th largest (from 1); equals count as often as they are there.  Bit by bit: the largest
 * number that at least n reach.  Counts are whole, and floats hold them to 2^24. */
__device__ float nth_largest(const float *x, int64_t V, int64_t n, float *parts)
{
    unsigned found = 0;

    for (int bit = 31; bit >= 0; bit--) {
        unsigned tried = found | 1u << bit;
        float reach = 0.0f;

        for (int64_t i = threadIdx.x; i < V; i += DEV_CUDA_BLOCK)
            reach += order_of(x[i]) >= tried ? 1.0f : 0.0f;
        if (block_sum(reach, parts) >= (float) n)
            found = tried;
    }
    return float_of(found);
}

struct cut {
    float threshold; /* logits above it are kept */
    double top, temperature;
};

__device__ double part_of(float x, struct cut c)
{
    return exp(((x > c.threshold ? (double) x : -1e6) - c.top) / c.temperature);
}

/* The largest number such that the parts of what is not below it reach `share` of all: bit by bit,
 * a sum of the row each.  What lies below it is left out. */
__device__ float top_p_threshold(const float *x, int64_t V, double share, struct cut c,
                                 double *parts)
{
    unsigned found = 0;
    double all = 0.0;

    for (int64_t i = threadIdx.x; i < V; i += DEV_CUDA_BLOCK)
        all += part_of(x[i], c);
    all = block_sum(all, parts);
    for (int bit = 31; bit >= 0; bit--) {
        unsigned tried = found | 1u << bit;
        double reached = 0.0;

        for (int64_t i = threadIdx.x; i < V; i += DEV_CUDA_BLOCK)
            reached += x[i] > c.threshold && order_of(x[i]) >= tried ? part_of(x[i], c) : 0.0;
        if (block_sum(reached, parts) >= share * all)
            found = tried;
    }
    return fmaxf(c.threshold, float_of(found - 1));
}

/* Each thread has a stretch of ids; the one in which the running sum passes walks along it. */
__global__ void __launch_bounds__(DEV_CUDA_BLOCK) draw_ids(struct dev_draw_ids_args a)
{
    DEV_SHARED(double, sums, [DEV_CUDA_BLOCK]);
    DEV_SHARED(double, parts, [DEV_CUDA_WARP]);
    DEV_SHARED(float, floats, [DEV_CUDA_WARP]);
    int64_t row = blockIdx.x, stretch = (a.V + DEV_CUDA_BLOCK - 1) / DEV_CUDA_BLOCK;
    int64_t first = threadIdx.x * stretch, end = first + stretch < a.V ? first + stretch : a.V;
    const float *x = a.logits + row * a.stride;
    bool cuts = a.keep_top_k > 0 && a.keep_top_k < a.V;
    float bad = 0.0f, largest;
    double sum = 0.0, rest, normaliser;
    struct cut c;

    if (!a.asks[row].wanted)
        return;
    for (int64_t i = threadIdx.x; i < a.V; i += DEV_CUDA_BLOCK)
        bad += isfinite(x[i]) ? 0.0f : 1.0f;
    if (block_sum(bad, floats) > 0.0f) {
        if (threadIdx.x == 0)
            a.drawn[row] = {0.0f, -1};
        return;
    }
    c.threshold = cuts ? nth_largest(x, a.V, a.keep_top_k + 1, floats) : -INFINITY;
    largest = largest_of(x, a.V, floats);
    normaliser = log(sum_exp(x, a.V, largest, parts));
    c.top = largest > c.threshold ? (double) largest : -1e6;
    c.temperature = a.temperature;
    if (a.keep_top_p < 1.0)
        c.threshold = top_p_threshold(x, a.V, a.keep_top_p, c, parts);
    for (int64_t i = first; i < end; i++)
        sum += part_of(x[i], c);
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    sum = 0.0;
    for (int t = 0; t < DEV_CUDA_BLOCK; t++)
        sum += sums[t];
    rest = a.asks[row].draw * sum;
    first = 0;
    for (int t = 0; t < DEV_CUDA_BLOCK - 1 && rest >= sums[t]; t++) {
        rest -= sums[t];
        first += stretch;
    }
    /* rounding may leave nothing at the end: then the last id that has a part */
    int64_t id = -1;

    for (int64_t i = first; i < a.V && rest >= 0.0; i++) {
        double part = part_of(x[i], c);

        id = part > 0.0 ? i : id;
        rest -= part;
    }
    for (int64_t i = first - 1; id < 0 && i >= 0; i--)
        id = part_of(x[i], c) > 0.0 ? i : -1;
    id = id < 0 ? 0 : id;
    a.drawn[row] = {(float) ((double) x[id] - (double) largest - normaliser), (int32_t) id};
}

} /* namespace */

extern "C" {

void dev_cuda_best_ids(struct dev *d, const struct dev_best_ids_args *a)
{
    if (a->rows > 0)
        LAUNCH(d, "best_ids", best_ids, (unsigned) a->rows, DEV_CUDA_BLOCK, 0, *a);
}

int64_t dev_cuda_best_ids_scratch(const struct dev *d, int64_t V)
{
    (void) d, (void) V;
    return 0;
}

void dev_cuda_draw_ids(struct dev *d, const struct dev_draw_ids_args *a)
{
    if (a->rows > 0)
        LAUNCH(d, "draw_ids", draw_ids, (unsigned) a->rows, DEV_CUDA_BLOCK, 0, *a);
}

int64_t dev_cuda_draw_ids_scratch(const struct dev *d, int64_t V, int64_t keep_top_k,
                                  double keep_top_p)
{
    (void) d, (void) V, (void) keep_top_k, (void) keep_top_p;
    return 0;
}

} /* extern "C" */
