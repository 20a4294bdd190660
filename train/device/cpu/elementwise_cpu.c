/*
 * train/device/cpu/elementwise_cpu.c - kernels that pass once over memory: activations, dropout,
 * residual connections, column sums, caches.
 *
 * All of them are bound by memory, not by arithmetic, so each reads and writes every element once.
 * Element-wise kernels are cut into pieces of RANGE elements, column sums into
 * blocks of SUM_ROWS rows: cuts that depend on the shape alone, so the bits do not depend on the
 * number of threads.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"
#include "train/device/step.h"

enum {
    RANGE = 16384, /* elements of one piece of work; a multiple of a dropout group */
    GROUP = DEV_CPU_GROUP
};

/* ---- ranges of elements ---- */

/* A vector of n elements for one of the kernels below; x and y are its inputs in the order of the
 * kernel's arguments. */
struct range {
    enum dev_type type;
    const void *x, *y;
    const int32_t *row_ids;
    void *out;
    int64_t n, cols;
    float scale,
        most; /* most: of a ReLU; in its backward pass the number below it; INFINITY for none */
    bool accumulate;
    const struct dev_dropout *dropout;
};

static void run_range(struct dev *d, t2_pool_fn fn, struct range *r)
{
    dev_cpu_run(d, dev_cpu_div_up(r->n, RANGE), fn, r);
}

/* n elements: pointers to floats of x, y and out. */
typedef void (*block_fn)(const struct range *r, const float *x, const float *y, float *out,
                         int64_t n);

/* A piece of work in blocks; `fn` is a constant where it is inlined.  Elements are read before
 * their places are written, so out may be x or y. */
DEV_INLINE void each_block(const struct range *r, int64_t piece, block_fn fn)
{
    int64_t end = dev_cpu_least((piece + 1) * RANGE, r->n);
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK], bo[DEV_CPU_BLOCK];

    for (int64_t i = piece * RANGE, n; i < end; i += n) {
        const float *x, *y = NULL;
        float *out;

        n = dev_cpu_block(r->type, i, end);
        x = dev_cpu_in(r->type, r->x, i, n, bx);
        if (r->y)
            y = dev_cpu_in(r->type, r->y, i, n, by);
        out = dev_cpu_out(r->type, r->out, i, n, r->accumulate, bo);
        fn(r, x, y, out, n);
        dev_cpu_done(r->type, out, n, r->out, i);
    }
}

/* out = dy * scale where y > 0 and below `most`, else 0 (x is y here, y is dy).  dx may be dy. */
DEV_INLINE void relu_bwd_block(const struct range *r, const float *x, const float *y, float *out,
                               int64_t n)
{
    vf scale = vf_set(r->scale), zero = vf_set(0.0f), most = vf_set(r->most);
    int64_t i = 0;

    for (; i + DEV_LANES <= n; i += DEV_LANES) {
        vf value = vf_load(x + i);
        vi passes = vf_above(value, zero) & ~vf_above(value, most);

        vf_store(out + i, vf_select(passes, vf_load(y + i) * scale, zero));
    }
    for (; i < n; i++)
        out[i] = x[i] > 0.0f && !(x[i] > r->most) ? y[i] * r->scale : 0.0f;
}

static void relu_bwd_piece(void *arg, int64_t piece, int worker)
{
    (void) worker;
    each_block(arg, piece, relu_bwd_block);
}

void DEV_CPU(dev_cpu_relu_bwd)(struct dev *d, const struct dev_relu_bwd_args *a)
{
    struct range r = {.type = a->type,
                      .x = a->y,
                      .y = a->dy,
                      .out = a->dx,
                      .n = a->n,
                      .scale = a->scale,
                      .most = a->most > 0.0f ? nextafterf(a->most, 0.0f) : INFINITY};

    run_range(d, relu_bwd_piece, &r);
}

DEV_INLINE void relu_block(const struct range *r, const float *x, const float *y, float *out,
                           int64_t n)
{
    (void) y;
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] < 0.0f ? 0.0f : x[i] > r->most ? r->most : x[i];
}

static void relu_piece(void *arg, int64_t piece, int worker)
{
    (void) worker;
    each_block(arg, piece, relu_block);
}

void DEV_CPU(dev_cpu_relu)(struct dev *d, const struct dev_relu_args *a)
{
    struct range r = {.type = a->type,
                      .x = a->x,
                      .out = a->y,
                      .n = a->n,
                      .most = a->most > 0.0f ? a->most : INFINITY};

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

DEV_INLINE void gelu_block(const struct range *r, const float *x, const float *y, float *out,
                           int64_t n)
{
    int64_t i = 0;

    (void) r, (void) y;
    for (; i + DEV_LANES <= n; i += DEV_LANES) {
        vf v = vf_load(x + i);

        vf_store(out + i, v * gelu_gate(v));
    }
    if (i < n) {
        vf v = vf_load_part(x + i, n - i);

        vf_store_part(out + i, v * gelu_gate(v), n - i);
    }
}

static void gelu_piece(void *arg, int64_t piece, int worker)
{
    (void) worker;
    each_block(arg, piece, gelu_block);
}

void DEV_CPU(dev_cpu_gelu)(struct dev *d, const struct dev_gelu_args *a)
{
    struct range r = {.type = a->type, .x = a->x, .out = a->y, .n = a->n};

    run_range(d, gelu_piece, &r);
}

DEV_INLINE void gelu_bwd_block(const struct range *r, const float *x, const float *y, float *out,
                               int64_t n)
{
    int64_t i = 0;

    for (; i + DEV_LANES <= n; i += DEV_LANES) {
        vf dx = vf_load(y + i) * gelu_slope(vf_load(x + i));

        vf_store(out + i, r->accumulate ? vf_load(out + i) + dx : dx);
    }
    if (i < n) {
        vf dx = vf_load_part(y + i, n - i) * gelu_slope(vf_load_part(x + i, n - i));

        if (r->accumulate)
            dx += vf_load_part(out + i, n - i);
        vf_store_part(out + i, dx, n - i);
    }
}

static void gelu_bwd_piece(void *arg, int64_t piece, int worker)
{
    (void) worker;
    each_block(arg, piece, gelu_bwd_block);
}

void DEV_CPU(dev_cpu_gelu_bwd)(struct dev *d, const struct dev_gelu_bwd_args *a)
{
    struct range r = {.type = a->type,
                      .x = a->x,
                      .y = a->dy,
                      .out = a->dx,
                      .n = a->n,
                      .accumulate = a->accumulate};

    run_range(d, gelu_bwd_piece, &r);
}

struct scaled_rows {
    enum dev_type type;
    const void *x;
    const float *factors;
    int64_t cols;
    bool accumulate;
    void *y;
};

/* y (n) [+]= factor x. */
static void scale_floats(const float *restrict x, int64_t n, float factor, bool accumulate,
                         float *restrict y)
{
    if (accumulate)
        for (int64_t c = 0; c < n; c++)
            y[c] += factor * x[c];
    else
        for (int64_t c = 0; c < n; c++)
            y[c] = factor * x[c];
}

static void scale_row(void *arg, int64_t row, int worker)
{
    const struct scaled_rows *s = arg;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t c = 0, n; c < s->cols; c += n) {
        int64_t i = row * s->cols + c;
        float *y;

        n = dev_cpu_block(s->type, c, s->cols);
        y = dev_cpu_out(s->type, s->y, i, n, s->accumulate, by);
        scale_floats(dev_cpu_in(s->type, s->x, i, n, bx), n, s->factors[row], s->accumulate, y);
        dev_cpu_done(s->type, y, n, s->y, i);
    }
}

void DEV_CPU(dev_cpu_scale_rows)(struct dev *d, const struct dev_scale_rows_args *a)
{
    struct scaled_rows s = {a->type, a->x, a->factors, a->cols, a->accumulate, a->y};

    dev_cpu_run(d, a->rows, scale_row, &s);
}

DEV_INLINE void add_block(const struct range *r, const float *x, const float *y, float *out,
                          int64_t n)
{
    (void) r, (void) y;
    for (int64_t i = 0; i < n; i++)
        out[i] += x[i];
}

static void copy_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t begin = piece * RANGE, end = dev_cpu_least(begin + RANGE, r->n);

    (void) worker;
    if (r->accumulate)
        each_block(r, piece, add_block);
    else
        memcpy(dev_element(r->type, r->out, begin), dev_element_in(r->type, r->x, begin),
               (size_t) (end - begin) * dev_type_bytes(r->type));
}

void DEV_CPU(dev_cpu_copy)(struct dev *d, const struct dev_copy_args *a)
{
    struct range r = {
        .type = a->type, .x = a->x, .out = a->y, .n = a->n, .accumulate = a->accumulate};

    run_range(d, copy_piece, &r);
}

/* Factors of `count` elements where rows share their mask, which begins a new group of 128 for
 * each, or where this rank's elements begin within a group: they are taken in runs that cross
 * neither a row of a shared mask nor a group. */
static void factors_in_runs(const struct dev_dropout *dropout, int64_t begin, int64_t count,
                            float *factor)
{
    for (int64_t i = 0; i < count;) {
        int64_t in_row = dropout->shared_rows
                             ? dropout->shared_cols - (begin + i) % dropout->shared_cols
                             : count - i;
        int64_t at = (int64_t) dev_dropout_index(dropout, (uint64_t) (begin + i));
        int64_t n = dev_cpu_least(dev_cpu_least(in_row, count - i), GROUP - at % GROUP);
        float group[GROUP];

        dropout_group(dropout, (uint64_t) (at / GROUP), group);
        memcpy(factor + i, group + at % GROUP, (size_t) n * sizeof *factor);
        i += n;
    }
}

void DEV_CPU(dev_cpu_dropout_factors)(const struct dev_dropout *dropout, int64_t begin,
                                      int64_t count, float *factor)
{
    if (dropout->threshold) {
        uint64_t first = dev_dropout_first(dropout) + (uint64_t) begin;

        if (dropout->shared_rows || first % GROUP != 0 || count != GROUP)
            factors_in_runs(dropout, begin, count, factor);
        else
            dropout_group(dropout, first / GROUP, factor);
    } else {
        for (int64_t i = 0; i < count; i++)
            factor[i] = 1.0f;
    }
}

/* A group of x (its first element is number `begin`), with zeros for the rows whose row_ids is 0.
 * They are set, not multiplied by 0: such rows may hold NaN.  `part` is room for the copy; without
 * row_ids x itself is returned. */
static const float *without_rows(const struct range *r, const void *all, int64_t begin,
                                 int64_t count, float part[GROUP])
{
    const float *x = dev_cpu_in(r->type, all, begin, count, part);

    if (!r->row_ids)
        return x;
    if (x != part)
        memcpy(part, x, (size_t) count * sizeof *part);
    for (int64_t i = 0; i < count;) {
        int64_t row = (begin + i) / r->cols;
        int64_t next = dev_cpu_least(count, (row + 1) * r->cols - begin);

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
    int64_t end = dev_cpu_least((piece + 1) * RANGE, r->n);

    (void) worker;
    for (int64_t begin = piece * RANGE; begin < end; begin += GROUP) {
        int64_t count = dev_cpu_least(GROUP, end - begin);
        float factor[GROUP], part[GROUP];
        const float *x = without_rows(r, r->x, begin, count, part);
        float buffer[GROUP];
        float *out = dev_cpu_out(r->type, r->out, begin, count, r->accumulate, buffer);

        DEV_CPU(dev_cpu_dropout_factors)(r->dropout, begin, count, factor);
        if (r->accumulate)
            for (int64_t i = 0; i < count; i++)
                out[i] += x[i] * factor[i];
        else
            for (int64_t i = 0; i < count; i++)
                out[i] = x[i] * factor[i];
        dev_cpu_done(r->type, out, count, r->out, begin);
    }
}

void DEV_CPU(dev_cpu_dropout)(struct dev *d, const struct dev_dropout_args *a)
{
    struct range r = {.type = a->type,
                      .x = a->x,
                      .out = a->y,
                      .n = a->n,
                      .accumulate = a->accumulate,
                      .dropout = (&a->dropout)};

    run_range(d, dropout_piece, &r);
}

/* out = x + y * factors, rows of y with row_ids 0 left out. */
static void residual_piece(void *arg, int64_t piece, int worker)
{
    const struct range *r = arg;
    int64_t end = dev_cpu_least((piece + 1) * RANGE, r->n);

    (void) worker;
    for (int64_t begin = piece * RANGE; begin < end; begin += GROUP) {
        int64_t count = dev_cpu_least(GROUP, end - begin);
        float factor[GROUP], part[GROUP], bx[GROUP], buffer[GROUP];
        const float *y = without_rows(r, r->y, begin, count, part);
        const float *x = dev_cpu_in(r->type, r->x, begin, count, bx);
        float *out = dev_cpu_out(r->type, r->out, begin, count, false, buffer);

        DEV_CPU(dev_cpu_dropout_factors)(r->dropout, begin, count, factor);
        for (int64_t i = 0; i < count; i++)
            out[i] = x[i] + y[i] * factor[i];
        dev_cpu_done(r->type, out, count, r->out, begin);
    }
}

void DEV_CPU(dev_cpu_residual)(struct dev *d, const struct dev_residual_args *a)
{
    struct range r = {.type = a->type,
                      .x = a->x,
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
    struct range r = {.type = a->type,
                      .x = a->dout,
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
    enum dev_type type;
    const void *x;
    int64_t rows, cols;
    float *partial; /* (blocks, cols) */
};

static void sum_block(void *arg, int64_t block, int worker)
{
    const struct sums *s = arg;
    int64_t end = dev_cpu_least((block + 1) * SUM_ROWS, s->rows);
    float *out = s->partial + block * s->cols, buffer[DEV_CPU_BLOCK];

    (void) worker;
    memset(out, 0, (size_t) s->cols * sizeof *out);
    for (int64_t r = block * SUM_ROWS; r < end; r++)
        for (int64_t c = 0, n; c < s->cols; c += n) {
            const float *x;

            n = dev_cpu_block(s->type, c, s->cols);
            x = dev_cpu_in(s->type, s->x, r * s->cols + c, n, buffer);
            for (int64_t k = 0; k < n; k++)
                out[c + k] += x[k];
        }
}

void DEV_CPU(dev_cpu_col_sum)(struct dev *d, const struct dev_col_sum_args *a)
{
    struct sums s = {
        .type = a->type, .x = a->x, .rows = a->rows, .cols = a->cols, .partial = a->scratch};
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
        memcpy(dev_element(a->type, a->cache,
                           (b * a->cache_rows + dev_position_of(a->at_step, b)) * a->D),
               dev_element_in(a->type, a->x, b * a->D), (size_t) a->D * dev_type_bytes(a->type));
}

void DEV_CPU(dev_cpu_cache_index)(struct dev *d, const struct dev_cache_index_args *a)
{
    int64_t turn = a->at_step->position % 2, n = a->B * a->cache_rows;
    const int32_t *from = a->tables + (1 - turn) * n;
    int32_t *to = a->tables + turn * n;

    (void) d;
    for (int64_t b = 0; b < a->B; b++) {
        int64_t before = dev_position_of(a->at_step, b) * a->step_rows;

        memcpy(to + b * a->cache_rows, from + a->origins[b] * a->cache_rows,
               (size_t) before * sizeof *to);
        for (int64_t r = before; r < before + a->step_rows; r++)
            to[b * a->cache_rows + r] = (int32_t) b;
    }
}

void DEV_CPU(dev_cpu_set_step)(struct dev *d, const struct dev_set_step_args *a)
{
    (void) d;
    *a->to = a->value;
}
