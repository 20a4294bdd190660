/*
 * train/device/cuda/attention_tiles.cu - attention in tiles: 32 queries meet 32 keys in shared
 * memory, with a softmax that goes on from tile to tile, so no weights are written to memory.
 *
 * Four threads have a query: each holds 8 of a tile's 32 logits, and a quarter of the columns of
 * the result.  Forward reads q once and k, v once per 32 queries; the least possible is once each.
 * Backward makes the weights again: a pass for each query's largest logit, sum and sum of dw w, one
 * for dq by queries, one for dk and dv by keys, so that each result has one writer.
 *
 * A row whose keys are all masked has equal weights over all its keys (docs/porting.md), so tiles
 * right of the diagonal are left out only when every row has seen a key that counts.
 */
#include "train/device/cuda/attention_parts.cuh"

namespace
{

enum { ROWS = 32, THREADS = 128, PER_ROW = 4, KEYS = 8 };

/* Rows first .. first+31 of (batch element b, head h) of x (B,rows,H,width) into tile[32][D + 1],
 * zeros beyond the rows and beyond the width. */
template <int D>
__device__ void load_tile(enum dev_type type, const void *x, int64_t b, int64_t rows, int64_t first,
                          int64_t end, int64_t H, int64_t h, int64_t width, float (*tile)[D + 1])
{
    for (int n = (int) threadIdx.x; n < ROWS * D; n += THREADS) {
        int64_t row = first + n / D, c = n % D;

        tile[n / D][c] =
            row < end && c < width ? get(type, x, ((b * rows + row) * H + h) * width + c) : 0.0f;
    }
}

/* Products of row r of one tile with rows `quarter`, + 4, ... of another. */
template <int D>
__device__ void products(const float (*x)[D + 1], const float (*y)[D + 1], int r, int quarter,
                         float (&sum)[KEYS])
{
    DEV_UNROLL
    for (int n = 0; n < KEYS; n++)
        sum[n] = 0.0f;
    for (int c = 0; c < D; c++) {
        float value = x[r][c];

        DEV_UNROLL
        for (int n = 0; n < KEYS; n++)
            sum[n] += value * y[quarter + PER_ROW * n][c];
    }
}

__device__ float row_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ float row_sum(float x)
{
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/* Where a block works: (pair, tile of rows). */
struct work {
    int64_t b, h, first;
};

__device__ struct work work_of(const struct dev_attention &a, int64_t rows)
{
    int64_t tiles = (rows + ROWS - 1) / ROWS, pair = (int64_t) blockIdx.x / tiles;

    return {pair / a.H, pair % a.H, (int64_t) blockIdx.x % tiles * ROWS};
}

/* ---- forward ---- */

template <int D>
__global__ void __launch_bounds__(THREADS) tiles_forward(struct dev_attention planned)
{
    DEV_SHARED(float, q, [ROWS][D + 1]);
    DEV_SHARED(float, kv, [ROWS][D + 1]);
    DEV_SHARED(float, weights, [ROWS][ROWS + 1]);
    DEV_SHARED(int, flags, [PER_ROW]);
    struct work at = work_of(planned, planned.Lq);
    struct dev_attention now = dev_attention_now(&planned), a = dev_attention_of(&now, at.b);
    int64_t kb = at.b / a.q_per_key;
    int r = (int) threadIdx.x / PER_ROW, quarter = (int) threadIdx.x % PER_ROW;
    int64_t i = at.first + r, seen = at.first + ROWS + a.Lk - a.Lq;
    float largest = -INFINITY, sum = 0.0f, out[D / PER_ROW];
    bool there = i < a.Lq;

    DEV_UNROLL
    for (int c = 0; c < D / PER_ROW; c++)
        out[c] = 0.0f;
    load_tile<D>(a.type, a.q, at.b, a.Lq, at.first, a.Lq, a.H, at.h, a.Dk, q);
    for (int64_t first = 0; first < a.Lk; first += ROWS) {
        float logits[KEYS], top = largest, factor;

        if (a.causal && first >= seen && !some_row_saw_nothing(there, largest, flags))
            break;
        __syncthreads();
        load_tile<D>(a.type, a.k, kb, a.k_rows, first, a.Lk, a.H, at.h, a.Dk, kv);
        __syncthreads();
        products<D>(q, kv, r, quarter, logits);
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            int64_t j = first + quarter + PER_ROW * n;

            logits[n] =
                there && j < a.Lk ? masked_logit(a, at.b, i, j, logits[n] * a.scale) : -INFINITY;
            top = fmaxf(top, logits[n]);
        }
        top = row_max(top);
        factor = there ? expf(largest - top) : 1.0f;
        largest = top;
        sum *= factor;
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            int64_t j = first + quarter + PER_ROW * n;
            float w = logits[n] == -INFINITY ? 0.0f : expf(logits[n] - top);

            sum += w;
            weights[r][quarter + PER_ROW * n] =
                w == 0.0f ? w : w * weight_factor(a, at.b, at.h, i, j);
        }
        __syncthreads();
        load_tile<D>(a.type, a.v, kb, a.k_rows, first, a.Lk, a.H, at.h, a.Dv, kv);
        __syncthreads();
        DEV_UNROLL
        for (int c = 0; c < D / PER_ROW; c++)
            out[c] *= factor;
        for (int j = 0; j < ROWS; j++) {
            float w = weights[r][j];

            DEV_UNROLL
            for (int c = 0; c < D / PER_ROW; c++)
                out[c] += w * kv[j][quarter + PER_ROW * c];
        }
    }
    sum = row_sum(sum);
    DEV_UNROLL
    for (int c = 0; c < D / PER_ROW; c++)
        if (there && quarter + PER_ROW * c < a.Dv)
            put(a.type, a.out, ((at.b * a.Lq + i) * a.H + at.h) * a.Dv + quarter + PER_ROW * c,
                out[c] / sum, false);
}

/* ---- backward ---- */

/* Of each row, behind each other in scratch memory: largest logit, 1 / sum, sum of dw w. */
struct row_stats {
    float largest, inverse, delta;
};

struct backward {
    struct dev_attention a;
    struct dev_attention_grads g;
    float *stats; /* (B*H*Lq, 3) */
};

__device__ float *stats_at(const struct backward &c, struct work at, int64_t i)
{
    return c.stats + 3 * ((at.b * c.a.H + at.h) * c.a.Lq + i);
}

template <int D> __global__ void __launch_bounds__(THREADS) tiles_stats(struct backward c)
{
    DEV_SHARED(float, q, [ROWS][D + 1]);
    DEV_SHARED(float, dout, [ROWS][D + 1]);
    DEV_SHARED(float, kv, [ROWS][D + 1]);
    DEV_SHARED(int, flags, [PER_ROW]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lq);
    int r = (int) threadIdx.x / PER_ROW, quarter = (int) threadIdx.x % PER_ROW;
    int64_t i = at.first + r, seen = at.first + ROWS + a.Lk - a.Lq;
    float largest = -INFINITY, sum = 0.0f, delta = 0.0f;
    bool there = i < a.Lq;

    load_tile<D>(a.type, a.q, at.b, a.Lq, at.first, a.Lq, a.H, at.h, a.Dk, q);
    load_tile<D>(a.type, c.g.dout, at.b, a.Lq, at.first, a.Lq, a.H, at.h, a.Dv, dout);
    for (int64_t first = 0; first < a.Lk; first += ROWS) {
        float logits[KEYS], dw[KEYS], top = largest, factor;

        if (a.causal && first >= seen && !some_row_saw_nothing(there, largest, flags))
            break;
        __syncthreads();
        load_tile<D>(a.type, a.k, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dk, kv);
        __syncthreads();
        products<D>(q, kv, r, quarter, logits);
        __syncthreads();
        load_tile<D>(a.type, a.v, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dv, kv);
        __syncthreads();
        products<D>(dout, kv, r, quarter, dw);
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            int64_t j = first + quarter + PER_ROW * n;

            logits[n] =
                there && j < a.Lk ? masked_logit(a, at.b, i, j, logits[n] * a.scale) : -INFINITY;
            top = fmaxf(top, logits[n]);
        }
        top = row_max(top);
        factor = there ? expf(largest - top) : 1.0f;
        largest = top;
        sum *= factor;
        delta *= factor;
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            float w = logits[n] == -INFINITY ? 0.0f : expf(logits[n] - top);

            sum += w;
            if (w != 0.0f)
                delta += w * dw[n] * weight_factor(a, at.b, at.h, i, first + quarter + PER_ROW * n);
        }
    }
    sum = row_sum(sum);
    delta = row_sum(delta);
    if (there && quarter == 0) {
        float *to = stats_at(c, at, i);

        to[0] = largest;
        to[1] = 1.0f / sum;
        to[2] = delta / sum;
    }
}

/* From products of q k and dout v those of one pair (i,j): the weight after dropout, and the
 * gradient of its logit. */
struct pair_grads {
    float dropped, dlogit;
};

__device__ struct pair_grads grads_of(const struct dev_attention &a, struct work at, int64_t i,
                                      int64_t j, float qk, float dw, struct row_stats s)
{
    float w = expf(masked_logit(a, at.b, i, j, qk * a.scale) - s.largest) * s.inverse, f;

    if (w == 0.0f)
        return {0.0f, 0.0f};
    f = weight_factor(a, at.b, at.h, i, j);
    return {w * f, w * (dw * f - s.delta) * a.scale};
}

__device__ struct row_stats load_stats(const struct backward &c, struct work at, int64_t i,
                                       bool there)
{
    const float *s = stats_at(c, at, there ? i : 0);

    return {s[0], s[1], s[2]};
}

/* dq, by tiles of queries. */
template <int D> __global__ void __launch_bounds__(THREADS) tiles_dq(struct backward c)
{
    DEV_SHARED(float, q, [ROWS][D + 1]);
    DEV_SHARED(float, dout, [ROWS][D + 1]);
    DEV_SHARED(float, kv, [ROWS][D + 1]);
    DEV_SHARED(float, dlogits, [ROWS][ROWS + 1]);
    DEV_SHARED(int, flags, [PER_ROW]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lq);
    int r = (int) threadIdx.x / PER_ROW, quarter = (int) threadIdx.x % PER_ROW;
    int64_t i = at.first + r, seen = at.first + ROWS + a.Lk - a.Lq;
    bool there = i < a.Lq;
    struct row_stats s = load_stats(c, at, i, there);
    bool all = some_row_saw_nothing(there, s.largest, flags);
    float dq[D / PER_ROW];

    DEV_UNROLL
    for (int n = 0; n < D / PER_ROW; n++)
        dq[n] = 0.0f;
    load_tile<D>(a.type, a.q, at.b, a.Lq, at.first, a.Lq, a.H, at.h, a.Dk, q);
    load_tile<D>(a.type, c.g.dout, at.b, a.Lq, at.first, a.Lq, a.H, at.h, a.Dv, dout);
    for (int64_t first = 0; first < a.Lk && (all || !a.causal || first < seen); first += ROWS) {
        float qk[KEYS], dw[KEYS];

        __syncthreads();
        load_tile<D>(a.type, a.v, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dv, kv);
        __syncthreads();
        products<D>(dout, kv, r, quarter, dw);
        __syncthreads();
        load_tile<D>(a.type, a.k, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dk, kv);
        __syncthreads();
        products<D>(q, kv, r, quarter, qk);
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            int64_t j = first + quarter + PER_ROW * n;

            dlogits[r][quarter + PER_ROW * n] =
                there && j < a.Lk ? grads_of(a, at, i, j, qk[n], dw[n], s).dlogit : 0.0f;
        }
        __syncwarp(); /* a row is of one warp */
        for (int j = 0; j < ROWS; j++) {
            float dlogit = dlogits[r][j];

            DEV_UNROLL
            for (int n = 0; n < D / PER_ROW; n++)
                dq[n] += dlogit * kv[j][quarter + PER_ROW * n];
        }
        __syncwarp();
    }
    DEV_UNROLL
    for (int n = 0; n < D / PER_ROW; n++)
        if (there && quarter + PER_ROW * n < a.Dk)
            put(a.type, c.g.dq, ((at.b * a.Lq + i) * a.H + at.h) * a.Dk + quarter + PER_ROW * n,
                dq[n], c.g.accumulate_q);
}

/* dk and dv, by tiles of keys: a row of the block's tile is a key. */
template <int D> __global__ void __launch_bounds__(THREADS) tiles_dkv(struct backward c)
{
    DEV_SHARED(float, k, [ROWS][D + 1]);
    DEV_SHARED(float, v, [ROWS][D + 1]);
    DEV_SHARED(float, q, [ROWS][D + 1]);
    DEV_SHARED(float, dout, [ROWS][D + 1]);
    DEV_SHARED(float, dropped, [ROWS][ROWS + 1]);
    DEV_SHARED(float, dlogits, [ROWS][ROWS + 1]);
    DEV_SHARED(int, flags, [PER_ROW]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lk);
    int r = (int) threadIdx.x / PER_ROW, quarter = (int) threadIdx.x % PER_ROW;
    int64_t j = at.first + r;
    bool there = j < a.Lk;
    float dk[D / PER_ROW], dv[D / PER_ROW];

    DEV_UNROLL
    for (int n = 0; n < D / PER_ROW; n++)
        dk[n] = dv[n] = 0.0f;
    load_tile<D>(a.type, a.k, at.b, a.k_rows, at.first, a.Lk, a.H, at.h, a.Dk, k);
    load_tile<D>(a.type, a.v, at.b, a.k_rows, at.first, a.Lk, a.H, at.h, a.Dv, v);
    for (int64_t first = 0; first < a.Lq; first += ROWS) {
        float qk[KEYS], dw[KEYS];
        bool hidden = a.causal && first + ROWS - 1 + a.Lk - a.Lq < at.first;

        if (hidden) {
            bool query = first + r < a.Lq;

            if (!some_row_saw_nothing(query, load_stats(c, at, first + r, query).largest, flags))
                continue;
        }
        __syncthreads();
        load_tile<D>(a.type, a.q, at.b, a.Lq, first, a.Lq, a.H, at.h, a.Dk, q);
        load_tile<D>(a.type, c.g.dout, at.b, a.Lq, first, a.Lq, a.H, at.h, a.Dv, dout);
        __syncthreads();
        products<D>(k, q, r, quarter, qk);
        products<D>(v, dout, r, quarter, dw);
        DEV_UNROLL
        for (int n = 0; n < KEYS; n++) {
            int64_t i = first + quarter + PER_ROW * n;
            struct pair_grads p = {0.0f, 0.0f};

            if (there && i < a.Lq)
                p = grads_of(a, at, i, j, qk[n], dw[n], load_stats(c, at, i, true));
            dropped[r][quarter + PER_ROW * n] = p.dropped;
            dlogits[r][quarter + PER_ROW * n] = p.dlogit;
        }
        __syncwarp();
        for (int i = 0; i < ROWS; i++) {
            float w = dropped[r][i], dlogit = dlogits[r][i];

            DEV_UNROLL
            for (int n = 0; n < D / PER_ROW; n++) {
                dk[n] += dlogit * q[i][quarter + PER_ROW * n];
                dv[n] += w * dout[i][quarter + PER_ROW * n];
            }
        }
        __syncwarp();
    }
    DEV_UNROLL
    for (int n = 0; n < D / PER_ROW; n++) {
        int col = quarter + PER_ROW * n;
        int64_t row = (at.b * a.Lk + j) * a.H + at.h;

        if (there && c.g.dk && col < a.Dk)
            put(a.type, c.g.dk, row * a.Dk + col, dk[n], c.g.accumulate_k);
        if (there && c.g.dv && col < a.Dv)
            put(a.type, c.g.dv, row * a.Dv + col, dv[n], c.g.accumulate_v);
    }
}

/* ---- by the width of heads ---- */

int64_t width_of(const struct dev_attention *a)
{
    return a->Dk > a->Dv ? a->Dk : a->Dv;
}

unsigned blocks(const struct dev_attention *a, int64_t rows)
{
    return (unsigned) (a->B * a->H * div_up(rows, ROWS));
}

template <int D> void forward(struct dev *d, const struct dev_attention *a)
{
    LAUNCH(d, "attention", tiles_forward<D>, blocks(a, a->Lq), THREADS, 0, *a);
}

template <int D> void backward_tiles(struct dev *d, const struct backward &c)
{
    LAUNCH(d, "attention_bwd", tiles_stats<D>, blocks(&c.a, c.a.Lq), THREADS, 0, c);
    if (c.g.dq)
        LAUNCH(d, "attention_bwd", tiles_dq<D>, blocks(&c.a, c.a.Lq), THREADS, 0, c);
    if (c.g.dk || c.g.dv)
        LAUNCH(d, "attention_bwd", tiles_dkv<D>, blocks(&c.a, c.a.Lk), THREADS, 0, c);
}

} /* namespace */

bool dev_cuda_attention_tiled(const struct dev_attention *a)
{
    return a->relative.kind == DEV_RELATIVE_NONE && a->hard_k == 0 && !a->cache_index &&
           width_of(a) <= 64 && a->Lq > 4;
}

void dev_cuda_attention_tiles(struct dev *d, const struct dev_attention *a)
{
    if (a->B * a->H == 0)
        return;
    if (width_of(a) <= 32)
        forward<32>(d, a);
    else
        forward<64>(d, a);
}

void dev_cuda_attention_tiles_bwd(struct dev *d, const struct dev_attention_bwd_args *args)
{
    const struct dev_attention *a = &args->of;
    struct backward c = {*a, args->g, args->scratch};

    if (a->B * a->H == 0)
        return;
    if (width_of(a) <= 32)
        backward_tiles<32>(d, c);
    else
        backward_tiles<64>(d, c);
}

int64_t dev_cuda_attention_tiles_scratch(const struct dev_attention *a)
{
    return 3 * a->B * a->H * a->Lq;
}
