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
    return dev_dropout_factor(&a.dropout,
                              (uint64_t) (b * a.H + h) * dev_dropout_pair(&a) + (uint64_t) i * row + (uint64_t) j);
}

/* The logit of (i,j) from the scaled product x: proximity and masks. */
static __device__ __forceinline__ float masked_logit(const struct dev_attention &a, int64_t b,
                                                     int64_t i, int64_t j, float x)
{
    int64_t key = b / a.q_per_key * a.Lk + j, query = b * a.Lq + i, place = i + a.Lk - a.Lq;
    bool masked = (a.key_ids && a.key_ids[key] == 0) || (a.causal && j > place) ||
                  (a.k_levels && a.k_levels[key] > a.q_levels[query]);

    if (a.proximity)
        x -= log1pf(fabsf((float) (place - j)));
    if (masked)
        x = -1e9f;
    if (a.k_segments && a.k_segments[key] != a.q_segments[query])
        x = masked ? -2e9f : -1e9f;
    return x;
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

/* ---- the two forms (attention_rows.cu, attention_tiles.cu) ---- */

/* Tiles: no relative tables, not hard, heads of at most 128, more than a few queries. */
bool dev_cuda_attention_tiled(const struct dev_attention *a);
void dev_cuda_attention_tiles(struct dev *d, const struct dev_attention *a);
void dev_cuda_attention_tiles_bwd(struct dev *d, const struct dev_attention_bwd_args *args);
int64_t dev_cuda_attention_tiles_scratch(const struct dev_attention *a);

/* Rows: everything else. */
void dev_cuda_attention_rows(struct dev *d, const struct dev_attention_args *args);
void dev_cuda_attention_rows_bwd(struct dev *d, const struct dev_attention_bwd_args *args);
int64_t dev_cuda_attention_rows_scratch(const struct dev_attention *a, bool backward);

#endif
