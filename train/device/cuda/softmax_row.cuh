/*
 * train/device/cuda/softmax_row.cuh - what the losses need of a row of logits, by one block.
 */
#ifndef DEV_CUDA_SOFTMAX_ROW_CUH
#define DEV_CUDA_SOFTMAX_ROW_CUH

#include "train/device/cuda/launch.cuh"

struct softmax_row {
    float largest, inverse; /* weight of s: e^(s - largest) inverse */
    float lse, total;       /* log of the sum of e^s, sum of s */
    float own;              /* s of the label */
    float ahead; /* logits before the label's: larger, or equal and of a smaller number */
};

/* All threads of the block get all of it; `parts` holds a float for each warp.  Two passes: the row
 * comes from memory once when it fits the cache. */
static __device__ __forceinline__ struct softmax_row softmax_of(const float *s, int64_t V,
                                                                int64_t label, float *parts)
{
    struct softmax_row r;
    float largest = -INFINITY, sum = 0.0f, total = 0.0f, ahead = 0.0f;

    r.own = s[label];
    for (int64_t v = threadIdx.x; v < V; v += blockDim.x) {
        largest = fmaxf(largest, s[v]);
        total += s[v];
        ahead += s[v] > r.own || (v < label && s[v] == r.own) ? 1.0f : 0.0f;
    }
    largest = block_max(largest, parts);
    r.total = block_sum(total, parts);
    r.ahead = block_sum(ahead, parts);
    for (int64_t v = threadIdx.x; v < V; v += blockDim.x)
        sum += expf(s[v] - largest);
    sum = block_sum(sum, parts);
    r.largest = largest;
    r.inverse = 1.0f / sum;
    r.lse = largest + logf(sum);
    return r;
}

/* The row's four statistics (struct dev_xent), by one thread; shown: the logits of the labels,
 * weighted. */
static __device__ __forceinline__ void put_row_stats(float *stats, const struct softmax_row &r,
                                                     double shown, int64_t V, double conf,
                                                     double low, double norm)
{
    double lse = (double) r.lse;

    stats[0] = (float) (conf * (lse - shown) +
                        low * ((double) (V - 1) * lse - ((double) r.total - shown)) - norm);
    stats[1] = r.ahead == 0.0f ? 1.0f : r.ahead < 5.0f ? 0.5f : 0.0f;
    stats[2] = r.own - r.lse;
    stats[3] = 1.0f;
}

#endif
