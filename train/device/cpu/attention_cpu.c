/*
 * train/device/cpu/attention_cpu.c - multi-head attention, one (batch element, head) per piece of work.
 *
 * Keys and values of the pair are packed into a worker's scratch memory, where a block of queries
 * meets them: the weights exist only for that block.  The backward pass computes them again.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

enum {
    QUERIES = 32, /* queries of one block */
    FEW = 4       /* up to so many queries are not worth packing the keys for (decoding) */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t padded(int64_t n)
{
    return (n + DEV_LANES - 1) / DEV_LANES * DEV_LANES;
}

/* ---- a product of small matrices ---- */

/* R rows and W vectors of columns of C [+]= A B. */
DEV_INLINE void product_block(int R, int W, int64_t K, const float *A, int64_t a_row, int64_t a_col,
                              const float *B, int64_t ldb, bool accumulate, float *C, int64_t ldc)
{
    vf sum[8][2];

    for (int r = 0; r < R; ++r)
        for (int w = 0; w < W; ++w)
            sum[r][w] = accumulate ? vf_load(C + r * ldc + w * DEV_LANES) : vf_set(0.0f);
    for (int64_t k = 0; k < K; ++k) {
        vf b[2];

        for (int w = 0; w < W; ++w)
            b[w] = vf_load(B + k * ldb + w * DEV_LANES);
        for (int r = 0; r < R; ++r) {
            vf x = vf_set(A[r * a_row + k * a_col]);

            for (int w = 0; w < W; ++w)
                sum[r][w] += x * b[w];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int w = 0; w < W; ++w)
            vf_store(C + r * ldc + w * DEV_LANES, sum[r][w]);
}

/* C (M,N) [+]= A B, A[i,k] at A[i * a_row + k * a_col], B (K,N) with row stride ldb; N is a multiple of
 * 16. */
static void product(int64_t M, int64_t N, int64_t K, const float *A, int64_t a_row, int64_t a_col,
                    const float *B, int64_t ldb, bool accumulate, float *C, int64_t ldc)
{
    int64_t j = 0;

    for (; j + 2 * DEV_LANES <= N; j += 2 * DEV_LANES) {
        int64_t i = 0;

        for (; i + 8 <= M; i += 8)
            product_block(8, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                          C + i * ldc + j, ldc);
        for (; i + 2 <= M; i += 2)
            product_block(2, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                          C + i * ldc + j, ldc);
        for (; i < M; ++i)
            product_block(1, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                          C + i * ldc + j, ldc);
    }
    if (j < N) {
        int64_t i = 0;

        for (; i + 8 <= M; i += 8)
            product_block(8, 1, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                          C + i * ldc + j, ldc);
        for (; i < M; ++i)
            product_block(1, 1, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                          C + i * ldc + j, ldc);
    }
}

/* to (rows, padded(n)) = scale * from (rows, n) with row stride `stride`; the padding is zero. */
static void pack_rows(const float *from, int64_t stride, int64_t rows, int64_t n, float scale,
                      float *to)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; ++r) {
        const float *f = from + r * stride;
        float *t = to + r * width;

        for (int64_t c = 0; c < n; ++c)
            t[c] = f[c] * scale;
        for (int64_t c = n; c < width; ++c)
            t[c] = 0.0f;
    }
}

/* to (n, padded(rows)) = transpose of from (rows, n); the padding is zero. */
static void pack_transposed(const float *from, int64_t stride, int64_t rows, int64_t n, float *to)
{
    int64_t width = padded(rows);

    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < n; ++c)
            to[c * width + r] = from[r * stride + c];
    for (int64_t c = 0; c < n; ++c)
        for (int64_t r = rows; r < width; ++r)
            to[c * width + r] = 0.0f;
}

static void unpack_rows(const float *from, int64_t rows, int64_t n, bool accumulate, float *to,
                        int64_t stride)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; ++r) {
        const float *f = from + r * width;
        float *t = to + r * stride;

        if (accumulate)
            for (int64_t c = 0; c < n; ++c)
                t[c] += f[c];
        else
            memcpy(t, f, (size_t) n * sizeof *t);
    }
}

/* ---- softmax of one row of logits ---- */

/* Masks as the original: -1e9 in place of the logit (added in float32, it absorbs it). */
static void softmax_row(const struct dev_attention *a, const int32_t *key_ids, int64_t n_visible,
                        int64_t n_keys, float *s)
{
    vf largest = vf_set(-3.0e38f), sum = {0};
    int64_t width = padded(n_keys);
    float top, inverse;

    if (key_ids)
        for (int64_t j = 0; j < n_keys; ++j)
            s[j] = key_ids[j] ? s[j] : -1e9f;
    if (a->causal)
        for (int64_t j = n_visible; j < n_keys; ++j)
            s[j] = -1e9f;
    for (int64_t j = n_keys; j < width; ++j)
        s[j] = -3.0e38f;
    for (int64_t j = 0; j < width; j += DEV_LANES)
        largest = vf_max(largest, vf_load(s + j));
    top = vf_largest(largest);
    for (int64_t j = 0; j < width; j += DEV_LANES) {
        vf e = vf_exp(vf_load(s + j) - vf_set(top));

        sum += e;
        vf_store(s + j, e);
    }
    inverse = 1.0f / vf_sum(sum);
    for (int64_t j = 0; j < width; j += DEV_LANES)
        vf_store(s + j, vf_load(s + j) * vf_set(inverse));
}

/* ---- dropout of the weights: plain.c's weight_index ---- */

struct mask {
    const struct dev_dropout *dropout;
    uint64_t first_group; /* of the pair */
    uint64_t row_floats;
    uint64_t group; /* whose words are in `word` */
    vu word[4];
};

static void mask_init(struct mask *m, const struct dev_attention *a, int64_t b, int64_t h)
{
    uint64_t row = (uint64_t) padded(a->Lk);
    uint64_t groups = ((uint64_t) a->Lq * row + 127) / 128;

    m->dropout = &a->dropout;
    m->row_floats = row;
    m->first_group = (uint64_t) (b * a->H + h) * groups;
    m->group = UINT64_MAX;
}

/* Factors of weights j .. j + 15 of query i. */
DEV_INLINE vf mask_factors(struct mask *m, int64_t i, int64_t j)
{
    uint64_t at = (uint64_t) i * m->row_floats + (uint64_t) j;
    uint64_t group = m->first_group + at / 128;

    if (group != m->group) {
        dropout_words(m->dropout, (uint32_t) group, m->word);
        m->group = group;
    }
    return dropout_factors(m->dropout, m->word, (int) (at / DEV_LANES % 8));
}

/* ---- forward ---- */

struct task {
    const struct dev_attention *a;
    const struct dev_attention_grads *g;
    float *scratch;
    int64_t scratch_floats; /* of one worker */
};

static int64_t forward_floats(const struct dev_attention *a)
{
    int64_t keys = padded(a->Lk), dv = padded(a->Dv);

    return a->Dk * keys + a->Lk * dv + QUERIES * (keys + dv + padded(a->Dk));
}

/* Keys that any query of the block can see; the rest of the row need not exist. */
static int64_t block_keys(const struct dev_attention *a, int64_t i_end)
{
    return a->causal && !a->key_ids ? least(a->Lk, i_end + a->Lk - a->Lq) : a->Lk;
}

/* One query against unpacked keys. */
static void few_forward(const struct dev_attention *a, int64_t b, int64_t h, int64_t i, float *s)
{
    int64_t kb = b / a->q_per_key, k_stride = a->H * a->Dk, v_stride = a->H * a->Dv;
    const float *q = a->q + ((b * a->Lq + i) * a->H + h) * a->Dk;
    const float *k = a->k + (kb * a->k_rows * a->H + h) * a->Dk;
    const float *v = a->v + (kb * a->k_rows * a->H + h) * a->Dv;
    float *out = a->out + ((b * a->Lq + i) * a->H + h) * a->Dv;
    struct mask m;

    for (int64_t j = 0; j < a->Lk; ++j) {
        vf sum = {0};
        int64_t c = 0;

        for (; c + DEV_LANES <= a->Dk; c += DEV_LANES)
            sum += vf_load(q + c) * vf_load(k + j * k_stride + c);
        if (c < a->Dk)
            sum += vf_load_part(q + c, a->Dk - c) * vf_load_part(k + j * k_stride + c, a->Dk - c);
        s[j] = vf_sum(sum) * a->scale;
    }
    softmax_row(a, a->key_ids ? a->key_ids + kb * a->Lk : NULL, i + 1 + a->Lk - a->Lq, a->Lk, s);
    if (a->dropout.threshold) {
        mask_init(&m, a, b, h);
        for (int64_t j = 0; j < padded(a->Lk); j += DEV_LANES)
            vf_store(s + j, vf_load(s + j) * mask_factors(&m, i, j));
    }
    for (int64_t c = 0; c < a->Dv; ++c)
        out[c] = 0.0f;
    for (int64_t j = 0; j < a->Lk; ++j)
        for (int64_t c = 0; c < a->Dv; ++c)
            out[c] += s[j] * v[j * v_stride + c];
}

static void forward_pair(void *arg, int64_t piece, int worker)
{
    const struct task *t = arg;
    const struct dev_attention *a = t->a;
    int64_t b = piece / a->H, h = piece % a->H, kb = b / a->q_per_key;
    int64_t keys = padded(a->Lk), dv = padded(a->Dv), dk = padded(a->Dk);
    float *kt = t->scratch + worker * t->scratch_floats;
    float *v = kt + a->Dk * keys, *s = v + a->Lk * dv, *o = s + QUERIES * keys;
    float *q = o + QUERIES * dv;
    struct mask m;

    if (a->Lq <= FEW) {
        for (int64_t i = 0; i < a->Lq; ++i)
            few_forward(a, b, h, i, kt);
        return;
    }
    mask_init(&m, a, b, h);
    pack_transposed(a->k + (kb * a->k_rows * a->H + h) * a->Dk, a->H * a->Dk, a->Lk, a->Dk, kt);
    pack_rows(a->v + (kb * a->k_rows * a->H + h) * a->Dv, a->H * a->Dv, a->Lk, a->Dv, 1.0f, v);
    for (int64_t i0 = 0; i0 < a->Lq; i0 += QUERIES) {
        int64_t n = least(QUERIES, a->Lq - i0), n_keys = block_keys(a, i0 + n);
        int64_t width = padded(n_keys);

        pack_rows(a->q + ((b * a->Lq + i0) * a->H + h) * a->Dk, a->H * a->Dk, n, a->Dk, a->scale,
                  q);
        product(n, width, a->Dk, q, dk, 1, kt, keys, false, s, keys);
        for (int64_t i = 0; i < n; ++i) {
            float *row = s + i * keys;

            softmax_row(a, a->key_ids ? a->key_ids + kb * a->Lk : NULL, i0 + i + 1 + a->Lk - a->Lq,
                        n_keys, row);
            for (int64_t j = 0; a->dropout.threshold && j < width; j += DEV_LANES)
                vf_store(row + j, vf_load(row + j) * mask_factors(&m, i0 + i, j));
        }
        product(n, dv, n_keys, s, keys, 1, v, dv, false, o, dv);
        unpack_rows(o, n, a->Dv, false, a->out + ((b * a->Lq + i0) * a->H + h) * a->Dv,
                    a->H * a->Dv);
    }
}

void DEV_CPU(dev_cpu_attention)(struct dev *d, const struct dev_attention *a, float *scratch)
{
    struct task t = {.a = a, .scratch = scratch, .scratch_floats = forward_floats(a)};

    T2_ASSERT(!a->causal || a->Lk >= a->Lq);
    dev_cpu_run(d, a->B * a->H, forward_pair, &t);
}

/* ---- backward ---- */

static int64_t backward_floats(const struct dev_attention *a)
{
    int64_t keys = padded(a->Lk), dv = padded(a->Dv), dk = padded(a->Dk);

    return (a->Dk + a->Dv) * keys + a->Lk * (2 * dk + dv) + QUERIES * (2 * keys + 2 * dk + dv);
}

/* From weights p and the gradient of what they multiply: p becomes the dropped weights, dp the
 * gradient of the logits. */
static void backward_row(struct mask *m, int64_t i, int64_t width, float *p, float *dp)
{
    vf dot = {0};
    float total;

    if (m->dropout->threshold) {
        for (int64_t j = 0; j < width; j += DEV_LANES) {
            vf f = mask_factors(m, i, j), w = vf_load(p + j), g = vf_load(dp + j) * f;

            dot += w * g;
            vf_store(dp + j, g);
        }
        total = vf_sum(dot);
        for (int64_t j = 0; j < width; j += DEV_LANES) {
            vf w = vf_load(p + j);

            vf_store(dp + j, w * (vf_load(dp + j) - vf_set(total)));
            vf_store(p + j, w * mask_factors(m, i, j));
        }
    } else {
        for (int64_t j = 0; j < width; j += DEV_LANES)
            dot += vf_load(p + j) * vf_load(dp + j);
        total = vf_sum(dot);
        for (int64_t j = 0; j < width; j += DEV_LANES)
            vf_store(dp + j, vf_load(p + j) * (vf_load(dp + j) - vf_set(total)));
    }
}

static void backward_pair(void *arg, int64_t piece, int worker)
{
    const struct task *t = arg;
    const struct dev_attention *a = t->a;
    const struct dev_attention_grads *g = t->g;
    int64_t b = piece / a->H, h = piece % a->H;
    int64_t keys = padded(a->Lk), dv = padded(a->Dv), dk = padded(a->Dk);
    int64_t k_at = (b * a->Lk * a->H + h) * a->Dk, v_at = (b * a->Lk * a->H + h) * a->Dv;
    float *kt = t->scratch + worker * t->scratch_floats;
    float *vt = kt + a->Dk * keys, *k = vt + a->Dv * keys;
    float *dk_sum = k + a->Lk * dk, *dv_sum = dk_sum + a->Lk * dk;
    float *p = dv_sum + a->Lk * dv, *dp = p + QUERIES * keys;
    float *q = dp + QUERIES * keys, *dq = q + QUERIES * dk, *dout = dq + QUERIES * dk;
    struct mask m;

    mask_init(&m, a, b, h);
    pack_transposed(a->k + k_at, a->H * a->Dk, a->Lk, a->Dk, kt);
    pack_transposed(a->v + v_at, a->H * a->Dv, a->Lk, a->Dv, vt);
    pack_rows(a->k + k_at, a->H * a->Dk, a->Lk, a->Dk, a->scale, k);
    memset(dk_sum, 0, (size_t) (a->Lk * (dk + dv)) * sizeof *dk_sum);
    for (int64_t i0 = 0; i0 < a->Lq; i0 += QUERIES) {
        int64_t n = least(QUERIES, a->Lq - i0), n_keys = block_keys(a, i0 + n);
        int64_t width = padded(n_keys);
        int64_t q_at = ((b * a->Lq + i0) * a->H + h) * a->Dk;
        int64_t out_at = ((b * a->Lq + i0) * a->H + h) * a->Dv;

        pack_rows(a->q + q_at, a->H * a->Dk, n, a->Dk, a->scale, q);
        pack_rows(g->dout + out_at, a->H * a->Dv, n, a->Dv, 1.0f, dout);
        product(n, width, a->Dk, q, dk, 1, kt, keys, false, p, keys);
        product(n, width, a->Dv, dout, dv, 1, vt, keys, false, dp, keys);
        for (int64_t i = 0; i < n; ++i) {
            softmax_row(a, a->key_ids ? a->key_ids + b * a->Lk : NULL, i0 + i + 1 + a->Lk - a->Lq,
                        n_keys, p + i * keys);
            backward_row(&m, i0 + i, width, p + i * keys, dp + i * keys);
        }
        product(n_keys, dv, n, p, 1, keys, dout, dv, true, dv_sum, dv);
        product(n_keys, dk, n, dp, 1, keys, q, dk, true, dk_sum, dk);
        product(n, dk, n_keys, dp, keys, 1, k, dk, false, dq, dk);
        if (g->dq)
            unpack_rows(dq, n, a->Dk, g->accumulate_q, g->dq + q_at, a->H * a->Dk);
    }
    if (g->dk)
        unpack_rows(dk_sum, a->Lk, a->Dk, g->accumulate_k, g->dk + k_at, a->H * a->Dk);
    if (g->dv)
        unpack_rows(dv_sum, a->Lk, a->Dv, g->accumulate_v, g->dv + v_at, a->H * a->Dv);
}

void DEV_CPU(dev_cpu_attention_bwd)(struct dev *d, const struct dev_attention *a,
                                    const struct dev_attention_grads *g, float *scratch)
{
    struct task t = {.a = a, .g = g, .scratch = scratch, .scratch_floats = backward_floats(a)};

    T2_ASSERT(a->k_rows == a->Lk && a->q_per_key == 1);
    dev_cpu_run(d, a->B * a->H, backward_pair, &t);
}

int64_t DEV_CPU(dev_cpu_attention_scratch)(const struct dev *d, const struct dev_attention *a,
                                           bool backward)
{
    return t2_pool_threads(d->pool) * (backward ? backward_floats(a) : forward_floats(a));
}
