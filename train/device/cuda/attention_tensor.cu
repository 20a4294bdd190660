/*
 * train/device/cuda/attention_tensor.cu - attention of bfloat16 on tensor cores: logits and weights
 * stay in the registers of a warp, keys and values pass through shared memory.
 *
 * Forward, a warp has 16 queries and a block 64 of them; 64 keys at a time (wide heads: 32, for
 * want of registers) are loaded for all.  The
 * sums of q k are where the left factor of weights times values is wanted (fragments.cuh), so the
 * softmax goes on from tile to tile without shared memory: four lanes have a row.  q is read once,
 * k and v once per 64 queries; the least possible is once each.
 *
 * Backward makes the weights again, in three passes as attention_tiles.cu: of each query the
 * largest logit, the sum and the sum of dw w; dq, by queries; dk and dv, by 64 keys, of which a
 * warp has 16, so that what it holds is turned: keys by queries.  Each result has one writer and
 * one order of sums.  Weights and gradients of logits are rounded to bfloat16 before they are
 * multiplied, everything else is float32 (docs/numerics.md).
 *
 * Random bits of dropout's mask: a block of Philox decides over eight numbers that lie 16 apart, so
 * the block of threads draws the tile's mask once, as bytes in shared memory.
 */
#include "train/device/cuda/attention_parts.cuh"
#include "train/device/cuda/fragments.cuh"

namespace
{

/* ROWS: queries, in the last pass keys, of a block; BWD: what it loads at once, backward. */
enum { THREADS = 128, ROWS = 64, BWD = 32, MOST_WIDTH = 128 };

/* Where a block works: (pair, tile of rows); a lane has rows `row` and row + 8 of them. */
struct work {
    int64_t b, h, first;
    int row, t; /* t: lane % 4 */
};

__device__ struct work work_of(const struct dev_attention &a, int64_t rows)
{
    int64_t tiles = (rows + ROWS - 1) / ROWS, pair = (int64_t) blockIdx.x / tiles;
    int warp = (int) threadIdx.x / DEV_CUDA_WARP, lane = (int) threadIdx.x % DEV_CUDA_WARP;

    return {pair / a.H, pair % a.H, (int64_t) blockIdx.x % tiles * ROWS, 16 * warp + lane / 4,
            lane % 4};
}

/* ---- loads and stores ---- */

/* n rows from `first` on of (batch element b, head h) of x (B,rows,H,width) into a tile, zeros
 * beyond `end` and beyond the width. */
template <int D>
__device__ void load_tile(const void *x, int64_t b, int64_t rows, int64_t first, int64_t end,
                          int64_t H, int64_t h, int64_t width, int n,
                          const struct fragment_tile<D> &tile)
{
    const uint4 *from = (const uint4 *) x;

    for (int i = (int) threadIdx.x; i < n * (D / 8); i += THREADS) {
        int64_t row = first + i / (D / 8), piece = i % (D / 8);

        tile.pieces[i / (D / 8) * fragment_tile<D>::PIECES + piece] =
            row < end && 8 * piece < width ? from[((b * rows + row) * H + h) * (width / 8) + piece]
                                           : uint4{0, 0, 0, 0};
    }
}

/* The left factor of the lane's rows from memory, likewise. */
template <int D>
__device__ void load_left(const void *x, const struct work &at, int64_t rows, int64_t H,
                          int64_t width, unsigned (&left)[D / 16][4])
{
    const unsigned *from = (const unsigned *) x;

    DEV_UNROLL
    for (int step = 0; step < D / 16; step++)
        DEV_UNROLL
    for (int n = 0; n < 4; n++) {
        int64_t row = at.first + at.row + n % 2 * 8, column = 16 * step + 2 * at.t + n / 2 * 8;

        left[step][n] = row < rows && column < width
                            ? from[(((at.b * rows + row) * H + at.h) * width + column) / 2]
                            : 0;
    }
}

/* The lane's rows of x (B,rows,H,width) [+]= sum times the factors of the two rows. */
template <int D>
__device__ void store_rows(void *x, const struct work &at, int64_t rows, int64_t H, int64_t width,
                           const float (&sum)[D / 8][4], const float (&factor)[2], bool accumulate)
{
    unsigned *to = (unsigned *) x;

    DEV_UNROLL
    for (int n = 0; n < D / 8; n++)
        DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        int64_t row = at.first + at.row + 8 * half, column = 8 * n + 2 * at.t;
        int64_t word = (((at.b * rows + row) * H + at.h) * width + column) / 2;
        float low = sum[n][2 * half] * factor[half], high = sum[n][2 * half + 1] * factor[half];

        if (row >= rows || column >= width)
            continue;
        if (accumulate) {
            low += dev_from_bfloat16((uint16_t) to[word]);
            high += dev_from_bfloat16((uint16_t) (to[word] >> 16));
        }
        to[word] = two_halves(low, high);
    }
}

/* ---- masks ---- */

/* Bytes of a row of a mask in shared memory: an odd number of words, so that the eight rows that a
 * warp reads at once lie in different banks. */
enum { MASK_ROW = 64 + 4 };

struct key_info {
    struct attention_side side;
    int32_t hidden;
};

__device__ void load_keys(const struct dev_attention &a, int64_t b, int64_t first, int n,
                          struct key_info *keys)
{
    int i = (int) threadIdx.x;

    if (i < n && first + i < a.Lk)
        keys[i] = {key_side(a, b, first + i), key_hidden(a, b, first + i) ? 1 : 0};
}

/* keep[i][j] of queries q_first .. + queries - 1 and n_keys keys from k_first, a multiple of 16,
 * on: is the weight kept?  weight_factor's numbers. */
__device__ void draw_mask(const struct dev_attention &a, int64_t b, int64_t h, int64_t q_first,
                          int queries, int64_t k_first, int n_keys, uint8_t (*keep)[MASK_ROW])
{
    const struct dev_dropout &drop = a.dropout;
    int64_t row = (a.Lk + 15) / 16 * 16;

    if (drop.threshold == 0)
        return;
    b = a.dropout_same_batch ? 0 : b;
    h = a.dropout_same_heads ? 0 : h;
    for (int n = (int) threadIdx.x; n < queries * 16; n += THREADS) {
        int i = n / 16, residue = n % 16;
        int64_t query = a.dropout_same_queries ? 0 : q_first + i;
        uint64_t at = dev_dropout_index(&drop, (uint64_t) (b * a.H + h) * dev_dropout_pair(&a) +
                                                   (uint64_t) (query * row + k_first + residue));
        uint32_t bits[4] = {0, 0, 0, 0}, drawn = ~0u;

        if (q_first + i >= a.Lq)
            continue;
        for (int j = residue; j < n_keys; j += 16, at += 16) {
            uint32_t block = (uint32_t) (at / 128 * 16 + at % 16),
                     n_half = (uint32_t) (at / 16 % 8);
            uint32_t upper, lower;

            if (block != drawn) {
                uint32_t counter[4];

                dev_dropout_counter(&drop, block, counter);
                t2_philox_block(counter, drop.step->dropout_key, bits);
                drawn = block;
            }
            lower = n_half & 2 ? bits[1] : bits[0];
            upper = n_half & 2 ? bits[3] : bits[2];
            keep[i][j] =
                ((n_half & 4 ? upper : lower) >> 16 * (n_half & 1) & 0xffffu) >= drop.threshold;
        }
    }
}

/* The factor of a weight from the mask. */
__device__ float kept(const struct dev_dropout &drop, const uint8_t (*keep)[MASK_ROW], int i, int j)
{
    return drop.threshold == 0 ? 1.0f : keep[i][j] ? drop.scale : 0.0f;
}

/* Queries of a lane: its two rows. */
struct queries {
    struct attention_side side[2];
    bool there[2];
};

__device__ struct queries queries_of(const struct dev_attention &a, const struct work &at)
{
    struct queries q;

    DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        int64_t i = at.first + at.row + 8 * half;

        q.there[half] = i < a.Lq;
        q.side[half] = q.there[half] ? query_side(a, at.b, i) : attention_side{0, 0};
    }
    return q;
}

/* Sums of products q k (16, 8 N) become logits; -infinity where there is no query or key. */
template <int N>
__device__ void mask_logits(const struct dev_attention &a, const struct work &at,
                            const struct queries &q, int64_t first, const struct key_info *keys,
                            float (&x)[N][4])
{
    DEV_UNROLL
    for (int n = 0; n < N; n++)
        DEV_UNROLL
    for (int e = 0; e < 4; e++) {
        int half = e / 2, key = 8 * n + 2 * at.t + e % 2;
        int64_t place = at.first + at.row + 8 * half + a.Lk - a.Lq, j = first + key;

        x[n][e] = q.there[half] && j < a.Lk
                      ? logit_seen(a, place, j, x[n][e] * a.scale, q.side[half], keys[key].side,
                                   keys[key].hidden)
                      : -INFINITY;
    }
}

/* ---- the softmax of a row, from tile to tile ---- */

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

/* Of a lane's two rows. */
struct running {
    float largest[2], sum[2]; /* sum: of this lane's weights */
};

/* Logits become e^(logit - largest), with the largest of all tiles so far; factor: what the sums so
 * far are multiplied with. */
template <int N> __device__ void go_on(struct running *r, float (&x)[N][4], float (&factor)[2])
{
    DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        float top = r->largest[half];

        DEV_UNROLL
        for (int n = 0; n < N; n++)
            top = fmaxf(top, fmaxf(x[n][2 * half], x[n][2 * half + 1]));
        top = row_max(top);
        /* a row that is not there has no logit at all */
        factor[half] = top == -INFINITY ? 1.0f : expf(r->largest[half] - top);
        r->largest[half] = top;
        r->sum[half] *= factor[half];
        DEV_UNROLL
        for (int n = 0; n < N; n++)
            DEV_UNROLL
        for (int e = 2 * half; e < 2 * half + 2; e++) {
            x[n][e] = x[n][e] == -INFINITY ? 0.0f : expf(x[n][e] - top);
            r->sum[half] += x[n][e];
        }
    }
}

__device__ bool rows_saw_nothing(const struct queries &q, const float (&largest)[2], int *flags)
{
    bool first = q.there[0] && largest[0] < NOTHING_SEEN;

    return some_row_saw_nothing(q.there[0] || q.there[1],
                                first        ? largest[0]
                                : q.there[1] ? largest[1]
                                             : 0.0f,
                                flags);
}

/* ---- forward ---- */

template <int D, int KEYS>
__global__ void __launch_bounds__(THREADS) tensor_forward(struct dev_attention planned)
{
    DEV_SHARED(uint4, k_pieces, [KEYS * fragment_tile<D>::PIECES]);
    DEV_SHARED(uint4, v_pieces, [KEYS * fragment_tile<D>::PIECES]);
    DEV_SHARED(struct key_info, keys, [KEYS]);
    DEV_SHARED(uint8_t, keep, [ROWS][MASK_ROW]);
    DEV_SHARED(int, flags, [4]);
    struct work at = work_of(planned, planned.Lq);
    struct dev_attention now = dev_attention_now(&planned), a = dev_attention_of(&now, at.b);
    struct queries q = queries_of(a, at);
    struct fragment_tile<D> k = {k_pieces}, v = {
        v_pieces
    };
    struct running r = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
    int64_t kb = at.b / a.q_per_key, seen = at.first + ROWS + a.Lk - a.Lq;
    float out[D / 8][4] = {}, inverse[2];
    unsigned left[D / 16][4];

    load_left<D>(a.q, at, a.Lq, a.H, a.Dk, left);
    for (int64_t first = 0; first < a.Lk; first += KEYS) {
        float x[KEYS / 8][4], factor[2];

        if (a.causal && first >= seen && !rows_saw_nothing(q, r.largest, flags))
            break;
        __syncthreads();
        load_tile<D>(a.k, kb, a.k_rows, first, a.Lk, a.H, at.h, a.Dk, KEYS, k);
        load_tile<D>(a.v, kb, a.k_rows, first, a.Lk, a.H, at.h, a.Dv, KEYS, v);
        load_keys(a, at.b, first, KEYS, keys);
        draw_mask(a, at.b, at.h, at.first, ROWS, first, KEYS, keep);
        __syncthreads();
        multiply_columns<D>(x, left, k);
        mask_logits(a, at, q, first, keys, x);
        go_on(&r, x, factor);
        DEV_UNROLL
        for (int n = 0; n < KEYS / 8; n++)
            DEV_UNROLL
        for (int e = 0; e < 4; e++)
            if (x[n][e] != 0.0f)
                x[n][e] *= kept(a.dropout, keep, at.row + e / 2 * 8, 8 * n + 2 * at.t + e % 2);
        DEV_UNROLL
        for (int n = 0; n < D / 8; n++)
            DEV_UNROLL
        for (int e = 0; e < 4; e++)
            out[n][e] *= factor[e / 2];
        multiply_rows<D>(out, x, v);
    }
    DEV_UNROLL
    for (int half = 0; half < 2; half++)
        inverse[half] = 1.0f / row_sum(r.sum[half]);
    store_rows<D>(a.out, at, a.Lq, a.H, a.Dv, out, inverse, false);
}

/* ---- backward ---- */

struct backward {
    struct dev_attention a;
    struct dev_attention_grads g;
    float *stats; /* (B*H*Lq, 3): largest logit, 1 / sum, sum of dw w */
};

__device__ float *stats_at(const struct backward &c, const struct work &at, int64_t i)
{
    return c.stats + 3 * ((at.b * c.a.H + at.h) * c.a.Lq + i);
}

/* Loads what a pass by queries needs of BWD keys from `first` on. */
template <int D>
__device__ void load_bwd(const struct dev_attention &a, const struct work &at, int64_t first,
                         const struct fragment_tile<D> &k, const struct fragment_tile<D> &v,
                         struct key_info *keys, uint8_t (*keep)[MASK_ROW])
{
    __syncthreads();
    load_tile<D>(a.k, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dk, BWD, k);
    load_tile<D>(a.v, at.b, a.k_rows, first, a.Lk, a.H, at.h, a.Dv, BWD, v);
    load_keys(a, at.b, first, BWD, keys);
    draw_mask(a, at.b, at.h, at.first, ROWS, first, BWD, keep);
    __syncthreads();
}

template <int D> __global__ void __launch_bounds__(THREADS) tensor_stats(struct backward c)
{
    DEV_SHARED(uint4, k_pieces, [BWD * fragment_tile<D>::PIECES]);
    DEV_SHARED(uint4, v_pieces, [BWD * fragment_tile<D>::PIECES]);
    DEV_SHARED(struct key_info, keys, [BWD]);
    DEV_SHARED(uint8_t, keep, [ROWS][MASK_ROW]);
    DEV_SHARED(int, flags, [4]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lq);
    struct queries q = queries_of(a, at);
    struct fragment_tile<D> k = {k_pieces}, v = {
        v_pieces
    };
    struct running r = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
    int64_t seen = at.first + ROWS + a.Lk - a.Lq;
    float delta[2] = {0.0f, 0.0f};
    unsigned left[D / 16][4], dout[D / 16][4];

    load_left<D>(a.q, at, a.Lq, a.H, a.Dk, left);
    load_left<D>(c.g.dout, at, a.Lq, a.H, a.Dv, dout);
    for (int64_t first = 0; first < a.Lk; first += BWD) {
        float x[BWD / 8][4], dw[BWD / 8][4], factor[2];

        if (a.causal && first >= seen && !rows_saw_nothing(q, r.largest, flags))
            break;
        load_bwd(a, at, first, k, v, keys, keep);
        multiply_columns<D>(x, left, k);
        multiply_columns<D>(dw, dout, v);
        mask_logits(a, at, q, first, keys, x);
        go_on(&r, x, factor);
        delta[0] *= factor[0];
        delta[1] *= factor[1];
        DEV_UNROLL
        for (int n = 0; n < BWD / 8; n++)
            DEV_UNROLL
        for (int e = 0; e < 4; e++)
            if (x[n][e] != 0.0f)
                delta[e / 2] += x[n][e] * dw[n][e] *
                                kept(a.dropout, keep, at.row + e / 2 * 8, 8 * n + 2 * at.t + e % 2);
    }
    DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        float sum = row_sum(r.sum[half]), dw_w = row_sum(delta[half]);

        if (q.there[half] && at.t == 0) {
            float *to = stats_at(c, at, at.first + at.row + 8 * half);

            to[0] = r.largest[half];
            to[1] = 1.0f / sum;
            to[2] = dw_w / sum;
        }
    }
}

struct row_stats {
    float largest, inverse, delta;
};

/* From the logit x and the product dw of dout and v: the weight after dropout into x, the gradient
 * of the product q k into dw. */
__device__ void grads_of(const struct row_stats &s, float scale, float factor, float *x, float *dw)
{
    float w = *x == -INFINITY ? 0.0f : expf(*x - s.largest) * s.inverse;

    *x = w == 0.0f ? 0.0f : w * factor;
    *dw = w == 0.0f ? 0.0f : w * (*dw * factor - s.delta) * scale;
}

/* dq, by tiles of queries. */
template <int D> __global__ void __launch_bounds__(THREADS) tensor_dq(struct backward c)
{
    DEV_SHARED(uint4, k_pieces, [BWD * fragment_tile<D>::PIECES]);
    DEV_SHARED(uint4, v_pieces, [BWD * fragment_tile<D>::PIECES]);
    DEV_SHARED(struct key_info, keys, [BWD]);
    DEV_SHARED(uint8_t, keep, [ROWS][MASK_ROW]);
    DEV_SHARED(int, flags, [4]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lq);
    struct queries q = queries_of(a, at);
    struct fragment_tile<D> k = {k_pieces}, v = {
        v_pieces
    };
    int64_t seen = at.first + ROWS + a.Lk - a.Lq;
    float dq[D / 8][4] = {}, largest[2], one[2] = {1.0f, 1.0f};
    unsigned left[D / 16][4], dout[D / 16][4];
    struct row_stats s[2];
    bool all;

    DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        const float *from =
            stats_at(c, at, q.there[half] ? at.first + at.row + 8 * half : at.first);

        s[half] = {from[0], from[1], from[2]};
        largest[half] = s[half].largest;
    }
    all = rows_saw_nothing(q, largest, flags);
    load_left<D>(a.q, at, a.Lq, a.H, a.Dk, left);
    load_left<D>(c.g.dout, at, a.Lq, a.H, a.Dv, dout);
    for (int64_t first = 0; first < a.Lk && (all || !a.causal || first < seen); first += BWD) {
        float x[BWD / 8][4], dw[BWD / 8][4];

        load_bwd(a, at, first, k, v, keys, keep);
        multiply_columns<D>(x, left, k);
        multiply_columns<D>(dw, dout, v);
        mask_logits(a, at, q, first, keys, x);
        DEV_UNROLL
        for (int n = 0; n < BWD / 8; n++)
            DEV_UNROLL
        for (int e = 0; e < 4; e++)
            grads_of(s[e / 2], a.scale,
                     kept(a.dropout, keep, at.row + e / 2 * 8, 8 * n + 2 * at.t + e % 2), &x[n][e],
                     &dw[n][e]);
        multiply_rows<D>(dq, dw, k);
    }
    store_rows<D>(c.g.dq, at, a.Lq, a.H, a.Dk, dq, one, c.g.accumulate_q);
}

/* A query of the tile that the last pass has in shared memory. */
struct query_info {
    struct attention_side side;
    struct row_stats s;
};

/* Tiles of the last pass: keys and values of the block, then queries and dout. */
template <int D> constexpr int dkv_pieces()
{
    return 2 * (ROWS + BWD) * fragment_tile<D>::PIECES;
}

/* sum (16, 8 N) = rows first .. first+15 of one tile times the 8 N rows of another, turned. */
template <int D, int N>
__device__ void multiply_tiles(float (&sum)[N][4], const struct fragment_tile<D> &left, int first,
                               const struct fragment_tile<D> &right)
{
    DEV_UNROLL
    for (int n = 0; n < N; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0.0f;
    DEV_UNROLL
    for (int step = 0; step < D / 16; step++) {
        unsigned a[4];

        left.left(first, step, a);
        DEV_UNROLL
        for (int n = 0; n < N; n += 2) {
            unsigned b[4];

            right.columns(8 * n, step, b);
            multiply_fragments(sum[n], a, b[0], b[1]);
            multiply_fragments(sum[n + 1], a, b[2], b[3]);
        }
    }
}

/* dk and dv, by tiles of keys: rows of what a warp holds are keys, columns are queries. */
template <int D> __global__ void __launch_bounds__(THREADS) tensor_dkv(struct backward c)
{
    DEV_DYNAMIC_SHARED(uint4, pieces);
    DEV_SHARED(struct query_info, rows, [BWD]);
    DEV_SHARED(uint8_t, keep, [BWD][MASK_ROW]);
    DEV_SHARED(int, flags, [4]);
    const struct dev_attention &a = c.a;
    struct work at = work_of(a, a.Lk);
    DEV_ASSUME(a.step_keys == 0);
    struct fragment_tile<D> k = {pieces}, v = {
        k.pieces + ROWS *fragment_tile<D>::PIECES
    };
    struct fragment_tile<D> q = {
        v.pieces + ROWS *fragment_tile<D>::PIECES
    };
    struct fragment_tile<D> dout = {
        q.pieces + BWD *fragment_tile<D>::PIECES
    };
    float dk[D / 8][4] = {}, dv[D / 8][4] = {}, one[2] = {1.0f, 1.0f};
    int n = (int) threadIdx.x, warp_first = at.row / 16 * 16;
    struct key_info own[2] = {};

    DEV_UNROLL
    for (int half = 0; half < 2; half++) {
        int64_t j = at.first + at.row + 8 * half;

        if (j < a.Lk)
            own[half] = {key_side(a, at.b, j), key_hidden(a, at.b, j) ? 1 : 0};
    }
    load_tile<D>(a.k, at.b, a.k_rows, at.first, a.Lk, a.H, at.h, a.Dk, ROWS, k);
    load_tile<D>(a.v, at.b, a.k_rows, at.first, a.Lk, a.H, at.h, a.Dv, ROWS, v);
    for (int64_t first = 0; first < a.Lq; first += BWD) {
        bool there = n < BWD && first + n < a.Lq;
        float x[BWD / 8][4], dw[BWD / 8][4];

        __syncthreads();
        if (there) {
            const float *s = stats_at(c, at, first + n);

            rows[n] = {query_side(a, at.b, first + n), {s[0], s[1], s[2]}};
        }
        /* queries that see none of the keys, unless one of them sees no key that counts */
        if (a.causal && first + BWD - 1 + a.Lk - a.Lq < at.first &&
            !some_row_saw_nothing(there, there ? rows[n].s.largest : 0.0f, flags))
            continue;
        load_tile<D>(a.q, at.b, a.Lq, first, a.Lq, a.H, at.h, a.Dk, BWD, q);
        load_tile<D>(c.g.dout, at.b, a.Lq, first, a.Lq, a.H, at.h, a.Dv, BWD, dout);
        draw_mask(a, at.b, at.h, first, BWD, at.first, ROWS, keep);
        __syncthreads();
        multiply_tiles<D>(x, k, warp_first, q);
        multiply_tiles<D>(dw, v, warp_first, dout);
        DEV_UNROLL
        for (int m = 0; m < BWD / 8; m++)
            DEV_UNROLL
        for (int e = 0; e < 4; e++) {
            int key = at.row + e / 2 * 8, query = 8 * m + 2 * at.t + e % 2;
            int64_t i = first + query, j = at.first + key;
            bool seen = i < a.Lq && j < a.Lk;

            x[m][e] = seen ? logit_seen(a, i + a.Lk - a.Lq, j, x[m][e] * a.scale, rows[query].side,
                                        own[e / 2].side, own[e / 2].hidden)
                           : -INFINITY;
            grads_of(rows[query].s, a.scale, seen ? kept(a.dropout, keep, query, key) : 0.0f,
                     &x[m][e], &dw[m][e]);
        }
        multiply_rows<D>(dv, x, dout);
        multiply_rows<D>(dk, dw, q);
    }
    if (c.g.dk)
        store_rows<D>(c.g.dk, at, a.Lk, a.H, a.Dk, dk, one, c.g.accumulate_k);
    if (c.g.dv)
        store_rows<D>(c.g.dv, at, a.Lk, a.H, a.Dv, dv, one, c.g.accumulate_v);
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
    LAUNCH(d, "attention", (tensor_forward < D, D <= 64 ? 64 : 32 >), blocks(a, a->Lq), THREADS, 0,
           *a);
}

template <int D> void backward_passes(struct dev *d, const struct backward &c)
{
    int bytes = dkv_pieces<D>() * (int) sizeof(uint4);

    LAUNCH(d, "attention_bwd", tensor_stats<D>, blocks(&c.a, c.a.Lq), THREADS, 0, c);
    if (c.g.dq)
        LAUNCH(d, "attention_bwd", tensor_dq<D>, blocks(&c.a, c.a.Lq), THREADS, 0, c);
    if (!c.g.dk && !c.g.dv)
        return;
    dev_cuda_ok(d,
                cudaFuncSetAttribute((const void *) tensor_dkv<D>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                "cudaFuncSetAttribute");
    LAUNCH(d, "attention_bwd", tensor_dkv<D>, blocks(&c.a, c.a.Lk), THREADS, (size_t) bytes, c);
}

/* Pieces of eight numbers are loaded at once. */
bool in_pieces(const void *p)
{
    return (uintptr_t) p % 16 == 0;
}

} /* namespace */

bool dev_cuda_attention_on_tensor(const struct dev_attention *a)
{
    return a->type == DEV_BFLOAT16 && a->relative.kind == DEV_RELATIVE_NONE && a->hard_k == 0 &&
           !a->cache_index && a->Lq > 4 && a->Dk % 8 == 0 && a->Dv % 8 == 0 && width_of(a) >= 32 &&
           width_of(a) <= MOST_WIDTH;
}

void dev_cuda_attention_tensor(struct dev *d, const struct dev_attention *a)
{
    if (a->B * a->H == 0)
        return;
    T2_ASSERT(in_pieces(a->q) && in_pieces(a->k) && in_pieces(a->v));
    if (width_of(a) <= 32)
        forward<32>(d, a);
    else if (width_of(a) <= 64)
        forward<64>(d, a);
    else
        forward<128>(d, a);
}

void dev_cuda_attention_tensor_bwd(struct dev *d, const struct dev_attention_bwd_args *args)
{
    const struct dev_attention *a = &args->of;
    struct backward c = {*a, args->g, args->scratch};

    if (a->B * a->H == 0)
        return;
    T2_ASSERT(in_pieces(a->q) && in_pieces(a->k) && in_pieces(a->v) && in_pieces(args->g.dout));
    if (width_of(a) <= 32)
        backward_passes<32>(d, c);
    else if (width_of(a) <= 64)
        backward_passes<64>(d, c);
    else
        backward_passes<128>(d, c);
}

int64_t dev_cuda_attention_tensor_scratch(const struct dev_attention *a)
{
    return 3 * a->B * a->H * a->Lq;
}
