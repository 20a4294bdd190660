/*
 * train/device/cpu/elementwise_cpu.c - kernels that pass once over memory: epilogues of gemms,
 * activations, dropout, residual connections, column sums, caches.
 *
 * All of them are bound by memory, not by arithmetic, so each reads and writes every element once,
 * and what follows a gemm (bias, ReLU, dropout) is done by the thread that computed the tile, while
 * it is in its cache.  Element-wise kernels are cut into pieces of RANGE elements, column sums into
 * blocks of SUM_ROWS rows: cuts that depend on the shape alone, so the bits do not depend on the
 * number of threads.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/gemm_times.h"

enum {
    RANGE = 16384, /* elements of one piece of work; a multiple of a dropout group */
    GROUP = 128
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- epilogue of a product ---- */

/* One row of a tile: c[j] = dropout(activation(c[j] + bias[col + j])), j < n.  `at` is the place of
 * c[0] in the mask.  A row of a tile may begin and end inside a group of 128 elements of the mask;
 * the neighbouring tile draws that group again. */
static void finish_row(const struct dev_gemm *a, float *c, int64_t col, int64_t n, int64_t at)
{
    const float *bias = a->bias ? a->bias + col : NULL;
    float factor[GROUP];
    int64_t group = -1;

    for (int64_t j = 0; j < n; j++) {
        float x = c[j];

        if (bias)
            x += bias[j];
        if (a->activation == DEV_RELU)
            x = x < 0.0f ? 0.0f : x; /* NaN stays: the loss must show it */
        c[j] = x;
    }
    if (a->dropout.threshold == 0)
        return;
    for (int64_t j = 0; j < n;) {
        int64_t begin = (at + j) % GROUP, count = least(GROUP - begin, n - j);

        if ((at + j) / GROUP != group) {
            group = (at + j) / GROUP;
            dropout_group(&a->dropout, (uint64_t) group, factor);
        }
        for (int64_t i = 0; i < count; i++)
            c[j + i] *= factor[begin + i];
        j += count;
    }
}

static void epilogue(const struct dev_gemm *a, int64_t row, int64_t n_rows, int64_t col,
                     int64_t n_cols)
{
    for (int64_t i = row; i < row + n_rows; i++)
        finish_row(a, a->C + i * a->ldc + col, col, n_cols,
                   (int64_t) dev_dropout_index(&a->dropout, (uint64_t) (i * a->N + col)));
}

/* Factors are rounded to bfloat16 into the scratch memory first, A (a_rows, a_cols) and behind it B
 * (b_rows, b_cols), both without a stride.  Where the processor has instructions for bfloat16 they
 * lie there as 16-bit numbers for the library; elsewhere as floats of the same values, which give
 * the same products and sums in float32. */
static void gemm_bf16(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue finish)
{
    int64_t a_rows = a->trans_a ? a->K : a->M, a_cols = a->trans_a ? a->M : a->K;
    int64_t b_rows = a->trans_b ? a->N : a->K, b_cols = a->trans_b ? a->K : a->N;

    T2_ASSERT(a->scratch);
    if (dev_cpu_gemm_lib()->fast_bf16) {
        uint16_t *A = (uint16_t *) (void *) a->scratch, *B = A + a_rows * a_cols;

        DEV_CPU(dev_cpu_to_halves)(d, a->A, a_rows, a_cols, a->lda, A);
        DEV_CPU(dev_cpu_to_halves)(d, a->B, b_rows, b_cols, a->ldb, B);
        dev_cpu_gemm_tiled_bf16(d, a, A, B, finish);
    } else {
        float *A = a->scratch, *B = A + a_rows * a_cols;
        struct dev_gemm rounded = *a;

        DEV_CPU(dev_cpu_to_rounded)(d, a->A, a_rows, a_cols, a->lda, A);
        DEV_CPU(dev_cpu_to_rounded)(d, a->B, b_rows, b_cols, a->ldb, B);
        rounded.A = A;
        rounded.B = B;
        rounded.lda = a_cols;
        rounded.ldb = b_cols;
        dev_cpu_gemm_tiled(d, &rounded, finish);
    }
}

void DEV_CPU(dev_cpu_gemm)(struct dev *d, const struct dev_gemm *a)
{
    bool plain = !a->bias && a->activation == DEV_LINEAR && a->dropout.threshold == 0;

    T2_ASSERT(plain || (!a->accumulate && a->ldc == a->N));
    dev_gemm_begins(d);
    if (d->precision == DEV_BFLOAT16)
        gemm_bf16(d, a, plain ? NULL : epilogue);
    else
        dev_cpu_gemm_tiled(d, a, plain ? NULL : epilogue);
    dev_gemm_ends(d, a);
}

/* Room for both factors as floats; 16-bit factors use half of it. */
int64_t DEV_CPU(dev_cpu_gemm_scratch)(const struct dev *d, int64_t M, int64_t N, int64_t K)
{
    return d->precision == DEV_BFLOAT16 ? M * K + K * N + DEV_LANES : 0;
}

/* ---- ranges of elements ---- */

/* A vector of n elements for one of the kernels below; x and y are its inputs in the order of the
 * kernel's arguments. */
struct range {
    const float *x, *y;
    const int32_t *row_ids;
    float *out;
    int64_t n, cols;
    float scale;
    bool accumulate;
    const struct dev_dropout *dropout;
};

static void run_range(struct dev *d, t2_pool_fn fn, struct range *r)
{
    dev_cpu_run(d, dev_cpu_div_up(r->n, RANGE), fn, r);
}

/* out = dy * scale where y > 0, else 0 (x is y here, y is dy).  dx may be dy: an element is read
 * before its place is written. */
static void relu_bwd_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t i = piece * RANGE, end = least(i + RANGE, r->n);
    vf scale = vf_set(r->scale), zero = vf_set(0.0f);

    (void) worker;
    for (; i + DEV_LANES <= end; i += DEV_LANES)
        vf_store(r->out + i,
                 vf_select((vi) (vf_load(r->x + i) > zero), vf_load(r->y + i) * scale, zero));
    for (; i < end; i++)
        r->out[i] = r->x[i] > 0.0f ? r->y[i] * r->scale : 0.0f;
}

void DEV_CPU(dev_cpu_relu_bwd)(struct dev *d, const struct dev_relu_bwd_args *a)
{
    struct range r = {.x = a->y, .y = a->dy, .out = a->dx, .n = a->n, .scale = a->scale};

    run_range(d, relu_bwd_piece, &r);
}

static void relu_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t begin = piece * RANGE, end = least(begin + RANGE, r->n);

    (void) worker;
    for (int64_t i = begin; i < end; i++)
        r->out[i] = r->x[i] < 0.0f ? 0.0f : r->x[i];
}

void DEV_CPU(dev_cpu_relu)(struct dev *d, const struct dev_relu_args *a)
{
    struct range r = {.x = a->x, .out = a->y, .n = a->n};

    run_range(d, relu_piece, &r);
}

/* GELU in its form with tanh is x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3).  As 1/2 (1 +
 * tanh(u)) = 1 / (1 + e^-2u), one exponential and one division are enough: this is that factor. */
DEV_INLINE vf gelu_gate(vf x)
{
    vf inner = x * (vf_set(1.0f) + vf_set(GELU_CUBE) * x * x);

    return vf_set(1.0f) / (vf_set(1.0f) + vf_exp(vf_set(-2.0f * GELU_SLOPE) * inner));
}

/* d/dx (x s), s = gelu_gate(x), s' = s (1 - s) 2 u': s + x s (1 - s) 2 sqrt(2/pi) (1 + 3 * 0.044715
 * x^2). */
DEV_INLINE vf gelu_slope(vf x)
{
    vf s = gelu_gate(x);
    vf inner = vf_set(2.0f * GELU_SLOPE) * (vf_set(1.0f) + vf_set(3.0f * GELU_CUBE) * x * x);

    return s + x * s * (vf_set(1.0f) - s) * inner;
}

static void gelu_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t i = piece * RANGE, end = least(i + RANGE, r->n);

    (void) worker;
    for (; i + DEV_LANES <= end; i += DEV_LANES) {
        vf x = vf_load(r->x + i);

        vf_store(r->out + i, x * gelu_gate(x));
    }
    if (i < end) {
        vf x = vf_load_part(r->x + i, end - i);

        vf_store_part(r->out + i, x * gelu_gate(x), end - i);
    }
}

void DEV_CPU(dev_cpu_gelu)(struct dev *d, const struct dev_gelu_args *a)
{
    struct range r = {.x = a->x, .out = a->y, .n = a->n};

    run_range(d, gelu_piece, &r);
}

static void gelu_bwd_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t i = piece * RANGE, end = least(i + RANGE, r->n);

    (void) worker;
    for (; i + DEV_LANES <= end; i += DEV_LANES) {
        vf dx = vf_load(r->y + i) * gelu_slope(vf_load(r->x + i));

        vf_store(r->out + i, r->accumulate ? vf_load(r->out + i) + dx : dx);
    }
    if (i < end) {
        vf dx = vf_load_part(r->y + i, end - i) * gelu_slope(vf_load_part(r->x + i, end - i));

        if (r->accumulate)
            dx += vf_load_part(r->out + i, end - i);
        vf_store_part(r->out + i, dx, end - i);
    }
}

void DEV_CPU(dev_cpu_gelu_bwd)(struct dev *d, const struct dev_gelu_bwd_args *a)
{
    struct range r = {.x = a->x, .y = a->dy, .out = a->dx, .n = a->n, .accumulate = a->accumulate};

    run_range(d, gelu_bwd_piece, &r);
}

struct scaled_rows {
    const float *x, *factors;
    int64_t cols;
    bool accumulate;
    float *y;
};

static void scale_row(void *arg, int64_t row, int worker)
{
    const struct scaled_rows *s = arg;
    const float *restrict x = s->x + row * s->cols;
    float *restrict y = s->y + row * s->cols;
    float factor = s->factors[row];

    (void) worker;
    if (s->accumulate)
        for (int64_t c = 0; c < s->cols; c++)
            y[c] += factor * x[c];
    else
        for (int64_t c = 0; c < s->cols; c++)
            y[c] = factor * x[c];
}

void DEV_CPU(dev_cpu_scale_rows)(struct dev *d, const struct dev_scale_rows_args *a)
{
    struct scaled_rows s = {a->x, a->factors, a->cols, a->accumulate, a->y};

    dev_cpu_run(d, a->rows, scale_row, &s);
}

static void copy_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t begin = piece * RANGE, end = least(begin + RANGE, r->n);

    (void) worker;
    if (r->accumulate)
        for (int64_t i = begin; i < end; i++)
            r->out[i] += r->x[i];
    else
        memcpy(r->out + begin, r->x + begin, (size_t) (end - begin) * sizeof *r->out);
}

void DEV_CPU(dev_cpu_copy)(struct dev *d, const struct dev_copy_args *a)
{
    struct range r = {.x = a->x, .out = a->y, .n = a->n, .accumulate = a->accumulate};

    run_range(d, copy_piece, &r);
}

/* Factors of `count` elements where rows share their mask (shared_rows).  There each row of the
 * mask begins a new group of 128, so the elements are taken in runs that cross neither a row of the
 * tensor nor a group of the mask. */
static void shared_factors(const struct dev_dropout *dropout, int64_t begin, int64_t count,
                           float factor[GROUP])
{
    for (int64_t i = 0; i < count;) {
        int64_t in_row = dropout->shared_cols - (begin + i) % dropout->shared_cols;
        int64_t at = (int64_t) dev_dropout_index(dropout, (uint64_t) (begin + i));
        int64_t n = least(least(in_row, count - i), GROUP - at % GROUP);
        float group[GROUP];

        dropout_group(dropout, (uint64_t) (at / GROUP), group);
        memcpy(factor + i, group + at % GROUP, (size_t) n * sizeof *factor);
        i += n;
    }
}

/* Factors of elements begin .. begin + count - 1 of one group, 1 without dropout. */
static void group_factors(const struct dev_dropout *dropout, int64_t begin, int64_t count,
                          float factor[GROUP])
{
    if (dropout->threshold && dropout->shared_rows)
        shared_factors(dropout, begin, count, factor);
    else if (dropout->threshold)
        dropout_group(dropout, (uint64_t) (begin / GROUP), factor);
    else
        for (int i = 0; i < GROUP; i++)
            factor[i] = 1.0f;
}

/* A group of x (its first element is number `begin`), with zeros for the rows whose row_ids is 0.
 * They are set, not multiplied by 0: such rows may hold NaN.  `part` is room for the copy; without
 * row_ids x itself is returned. */
static const float *without_rows(const struct range *r, const float *x, int64_t begin,
                                 int64_t count, float part[GROUP])
{
    if (!r->row_ids)
        return x + begin;
    memcpy(part, x + begin, (size_t) count * sizeof *part);
    for (int64_t i = 0; i < count;) {
        int64_t row = (begin + i) / r->cols;
        int64_t next = least(count, (row + 1) * r->cols - begin);

        if (r->row_ids[row] == 0)
            memset(part + i, 0, (size_t) (next - i) * sizeof *part);
        i = next;
    }
    return part;
}

/* out [+]= x * factors; with row_ids it is the backward pass of a residual connection.  RANGE is a
 * multiple of GROUP, so no two pieces draw the same group of the mask. */
static void dropout_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t end = least((piece + 1) * RANGE, r->n);

    (void) worker;
    for (int64_t begin = piece * RANGE; begin < end; begin += GROUP) {
        int64_t count = least(GROUP, end - begin);
        float factor[GROUP], part[GROUP];
        const float *x = without_rows(r, r->x, begin, count, part);

        group_factors(r->dropout, begin, count, factor);
        if (r->accumulate)
            for (int64_t i = 0; i < count; i++)
                r->out[begin + i] += x[i] * factor[i];
        else
            for (int64_t i = 0; i < count; i++)
                r->out[begin + i] = x[i] * factor[i];
    }
}

void DEV_CPU(dev_cpu_dropout)(struct dev *d, const struct dev_dropout_args *a)
{
    struct range r = {
        .x = a->x, .out = a->y, .n = a->n, .accumulate = a->accumulate, .dropout = (&a->dropout)};

    run_range(d, dropout_piece, &r);
}

/* out = x + y * factors, rows of y with row_ids 0 left out. */
static void residual_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t end = least((piece + 1) * RANGE, r->n);

    (void) worker;
    for (int64_t begin = piece * RANGE; begin < end; begin += GROUP) {
        int64_t count = least(GROUP, end - begin);
        float factor[GROUP], part[GROUP];
        const float *y = without_rows(r, r->y, begin, count, part);

        group_factors(r->dropout, begin, count, factor);
        for (int64_t i = 0; i < count; i++)
            r->out[begin + i] = r->x[begin + i] + y[i] * factor[i];
    }
}

void DEV_CPU(dev_cpu_residual)(struct dev *d, const struct dev_residual_args *a)
{
    struct range r = {.x = a->x,
                      .y = a->y,
                      .row_ids = a->row_ids,
                      .out = a->out,
                      .n = a->rows * a->cols,
                      .cols = a->cols,
                      .dropout = (&a->dropout)};

    run_range(d, residual_piece, &r);
}

void DEV_CPU(dev_cpu_residual_bwd)(struct dev *d, const struct dev_residual_bwd_args *a)
{
    struct range r = {.x = a->dout,
                      .row_ids = a->row_ids,
                      .out = a->dy,
                      .n = a->rows * a->cols,
                      .cols = a->cols,
                      .accumulate = a->accumulate,
                      .dropout = (&a->dropout)};

    run_range(d, dropout_piece, &r);
}

/* ---- column sums: partial sums of fixed blocks of rows, then one pass in order ---- */

enum { SUM_ROWS = 128 };

/*
 * out (cols) [+]= sum over rows of x (rows, cols), the gradient of a bias.  First each block of
 * SUM_ROWS rows is added up, in the order of its rows, into its row of `partial` (blocks, cols);
 * columns are contiguous, so the inner loop is vectorised and no sum is cut across lanes.  Then the
 * blocks are added in order on the calling thread: rows / 128 additions per column are too few for
 * a second parallel pass.
 */
struct sums {
    const float *x;
    int64_t rows, cols;
    float *partial; /* (blocks, cols) */
};

static void sum_block(void *arg, int64_t block, int worker)
{
    const struct sums *s = arg;
    int64_t end = least((block + 1) * SUM_ROWS, s->rows);
    float *out = s->partial + block * s->cols;

    (void) worker;
    memset(out, 0, (size_t) s->cols * sizeof *out);
    for (int64_t r = block * SUM_ROWS; r < end; r++)
        for (int64_t c = 0; c < s->cols; c++)
            out[c] += s->x[r * s->cols + c];
}

void DEV_CPU(dev_cpu_col_sum)(struct dev *d, const struct dev_col_sum_args *a)
{
    struct sums s = {.x = a->x, .rows = a->rows, .cols = a->cols, .partial = a->scratch};
    int64_t blocks = dev_cpu_div_up(a->rows, SUM_ROWS);

    dev_cpu_run(d, blocks, sum_block, &s);
    if (!a->accumulate)
        memset(a->out, 0, (size_t) a->cols * sizeof *a->out);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t c = 0; c < a->cols; c++)
            a->out[c] += a->scratch[b * a->cols + c];
}

int64_t DEV_CPU(dev_cpu_col_sum_scratch)(int64_t rows, int64_t cols)
{
    return dev_cpu_div_up(rows, SUM_ROWS) * cols;
}

/* ---- caches ---- */

/* B rows of D floats per decoding step: on the calling thread, as a parallel loop would cost more
 * than the copy. */
void DEV_CPU(dev_cpu_cache_put)(struct dev *d, const struct dev_cache_put_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        memcpy(a->cache + (b * a->cache_rows + a->at_step->position) * a->D, a->x + b * a->D,
               (size_t) a->D * sizeof *a->x);
}

/* Beam search: element b of the new cache is element index[b] of the old one, its first `rows`
 * rows; (B, cache_rows, D) both. */
struct gather {
    const float *from;
    const int32_t *index;
    int64_t D, cache_rows, rows;
    float *to;
};

static void gather_one(void *arg, int64_t b, int worker)
{
    const struct gather *g = arg;

    (void) worker;
    memcpy(g->to + b * g->cache_rows * g->D, g->from + g->index[b] * g->cache_rows * g->D,
           (size_t) (g->rows * g->D) * sizeof *g->to);
}

void DEV_CPU(dev_cpu_cache_gather)(struct dev *d, const struct dev_cache_gather_args *a)
{
    struct gather g = {a->from, a->index, a->D, a->cache_rows, a->rows, a->to};

    dev_cpu_run(d, a->B, gather_one, &g);
}

void DEV_CPU(dev_cpu_set_step)(struct dev *d, const struct dev_set_step_args *a)
{
    (void) d;
    *a->to = a->value;
}
