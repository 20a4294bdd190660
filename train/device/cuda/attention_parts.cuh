/*
 * train/device/cuda/attention_parts.cuh - what all forms of attention on the device share: where a
 * weight stands in the dropout mask, masks, relative positions.
 */
#ifndef DEV_CUDA_ATTENTION_PARTS_CUH
#define DEV_CUDA_ATTENTION_PARTS_CUH

#include "train/device/cuda/launch.cuh"

/* Rows of logits below this have no key that may be seen: all their weights are from masks. */
#define NOTHING_SEEN (-1e8f)

/* Factor of weight (i,j) of pair (b,h); attention_reference.c:weight_index. */
static __device__ __forceinline__ float weight_factor(const struct dev_attention &a, int64_t b,
                                                      int64_t h, int64_t i, int64_t j)
{
    uint64_t row = (uint64_t) ((a.Lk + 15) / 16 * 16);

    if (a.dropout.threshold == 0)
        return 1.0f;
    b = a.dropout_same_batch ? 0 : b;
    h = a.dropout_same_heads ? 0 : h;
    i = a.dropout_same_queries ? 0 : i;
    return dev_dropout_factor(&a.dropout, (uint64_t) (b * a.H + h) * dev_dropout_pair(&a) +
                                              (uint64_t) i * row + (uint64_t) j);
}

/* What decides, beside their places, whether a query sees a key: 0 where there are none. */
struct attention_side {
    int32_t level, segment;
};

/* The logit from the scaled product x of a query at `place` and key j: proximity and masks. */
static __device__ __forceinline__ float logit_seen(const struct dev_attention &a, int64_t place,
                                                   int64_t j, float x, struct attention_side query,
                                                   struct attention_side key, bool hidden)
{
    bool masked = hidden || (a.causal && j > place) || key.level > query.level;

    if (a.proximity)
        x -= log1pf(fabsf((float) (place - j)));
    if (masked)
        x = -1e9f;
    if (key.segment != query.segment)
        x = masked ? -2e9f : -1e9f;
    return x;
}

static __device__ __forceinline__ struct attention_side query_side(const struct dev_attention &a,
                                                                   int64_t b, int64_t i)
{
    int64_t at = b * a.Lq + i;

    return {a.k_levels ? a.q_levels[at] : 0, a.k_segments ? a.q_segments[at] : 0};
}

static __device__ __forceinline__ struct attention_side key_side(const struct dev_attention &a,
                                                                 int64_t b, int64_t j)
{
    int64_t at = b / a.q_per_key * dev_attention_ids_rows(&a) + j;

    return {a.k_levels ? a.k_levels[at] : 0, a.k_segments ? a.k_segments[at] : 0};
}

static __device__ __forceinline__ bool key_hidden(const struct dev_attention &a, int64_t b,
                                                  int64_t j)
{
    return a.key_ids && a.key_ids[b / a.q_per_key * dev_attention_ids_rows(&a) + j] == 0;
}

/* The logit of (i,j) from the scaled product x: proximity and masks. */
static __device__ __forceinline__ float masked_logit(const struct dev_attention &a, int64_t b,
                                                     int64_t i, int64_t j, float x)
{
    return logit_seen(a, i + a.Lk - a.Lq, j, x, query_side(a, b, i), key_side(a, b, j),
                      key_hidden(a, b, j));
}

/* Is some row of a block of four warps without a key that counts, by its largest logit?  All
 * threads come here. */
static __device__ __forceinline__ bool some_row_saw_nothing(bool there, float largest, int *flags)
{
    int warp = (int) threadIdx.x / DEV_CUDA_WARP;
    bool any = __any_sync(0xffffffffu, there && largest < NOTHING_SEEN);

    if (threadIdx.x % DEV_CUDA_WARP == 0)
        flags[warp] = any ? 1 : 0;
    __syncthreads();
    any = flags[0] || flags[1] || flags[2] || flags[3];
    __syncthreads();
    return any;
}

/* attention_reference.c:relative_place: query and row of the table for (i,j). */
static __device__ __forceinline__ bool relative_place(const struct dev_attention &a, int64_t i,
                                                      int64_t j, int64_t *query, int64_t *row)
{
    const struct dev_relative &r = a.relative;
    int64_t distance = j - (i + a.Lk - a.Lq), R = r.rows / 2;

    *query = i;
    if (r.kind == DEV_RELATIVE_NONE)
        return false;
    if (r.kind == DEV_RELATIVE_CLIPPED) {
        *row = (distance < -R ? -R : distance > R ? R : distance) + R;
        return true;
    }
    *row = r.rows - 1 + distance;
    if (distance > 0) {
        *query = i + 1;
        *row = r.rows - a.Lk + distance - 2;
    }
    return distance != 1 && *row >= 0;
}

/* Row `row` of a table of width D, as head h sees it. */
static __device__ __forceinline__ int64_t table_at(const struct dev_attention &a, int64_t h,
                                                   int64_t row, int64_t D)
{
    return ((a.relative.per_head ? h * a.relative.rows : 0) + row) * D;
}

/* ---- the three forms (attention_tensor.cu, attention_tiles.cu, attention_rows.cu) ---- */

/* On tensor cores: bfloat16, heads of 32 to 128 in steps of 8; no relative tables, not hard, more
 * than a few queries. */
bool dev_cuda_attention_on_tensor(const struct dev_attention *a);
void dev_cuda_attention_tensor(struct dev *d, const struct dev_attention *a);
void dev_cuda_attention_tensor_bwd(struct dev *d, const struct dev_attention_bwd_args *args);
int64_t dev_cuda_attention_tensor_scratch(const struct dev_attention *a);

/* Tiles: likewise, of any type, heads of at most 64. */
bool dev_cuda_attention_tiled(const struct dev_attention *a);
void dev_cuda_attention_tiles(struct dev *d, const struct dev_attention *a);
void dev_cuda_attention_tiles_bwd(struct dev *d, const struct dev_attention_bwd_args *args);
int64_t dev_cuda_attention_tiles_scratch(const struct dev_attention *a);

/* Rows: everything else. */
void dev_cuda_attention_rows(struct dev *d, const struct dev_attention_args *args);
void dev_cuda_attention_rows_bwd(struct dev *d, const struct dev_attention_bwd_args *args);
int64_t dev_cuda_attention_rows_scratch(const struct dev_attention *a, bool backward);

#endif
