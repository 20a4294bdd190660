/*
 * train/device/cuda/attention_rows.cu - attention with the weights of some pairs of batch element
 * and head in memory: relative tables, hard weights, wide heads, single queries of decoding.
 *
 * A block makes one row of weights, or gradients of logits; then blocks multiply these rows by
 * values, keys and queries, each result added up by one thread in a fixed order.  As many pairs go
 * at once as MOST_FLOATS has room for.  Weights are written once and read once forward, and two
 * matrices of gradients are written once and read twice backward, where tiles would hold them in
 * shared memory.
 */
#include "train/device/cuda/attention_parts.cuh"

namespace
{

const int64_t MOST_FLOATS = 1 << 24;
enum { ROW_THREADS = 128 };

/* The pairs of a chunk, and their rows. */
struct chunk {
    struct dev_attention a;
    int64_t first, pairs; /* pair = b * H + h */
    float *matrices;      /* (n_matrices, pairs, Lq, Lk) */
    int64_t stride;       /* from one matrix to the next */
    int64_t planned_Lk;   /* rows lie this far apart: Lk is known on the device only */
};

struct place {
    int64_t b, h, i, pair;
};

__device__ struct place place_of(const struct chunk &c)
{
    int64_t pair = (int64_t) blockIdx.x / c.a.Lq, whole = c.first + pair;

    return {whole / c.a.H, whole % c.a.H, (int64_t) blockIdx.x % c.a.Lq, pair};
}

__device__ float *row_at(const struct chunk &c, int matrix, int64_t pair, int64_t i)
{
    return c.matrices + matrix * c.stride + (pair * c.a.Lq + i) * c.planned_Lk;
}

/* Of n elements of x from number i on with those of y from j on. */
__device__ float dot(enum dev_type x_type, const void *x, int64_t i, enum dev_type y_type,
                     const void *y, int64_t j, int64_t n)
{
    float sum = 0.0f;

    for (int64_t c = 0; c < n; c++)
        sum += get(x_type, x, i + c) * get(y_type, y, j + c);
    return sum;
}

__device__ int64_t query_at(const struct dev_attention &a, struct place p, int64_t i)
{
    return (p.b * a.Lq + i) * a.H + p.h;
}

__device__ int64_t key_at(const struct dev_attention &a, struct place p, int64_t j)
{
    int64_t element = dev_cache_element(a.cache_index, a.k_rows, p.b, p.b / a.q_per_key, j);

    return (element * a.k_rows + j) * a.H + p.h;
}

/* ---- weights ---- */

/* The softmax of the row's logits into w (Lk). */
__device__ void soft_weights(const struct dev_attention &a, struct place p, float *w, float *parts)
{
    float largest = -INFINITY, sum = 0.0f;

    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS) {
        float x =
            dot(a.type, a.q, query_at(a, p, p.i) * a.Dk, a.type, a.k, key_at(a, p, j) * a.Dk, a.Dk);
        int64_t from, row;

        if (relative_place(a, p.i, j, &from, &row))
            x += dot(a.type, a.q, query_at(a, p, from) * a.Dk, DEV_FLOAT32, a.relative.k,
                     table_at(a, p.h, row, a.Dk), a.Dk);
        w[j] = masked_logit(a, p.b, p.i, j, x * a.scale);
        largest = fmaxf(largest, w[j]);
    }
    largest = block_max(largest, parts);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS) {
        w[j] = expf(w[j] - largest);
        sum += w[j];
    }
    sum = block_sum(sum, parts);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
        w[j] /= sum;
}

/* Makes w hard into `to`, which may be w; returns the divisor (struct dev_attention). */
__device__ float harden(const struct dev_attention &a, const float *w, float *to, float *parts)
{
    float top = INFINITY, sum = 0.0f;

    for (int64_t n = 0; n < a.hard_k && top > 0.0f; n++) {
        float largest = 0.0f;

        for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
            largest = w[j] < top ? fmaxf(largest, w[j]) : largest;
        top = block_max(largest, parts);
    }
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS) {
        to[j] = w[j] > top ? w[j] - top : 0.0f;
        sum += to[j];
    }
    sum = fmaxf(block_sum(sum, parts), 1e-6f);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
        to[j] /= sum;
    return sum;
}

__global__ void __launch_bounds__(ROW_THREADS) weight_rows(struct chunk c)
{
    DEV_SHARED(float, parts, [DEV_CUDA_WARP]);
    struct place p = place_of(c);
    struct dev_attention now = dev_attention_now(&c.a), a = c.a = dev_attention_of(&now, p.b);
    float *w = row_at(c, 0, p.pair, p.i);

    soft_weights(a, p, w, parts);
    if (a.hard_k > 0)
        harden(a, w, w, parts);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
        w[j] *= weight_factor(a, p.b, p.h, p.i, j);
}

/*
 * Sum over the weights of matrix rows that meet query i, each times column n of a vector (B,Lk,H,
 * width) of its key, and times that of the table for those that relative_place gives query i: of
 * its own row, and in DEV_RELATIVE_LEFT of the row before it, right of the diagonal.
 */
__device__ float gathered(const struct chunk &c, struct place p, int matrix, const void *vectors,
                          const float *table, int64_t width, int64_t n)
{
    const struct dev_attention &a = c.a;
    const float *w = row_at(c, matrix, p.pair, p.i);
    float sum = 0.0f;

    for (int64_t j = 0; j < a.Lk; j++) {
        int64_t query, row;

        sum += w[j] * get(a.type, vectors, key_at(a, p, j) * width + n);
        if (table && relative_place(a, p.i, j, &query, &row) && query == p.i)
            sum += w[j] * table[table_at(a, p.h, row, width) + n];
    }
    if (!table || a.relative.kind != DEV_RELATIVE_LEFT || p.i == 0)
        return sum;
    w = row_at(c, matrix, p.pair, p.i - 1);
    for (int64_t j = p.i + a.Lk - a.Lq + 1; j < a.Lk; j++) {
        int64_t query, row;

        if (relative_place(a, p.i - 1, j, &query, &row) && query == p.i)
            sum += w[j] * table[table_at(a, p.h, row, width) + n];
    }
    return sum;
}

__global__ void __launch_bounds__(ROW_THREADS) sum_values(struct chunk c)
{
    struct place p = place_of(c);
    struct dev_attention now = dev_attention_now(&c.a), a = c.a = dev_attention_of(&now, p.b);

    for (int64_t n = threadIdx.x; n < a.Dv; n += ROW_THREADS)
        put(a.type, a.out, query_at(a, p, p.i) * a.Dv + n,
            gathered(c, p, 0, a.v, a.relative.v, a.Dv, n), false);
}

/* ---- gradients ---- */

/* Matrix 0 becomes the weights after dropout, matrix 1 the gradients of the logits' products; hard
 * weights keep the soft ones in matrix 2. */
__global__ void __launch_bounds__(ROW_THREADS)
    gradient_rows(struct chunk c, struct dev_attention_grads g)
{
    DEV_SHARED(float, parts, [DEV_CUDA_WARP]);
    const struct dev_attention &a = c.a;
    struct place p = place_of(c);
    float *w = row_at(c, 0, p.pair, p.i), *dw = row_at(c, 1, p.pair, p.i);
    float *soft = a.hard_k > 0 ? row_at(c, 2, p.pair, p.i) : w;
    float divisor = 1.0f, sum = 0.0f, hard_sum = 0.0f;

    soft_weights(a, p, soft, parts);
    if (a.hard_k > 0)
        divisor = harden(a, soft, w, parts);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS) {
        float x = dot(a.type, g.dout, query_at(a, p, p.i) * a.Dv, a.type, a.v,
                      key_at(a, p, j) * a.Dv, a.Dv);
        int64_t from, row;

        if (a.relative.v && relative_place(a, p.i, j, &from, &row))
            x += dot(a.type, g.dout, query_at(a, p, from) * a.Dv, DEV_FLOAT32, a.relative.v,
                     table_at(a, p.h, row, a.Dv), a.Dv);
        dw[j] = x * weight_factor(a, p.b, p.h, p.i, j);
        hard_sum += dw[j] * w[j];
    }
    if (a.hard_k > 0) {
        hard_sum = block_sum(hard_sum, parts);
        if (divisor <= 1e-6f)
            hard_sum = 0.0f;
        for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
            dw[j] = w[j] > 0.0f ? (dw[j] - hard_sum) / divisor : 0.0f;
    }
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS)
        sum += dw[j] * soft[j];
    sum = block_sum(sum, parts);
    for (int64_t j = threadIdx.x; j < a.Lk; j += ROW_THREADS) {
        dw[j] = soft[j] * (dw[j] - sum) * a.scale;
        w[j] *= weight_factor(a, p.b, p.h, p.i, j);
    }
}

__global__ void __launch_bounds__(ROW_THREADS)
    query_grads(struct chunk c, struct dev_attention_grads g)
{
    const struct dev_attention &a = c.a;
    struct place p = place_of(c);

    for (int64_t n = threadIdx.x; n < a.Dk; n += ROW_THREADS)
        put(a.type, g.dq, query_at(a, p, p.i) * a.Dk + n,
            gathered(c, p, 1, a.k, a.relative.k, a.Dk, n), g.accumulate_q);
}

/* to (B,Lk,H,D)[j] [+]= sum over i of matrix[i][j] from (B,Lq,H,D)[i], a block for each j. */
__global__ void __launch_bounds__(ROW_THREADS)
    key_grads(struct chunk c, int matrix, const void *from, int64_t D, void *to, bool accumulate)
{
    const struct dev_attention &a = c.a;
    int64_t pair = (int64_t) blockIdx.x / a.Lk, j = (int64_t) blockIdx.x % a.Lk;
    int64_t b = (c.first + pair) / a.H, h = (c.first + pair) % a.H;

    for (int64_t n = threadIdx.x; n < D; n += ROW_THREADS) {
        float sum = 0.0f;

        for (int64_t i = 0; i < a.Lq; i++)
            sum += row_at(c, matrix, pair, i)[j] *
                   get(a.type, from, ((b * a.Lq + i) * a.H + h) * D + n);
        put(a.type, to, ((b * a.Lk + j) * a.H + h) * D + n, sum, accumulate);
    }
}

/* Keys [first, last) that stand at row `row` of the table for query i of the matrix, left of the
 * diagonal or at it, and right of it. */
struct keys {
    int64_t first, last;
};

__device__ struct keys cut(int64_t first, int64_t last, int64_t Lk)
{
    return {first < 0 ? 0 : first, last > Lk ? Lk : last};
}

__device__ struct keys keys_of(const struct dev_attention &a, int64_t i, int64_t row)
{
    int64_t p = i + a.Lk - a.Lq, R = a.relative.rows / 2;

    if (a.relative.kind == DEV_RELATIVE_LEFT)
        p += row - (a.relative.rows - 1);
    else
        p += row - R;
    if (a.relative.kind == DEV_RELATIVE_CLIPPED && row == 0)
        return cut(0, row == 2 * R ? a.Lk : p + 1, a.Lk);
    if (a.relative.kind == DEV_RELATIVE_CLIPPED && row == 2 * R)
        return cut(p, a.Lk, a.Lk);
    return cut(p, p + 1, a.Lk);
}

/* parts (pairs,rows,D): what each pair gives to the table's gradients; a block a pair and row. */
__global__ void __launch_bounds__(ROW_THREADS)
    table_parts(struct chunk c, int matrix, const void *from, int64_t D, float *parts)
{
    const struct dev_attention &a = c.a;
    int64_t rows = a.relative.rows, pair = (int64_t) blockIdx.x / rows;
    int64_t row = (int64_t) blockIdx.x % rows, b = (c.first + pair) / a.H;
    int64_t h = (c.first + pair) % a.H;

    for (int64_t n = threadIdx.x; n < D; n += ROW_THREADS) {
        float sum = 0.0f;

        for (int64_t i = 0; i < a.Lq; i++) {
            const float *w = row_at(c, matrix, pair, i);
            struct keys k = keys_of(a, i, row);
            /* right of the diagonal, where DEV_RELATIVE_LEFT reads the next query */
            int64_t distance = row - rows + a.Lk + 2, right = i + a.Lk - a.Lq + distance;
            float factor = 0.0f;

            for (int64_t j = k.first; j < k.last; j++)
                factor += w[j];
            sum += factor * get(a.type, from, ((b * a.Lq + i) * a.H + h) * D + n);
            if (a.relative.kind == DEV_RELATIVE_LEFT && distance >= 2 && right < a.Lk)
                sum += w[right] * get(a.type, from, ((b * a.Lq + i + 1) * a.H + h) * D + n);
        }
        parts[(int64_t) blockIdx.x * D + n] = sum;
    }
}

/* to ([H,] rows, D) [+]= the parts of all pairs of the chunk, in their order. */
struct add_table_parts {
    struct chunk c;
    const float *parts;
    float *to;
    int64_t floats; /* rows * D */
    bool accumulate;
    __device__ void operator()(int64_t at) const
    {
        int64_t h = at / floats;
        float sum = accumulate ? to[at] : 0.0f;

        for (int64_t pair = 0; pair < c.pairs; pair++)
            if (!c.a.relative.per_head || (c.first + pair) % c.a.H == h)
                sum += parts[pair * floats + at % floats];
        to[at] = sum;
    }
};

/* ---- chunks ---- */

int64_t table_floats(const struct dev_attention *a)
{
    return a->relative.kind == DEV_RELATIVE_NONE
               ? 0
               : a->relative.rows * (a->Dk > a->Dv ? a->Dk : a->Dv);
}

int64_t n_matrices(const struct dev_attention *a, bool backward)
{
    return !backward ? 1 : a->hard_k > 0 ? 3 : 2;
}

/* Floats of scratch memory for each pair. */
int64_t pair_floats(const struct dev_attention *a, bool backward)
{
    return n_matrices(a, backward) * a->Lq * a->Lk + (backward ? table_floats(a) : 0);
}

int64_t pairs_at_once(const struct dev_attention *a, bool backward)
{
    int64_t n = MOST_FLOATS / (pair_floats(a, backward) + 1), all = a->B * a->H;

    return n < 1 ? 1 : n < all ? n : all;
}

void table_grads(struct dev *d, const struct chunk &c, int matrix, const void *from, int64_t D,
                 float *to, bool accumulate)
{
    int64_t rows = c.a.relative.rows, heads = c.a.relative.per_head ? c.a.H : 1;
    float *parts = c.matrices + n_matrices(&c.a, true) * c.stride;

    LAUNCH(d, "attention_bwd", table_parts, (unsigned) (c.pairs * rows), ROW_THREADS, 0, c, matrix,
           from, D, parts);
    for_each(d, "attention_bwd", heads * rows * D,
             add_table_parts{c, parts, to, rows * D, accumulate || c.first > 0});
}

void backward_chunk(struct dev *d, const struct chunk &c, const struct dev_attention_grads &g)
{
    const struct dev_attention &a = c.a;
    unsigned rows = (unsigned) (c.pairs * a.Lq), keys = (unsigned) (c.pairs * a.Lk);

    LAUNCH(d, "attention_bwd", gradient_rows, rows, ROW_THREADS, 0, c, g);
    if (g.dq)
        LAUNCH(d, "attention_bwd", query_grads, rows, ROW_THREADS, 0, c, g);
    if (g.dk)
        LAUNCH(d, "attention_bwd", key_grads, keys, ROW_THREADS, 0, c, 1, a.q, a.Dk, g.dk,
               g.accumulate_k);
    if (g.dv)
        LAUNCH(d, "attention_bwd", key_grads, keys, ROW_THREADS, 0, c, 0, g.dout, a.Dv, g.dv,
               g.accumulate_v);
    if (g.drelative_k)
        table_grads(d, c, 1, a.q, a.Dk, g.drelative_k, g.accumulate_relative_k);
    if (g.drelative_v)
        table_grads(d, c, 0, g.dout, a.Dv, g.drelative_v, g.accumulate_relative_v);
}

} /* namespace */

void dev_cuda_attention_rows(struct dev *d, const struct dev_attention_args *args)
{
    const struct dev_attention *a = &args->of;
    int64_t all = a->B * a->H, most = pairs_at_once(a, false);

    for (int64_t first = 0; first < all; first += most) {
        int64_t pairs = all - first < most ? all - first : most;
        struct chunk c = {*a, first, pairs, args->scratch, pairs * a->Lq * a->Lk, a->Lk};

        LAUNCH(d, "attention", weight_rows, (unsigned) (pairs * a->Lq), ROW_THREADS, 0, c);
        LAUNCH(d, "attention", sum_values, (unsigned) (pairs * a->Lq), ROW_THREADS, 0, c);
    }
}

void dev_cuda_attention_rows_bwd(struct dev *d, const struct dev_attention_bwd_args *args)
{
    const struct dev_attention *a = &args->of;
    int64_t all = a->B * a->H, most = pairs_at_once(a, true);

    for (int64_t first = 0; first < all; first += most) {
        int64_t pairs = all - first < most ? all - first : most;

        backward_chunk(d, {*a, first, pairs, args->scratch, pairs * a->Lq * a->Lk, a->Lk}, args->g);
    }
}

int64_t dev_cuda_attention_rows_scratch(const struct dev_attention *a, bool backward)
{
    return pairs_at_once(a, backward) * pair_floats(a, backward);
}
