/*
 * train/device/cuda/xent_cuda.cu - softmax and cross-entropy over a vocabulary, with their
 * gradients.
 *
 * Rows go through in chunks: a product makes the logits of a chunk, a block a row turns them into
 * gradients in place, two products multiply these by the table and by x.  So at most 2^25 logits
 * are held instead of (N,V).  Each is written twice and read three times; products alone would
 * write once and read twice.  With 16 bits a row's gradients are stored rounded, as the products
 * want them, in the first half of its place.
 */
#include "train/device/cuda/softmax_row.cuh"

namespace
{

const int64_t MOST_LOGITS = 1 << 25;

int64_t chunk_rows(int64_t N, int64_t V)
{
    int64_t rows = MOST_LOGITS / V / 64 * 64;

    rows = rows < 64 ? 64 : rows;
    return rows < N ? rows : N;
}

struct targets {
    double conf, low, norm;
};

/* A row's gradients of V logits at s, rounded to `type`, from its first byte on: a tile is read by
 * all threads before any of it is written, and what is written lies in it or in front of it. */
template <class F> __device__ void put_rounded(enum dev_type type, float *s, int64_t V, F gradient)
{
    for (int64_t at = 0; at < V; at += blockDim.x) {
        int64_t v = at + threadIdx.x;
        float g = v < V ? gradient(v) : 0.0f;

        __syncthreads();
        if (v < V)
            dev_put(type, s, v, g);
    }
}

/* Row `first + blockIdx.x` of x: logits (V) become gradients, of the type `stored`. */
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    xent_rows(struct dev_xent a, struct targets t, int64_t first, enum dev_type stored,
              float *logits)
{
    DEV_SHARED(float, parts, [DEV_CUDA_WARP]);
    int64_t row = first + blockIdx.x, label = a.labels[row];
    float *s = logits + (int64_t) blockIdx.x * a.V, *stats = a.row_stats + 4 * row;
    float weight = a.weights ? a.weights[row] : 1.0f, scale;
    struct softmax_row r;

    if (label == 0) {
        if (threadIdx.x < 4)
            stats[threadIdx.x] = 0.0f;
        for (int64_t v = threadIdx.x; a.dx && v < a.V; v += blockDim.x)
            s[v] = 0.0f;
        return;
    }
    r = softmax_of(s, a.V, label, parts);
    if (threadIdx.x == 0) {
        put_row_stats(stats, r, (double) r.own, a.V, t.conf, t.low, t.norm);
        stats[0] *= weight;
    }
    if (!a.dx)
        return;
    scale = a.step->grad_scale * weight;
    put_rounded(stored, s, a.V, [&](int64_t v) {
        return (expf(s[v] - r.largest) * r.inverse - (float) (v == label ? t.conf : t.low)) * scale;
    });
}

void set_table(const struct dev_xent *a, struct dev_gemm *g)
{
    g->type_b = a->rounded_type;
    g->B = a->rounded_table ? a->rounded_table : a->table;
}

/* The three products of `rows` rows of x from number `first` on. */
struct dev_gemm logits_of(const struct dev_xent *a, int64_t first, int64_t rows, float *logits)
{
    struct dev_gemm g = {};

    g.trans_b = true;
    g.M = rows;
    g.N = g.ldc = a->V;
    g.K = g.lda = g.ldb = a->D;
    g.type_a = a->type;
    g.A = dev_element_in(a->type, a->x, first * a->D);
    set_table(a, &g);
    g.C = logits;
    return g;
}

/* As what gradients of logits are stored, each row in the place of V floats. */
enum dev_type stored_type(const struct dev *d)
{
    return d->precision;
}

int64_t stored_stride(const struct dev *d, int64_t V)
{
    return d->precision == DEV_FLOAT32 ? V : 2 * V;
}

/* dx (rows,D) = gradients (rows,V) table (V,D) */
struct dev_gemm dx_of(const struct dev *d, const struct dev_xent *a, int64_t first, int64_t rows,
                      float *logits)
{
    struct dev_gemm g = {};

    g.M = rows;
    g.N = g.ldb = g.ldc = a->D;
    g.K = a->V;
    g.lda = stored_stride(d, a->V);
    g.type_a = stored_type(d);
    g.type_c = a->type;
    g.A = logits;
    set_table(a, &g);
    g.C = dev_element(a->type, a->dx, first * a->D);
    g.accumulate = a->accumulate_x;
    return g;
}

/* dtable (V,D) += gradients^T x */
struct dev_gemm dtable_of(const struct dev *d, const struct dev_xent *a, int64_t first,
                          int64_t rows, float *logits)
{
    struct dev_gemm g = {};

    g.trans_a = true;
    g.M = a->V;
    g.lda = stored_stride(d, a->V);
    g.type_a = stored_type(d);
    g.N = g.ldb = g.ldc = a->D;
    g.K = rows;
    g.type_b = a->type;
    g.A = logits;
    g.B = dev_element_in(a->type, a->x, first * a->D);
    g.C = a->dtable;
    g.accumulate = a->accumulate_table || first > 0;
    return g;
}

void run(struct dev *d, struct dev_gemm g, float *scratch)
{
    g.scratch = scratch;
    dev_cuda_gemm(d, &g);
}

} /* namespace */

extern "C" {

void dev_cuda_xent(struct dev *d, const struct dev_xent *a)
{
    int64_t most = chunk_rows(a->N, a->V);
    float *logits = a->scratch, *rest = logits + most * a->V;
    struct targets t;

    t.conf = 1.0 - (double) a->smoothing;
    t.low = (double) a->smoothing / (double) (a->V - 1);
    t.norm = -(t.conf * log(t.conf) + (double) (a->V - 1) * t.low * log(t.low + 1e-20));
    for (int64_t first = 0; first < a->N; first += most) {
        int64_t rows = a->N - first < most ? a->N - first : most;

        run(d, logits_of(a, first, rows, logits), rest);
        LAUNCH(d, "xent", xent_rows, (unsigned) rows, DEV_CUDA_BLOCK, 0, *a, t, first,
               stored_type(d), logits);
        if (!a->dx)
            continue;
        run(d, dx_of(d, a, first, rows, logits), rest);
        run(d, dtable_of(d, a, first, rows, logits), rest);
    }
    if (a->N == 0 && a->dx && !a->accumulate_table)
        d->zero(d, a->dtable, (size_t) (a->V * a->D) * sizeof(float));
}

int64_t dev_cuda_xent_scratch(const struct dev *d, const struct dev_xent *a)
{
    int64_t rows = chunk_rows(a->N, a->V), most = 0;
    const struct dev_gemm gemms[] = {logits_of(a, 0, rows, NULL), dx_of(d, a, 0, rows, NULL),
                                     dtable_of(d, a, 0, rows, NULL)};

    for (int i = 0; i < 3; i++) {
        int64_t n = dev_cuda_gemm_scratch(d, &gemms[i]);

        most = n > most ? n : most;
    }
    return rows * a->V + most;
}

} /* extern "C" */
