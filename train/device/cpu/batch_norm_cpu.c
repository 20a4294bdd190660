/*
 * train/device/cpu/batch_norm_cpu.c - batch normalisation by blocks of rows: x (rows,C), each
 * column normalised over all rows (B*H*W of an image tensor).
 *
 * Formulas: struct dev_batch_norm and struct dev_batch_norm_grads.  Three kernels, each one or two
 * passes over memory: moments (read x), forward (read x, write y), backward (read x and dy for the
 * two sums, read both again and write dx).  ReLU and the residual sum are part of them, as a pass
 * of their own would cost as much again.
 *
 * A piece of work is a block of rows, of BLOCK_FLOATS floats or so; within it STRIP channels at a
 * time, whose means, factors and sums stay in the first-level cache while the rows go by.  Inner
 * loops run along channels and are vectorised; no sum is cut across lanes.  Blocks leave their sums
 * in `partial`, which a second parallel loop over channels joins in the order of the blocks, in
 * double.  Blocks depend on the shape alone, so the bits do not depend on the number of threads.
 *
 * Moments are one pass over memory: a block has its mean and the squares around it, and blocks are
 * joined as Chan, Golub and LeVeque 1983 do.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

enum {
    BLOCK_FLOATS = 32768, /* of one piece of work, unless its rows are long */
    LEAST_ROWS = 8,
    MOST_ROWS = 512,
    GROUP_ROWS = 32,
    STRIP = 512, /* channels whose coefficients are at hand */
    ROWS_FLOATS = 2048
};

static int64_t block_rows(int64_t C)
{
    int64_t rows = BLOCK_FLOATS / C;

    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* ---- rows of other types ---- */

/*
 * A strip of n channels, row by row, as floats: `floats` says that they are, and is a constant
 * where these are inlined.  Else the row and those behind it, where they lie side by side, go by
 * way of the buffer.
 */
struct rows {
    enum dev_type type;
    void *p;
    const void *read;       /* p, or what is only read */
    int64_t C, at, n, last; /* no row from `last` on */
    int64_t first, end;     /* rows that the buffer holds */
    bool keep;              /* an output that is added to */
    float buffer[ROWS_FLOATS];
};

DEV_INLINE void rows_begin(struct rows *b, enum dev_type type, const void *read, void *p, int64_t C,
                           int64_t at, int64_t n, int64_t last)
{
    b->type = type;
    b->read = read;
    b->p = p;
    b->C = C;
    b->at = at;
    b->n = n;
    b->last = last;
    b->first = b->end = -1;
    b->keep = false;
}

/* Makes the buffer hold row r. */
static void rows_next(struct rows *b, int64_t r)
{
    int64_t many = b->n == b->C ? ROWS_FLOATS / b->n : 1;

    if (b->p && b->end >= 0)
        DEV_CPU(dev_cpu_narrow)
    (b->type, b->buffer, (b->end - b->first) * b->n, b->p, b->first * b->C + b->at);
    b->first = r;
    b->end = dev_cpu_least(r + many, b->last);
    if (r < b->last && (!b->p || b->keep))
        DEV_CPU(dev_cpu_widen)
    (b->type, b->read, r * b->C + b->at, (b->end - r) * b->n, b->buffer);
}

DEV_INLINE const float *row_in(struct rows *b, int64_t r, bool floats)
{
    if (floats)
        return (const float *) b->read + r * b->C + b->at;
    if (r >= b->end)
        rows_next(b, r);
    return b->buffer + (r - b->first) * b->n;
}

DEV_INLINE float *row_out(struct rows *b, int64_t r, bool floats)
{
    if (floats)
        return (float *) b->p + r * b->C + b->at;
    if (r >= b->end)
        rows_next(b, r);
    return b->buffer + (r - b->first) * b->n;
}

/* Stores the last rows. */
DEV_INLINE void rows_end(struct rows *b, bool floats)
{
    if (!floats && b->end >= 0)
        rows_next(b, b->last);
}

/* `partial` (blocks, 2, C) of either pass, and the joined sums (2, C) of the backward pass. */
int64_t DEV_CPU(dev_cpu_batch_norm_scratch)(int64_t rows, int64_t C)
{
    return (dev_cpu_div_up(rows, block_rows(C)) + 1) * 2 * C;
}

/* ---- mean and variance ---- */

struct moments {
    enum dev_type type;
    const void *x;
    int64_t rows, C, rows_per_block, blocks;
    float *mean, *variance;
    float *partial; /* (blocks, 2, C): mean, sum of squares around it */
};

/*
 * mean (n) and squares (n), the sum of (x - mean)^2, of n columns over `rows` rows with stride C.
 *
 * Rows come in groups of GROUP_ROWS: sums of what they differ from the mean so far (from the first
 * row at first) and of its squares, which then update the mean and the squares as Chan et al. join
 * two parts.  What all rows have in common is not added up, so it does not cancel, and one row that
 * is far from the others costs the difference of two sums no more digits than a group has rows.
 */
DEV_INLINE void moments_of_strip(const struct moments *m, int64_t from, int64_t rows, int64_t at,
                                 int64_t n, bool floats, float *restrict mean,
                                 float *restrict squares)
{
    float middle[STRIP], spread[STRIP] = {0};
    struct rows in;

    rows_begin(&in, m->type, m->x, NULL, m->C, at, n, from + rows);
    memcpy(middle, row_in(&in, from, floats), (size_t) n * sizeof *middle);
    for (int64_t first = 0; first < rows; first += GROUP_ROWS) {
        int64_t end = dev_cpu_least(rows, first + GROUP_ROWS);
        float part = 1.0f / (float) (end - first), all = (float) (end - first) / (float) end;
        float sum[STRIP] = {0}, square[STRIP] = {0};

        for (int64_t r = first; r < end; r++) {
            const float *restrict x = row_in(&in, from + r, floats);

            for (int64_t c = 0; c < n; c++) {
                float t = x[c] - middle[c];

                sum[c] += t;
                square[c] += t * t;
            }
        }
        for (int64_t c = 0; c < n; c++) {
            float apart = sum[c] * part, own = square[c] - sum[c] * apart;

            /* NaN stays */
            spread[c] += (own < 0.0f ? 0.0f : own) + apart * apart * ((float) first * all);
            middle[c] += apart * all;
        }
    }
    memcpy(mean, middle, (size_t) n * sizeof *mean);
    memcpy(squares, spread, (size_t) n * sizeof *squares);
}

static void moments_of_block(void *arg, int64_t block, int worker)
{
    const struct moments *m = arg;
    int64_t first = block * m->rows_per_block,
            rows = dev_cpu_least(m->rows_per_block, m->rows - first);
    float *mean = m->partial + block * 2 * m->C, *squares = mean + m->C;

    (void) worker;
    for (int64_t c = 0; c < m->C; c += STRIP) {
        int64_t n = dev_cpu_least(STRIP, m->C - c);

        if (m->type == DEV_FLOAT32)
            moments_of_strip(m, first, rows, c, n, true, mean + c, squares + c);
        else
            moments_of_strip(m, first, rows, c, n, false, mean + c, squares + c);
    }
}

/* Sixteen channels over all blocks: the mean first, weighted by the rows of each block, then the
 * squares around it: what each block has, and rows (its mean - mean)^2. */
static void join_moments(void *arg, int64_t strip, int worker)
{
    const struct moments *m = arg;
    int64_t first = strip * DEV_LINE, n = dev_cpu_least(DEV_LINE, m->C - first);
    double mean[DEV_LINE] = {0}, squares[DEV_LINE] = {0}, rows = (double) m->rows;

    (void) worker;
    for (int64_t b = 0; b < m->blocks; b++) {
        const float *p = m->partial + b * 2 * m->C + first;
        double part =
            (double) dev_cpu_least(m->rows_per_block, m->rows - b * m->rows_per_block) / rows;

        for (int64_t c = 0; c < n; c++)
            mean[c] += part * (double) p[c];
    }
    for (int64_t b = 0; b < m->blocks; b++) {
        const float *p = m->partial + b * 2 * m->C + first, *q = p + m->C;
        double here = (double) dev_cpu_least(m->rows_per_block, m->rows - b * m->rows_per_block);

        for (int64_t c = 0; c < n; c++) {
            double apart = (double) p[c] - mean[c];

            squares[c] += (double) q[c] + here * apart * apart;
        }
    }
    for (int64_t c = 0; c < n; c++) {
        m->mean[first + c] = (float) mean[c];
        m->variance[first + c] = (float) (squares[c] / rows);
    }
}

void DEV_CPU(dev_cpu_batch_moments)(struct dev *d, const struct dev_batch_moments_args *a)
{
    struct moments m = {.type = a->type,
                        .x = a->x,
                        .rows = a->rows,
                        .C = a->C,
                        .rows_per_block = block_rows(a->C),
                        .mean = a->mean,
                        .variance = a->variance,
                        .partial = a->scratch};

    m.blocks = dev_cpu_div_up(a->rows, m.rows_per_block);
    dev_cpu_run(d, m.blocks, moments_of_block, &m);
    dev_cpu_run(d, dev_cpu_div_up(a->C, DEV_LINE), join_moments, &m);
}

/* ---- forward ---- */

struct forward {
    const struct dev_batch_norm *a;
    int64_t rows_per_block;
    void *y;
};

/* gamma / sqrt(variance + epsilon) of n channels from c on. */
DEV_INLINE void factors(const struct dev_batch_norm *a, int64_t c, int64_t n,
                        float *restrict factor)
{
    for (int64_t i = 0; i < n; i++)
        factor[i] = a->gamma[c + i] / sqrtf(a->variance[c + i] + a->epsilon);
}

/* One expression for both directions, so that the backward pass finds the same elements above 0 as
 * the forward pass did, to the last bit, without reading y. */
DEV_INLINE float normalised(float x, float mean, float factor, float beta)
{
    return (x - mean) * factor + beta;
}

/* y (rows, n) of a block's strip of channels, n <= STRIP.  relu and residual are constants where it
 * is inlined, so the inner loop has no branch. */
DEV_INLINE void forward_strip(const struct dev_batch_norm *a, int64_t first, int64_t rows,
                              int64_t at, int64_t n, bool relu, bool residual, bool floats, void *y)
{
    float mean[STRIP], factor[STRIP], beta[STRIP];
    struct rows xs, zs, ys;

    factors(a, at, n, factor);
    memcpy(mean, a->mean + at, (size_t) n * sizeof *mean);
    memcpy(beta, a->beta + at, (size_t) n * sizeof *beta);
    rows_begin(&xs, a->type, a->x, NULL, a->C, at, n, first + rows);
    rows_begin(&zs, a->type, a->residual, NULL, a->C, at, n, first + rows);
    rows_begin(&ys, a->type, y, y, a->C, at, n, first + rows);
    for (int64_t r = first; r < first + rows; r++) {
        const float *restrict x = row_in(&xs, r, floats);
        const float *restrict z = residual ? row_in(&zs, r, floats) : NULL;
        float *restrict to = row_out(&ys, r, floats);

        for (int64_t c = 0; c < n; c++) {
            float v = normalised(x[c], mean[c], factor[c], beta[c]);

            if (residual)
                v += z[c];
            to[c] = relu && v < 0.0f ? 0.0f : v; /* NaN stays */
        }
    }
    rows_end(&ys, floats);
}

DEV_INLINE void forward_as(const struct forward *f, int64_t first, int64_t rows, int64_t c,
                           int64_t n, bool floats)
{
    const struct dev_batch_norm *a = f->a;

    if (a->relu && a->residual)
        forward_strip(a, first, rows, c, n, true, true, floats, f->y);
    else if (a->relu)
        forward_strip(a, first, rows, c, n, true, false, floats, f->y);
    else if (a->residual)
        forward_strip(a, first, rows, c, n, false, true, floats, f->y);
    else
        forward_strip(a, first, rows, c, n, false, false, floats, f->y);
}

static void forward_block(void *arg, int64_t block, int worker)
{
    const struct forward *f = arg;
    const struct dev_batch_norm *a = f->a;
    int64_t first = block * f->rows_per_block,
            rows = dev_cpu_least(f->rows_per_block, a->rows - first);

    (void) worker;
    for (int64_t c = 0; c < a->C; c += STRIP) {
        int64_t n = dev_cpu_least(STRIP, a->C - c);

        if (a->type == DEV_FLOAT32)
            forward_as(f, first, rows, c, n, true);
        else
            forward_as(f, first, rows, c, n, false);
    }
}

void DEV_CPU(dev_cpu_batch_norm)(struct dev *d, const struct dev_batch_norm_args *args)
{
    const struct dev_batch_norm *a = &args->of;
    struct forward f = {a, block_rows(a->C), args->y};

    dev_cpu_run(d, dev_cpu_div_up(a->rows, f.rows_per_block), forward_block, &f);
}

/* ---- backward ---- */

struct backward {
    const struct dev_batch_norm *a;
    const struct dev_batch_norm_grads *g;
    int64_t rows_per_block, blocks;
    float *sums;    /* (2, C): of dz, of dz (x - mean) */
    float *partial; /* (blocks, 2, C) */
};

/* How the backward pass knows what the ReLU let through: no ReLU; by computing z again from x; by
 * y, which a residual has changed. */
enum mask { ALL, BY_X, BY_Y };

static enum mask mask_of(const struct dev_batch_norm *a)
{
    return !a->relu ? ALL : a->residual ? BY_Y : BY_X;
}

DEV_INLINE float masked(enum mask mask, float dy, float v)
{
    return mask == ALL || v > 0.0f ? dy : 0.0f;
}

/* A block's shares of sum over rows of dz and of dz (x - mean), (n) each. */
DEV_INLINE void sum_strip(const struct backward *b, int64_t first, int64_t rows, int64_t at,
                          int64_t n, enum mask mask, bool floats, float *restrict sum,
                          float *restrict product)
{
    const struct dev_batch_norm *a = b->a;
    float mean[STRIP], factor[STRIP], beta[STRIP], s[STRIP] = {0}, p[STRIP] = {0};
    struct rows xs, dys, ys;

    factors(a, at, n, factor);
    memcpy(mean, a->mean + at, (size_t) n * sizeof *mean);
    memcpy(beta, a->beta + at, (size_t) n * sizeof *beta);
    rows_begin(&xs, a->type, a->x, NULL, a->C, at, n, first + rows);
    rows_begin(&dys, a->type, b->g->dy, NULL, a->C, at, n, first + rows);
    rows_begin(&ys, a->type, b->g->y, NULL, a->C, at, n, first + rows);
    for (int64_t r = first; r < first + rows; r++) {
        const float *restrict x = row_in(&xs, r, floats), *restrict dy = row_in(&dys, r, floats);
        const float *restrict y = mask == BY_Y ? row_in(&ys, r, floats) : NULL;

        for (int64_t c = 0; c < n; c++) {
            float v = mask == BY_Y   ? y[c]
                      : mask == BY_X ? normalised(x[c], mean[c], factor[c], beta[c])
                                     : 0.0f;
            float dz = masked(mask, dy[c], v);

            s[c] += dz;
            p[c] += dz * (x[c] - mean[c]);
        }
    }
    memcpy(sum, s, (size_t) n * sizeof *s);
    memcpy(product, p, (size_t) n * sizeof *p);
}

DEV_INLINE void sum_as(const struct backward *b, int64_t first, int64_t rows, int64_t c, int64_t n,
                       bool floats, float *sum, float *product)
{
    enum mask mask = mask_of(b->a);

    if (mask == BY_X)
        sum_strip(b, first, rows, c, n, BY_X, floats, sum + c, product + c);
    else if (mask == BY_Y)
        sum_strip(b, first, rows, c, n, BY_Y, floats, sum + c, product + c);
    else
        sum_strip(b, first, rows, c, n, ALL, floats, sum + c, product + c);
}

static void sum_block(void *arg, int64_t block, int worker)
{
    const struct backward *b = arg;
    int64_t C = b->a->C, first = block * b->rows_per_block;
    int64_t rows = dev_cpu_least(b->rows_per_block, b->a->rows - first);
    float *sum = b->partial + block * 2 * C, *product = sum + C;

    (void) worker;
    for (int64_t c = 0; c < C; c += STRIP) {
        int64_t n = dev_cpu_least(STRIP, C - c);

        if (b->a->type == DEV_FLOAT32)
            sum_as(b, first, rows, c, n, true, sum, product);
        else
            sum_as(b, first, rows, c, n, false, sum, product);
    }
}

/* Sixteen channels: sums over the blocks in their order, and dbeta = sum of dz, dgamma = rstd times
 * sum of dz (x - mean). */
static void join_sums(void *arg, int64_t strip, int worker)
{
    const struct backward *b = arg;
    const struct dev_batch_norm_grads *g = b->g;
    int64_t C = b->a->C, end = dev_cpu_least(C, (strip + 1) * DEV_LINE);

    (void) worker;
    for (int64_t c = strip * DEV_LINE; c < end; c++) {
        float rstd = 1.0f / sqrtf(b->a->variance[c] + b->a->epsilon);
        double sum = 0.0, product = 0.0;

        for (int64_t k = 0; k < b->blocks; k++) {
            sum += (double) b->partial[k * 2 * C + c];
            product += (double) b->partial[k * 2 * C + C + c];
        }
        b->sums[c] = (float) sum;
        b->sums[C + c] = (float) product;
        g->dbeta[c] = (g->accumulate_beta ? g->dbeta[c] : 0.0f) + (float) sum;
        g->dgamma[c] = (g->accumulate_gamma ? g->dgamma[c] : 0.0f) + (float) product * rstd;
    }
}

/* dx = factor dz - by_mean - (x - mean) by_x, which is struct dev_batch_norm_grads' formula with
 * everything that does not depend on the row computed once per strip; and dresidual = dz. */
DEV_INLINE void apply_strip(const struct backward *b, int64_t first, int64_t rows, int64_t at,
                            int64_t n, enum mask mask, bool floats)
{
    const struct dev_batch_norm *a = b->a;
    const struct dev_batch_norm_grads *g = b->g;
    float mean[STRIP], factor[STRIP], beta[STRIP], by_mean[STRIP], by_x[STRIP];
    struct rows xs, dys, ys, dxs, residuals;

    factors(a, at, n, factor);
    memcpy(mean, a->mean + at, (size_t) n * sizeof *mean);
    memcpy(beta, a->beta + at, (size_t) n * sizeof *beta);
    for (int64_t c = 0; c < n; c++) {
        by_mean[c] = factor[c] * b->sums[at + c] / (float) a->rows;
        by_x[c] = factor[c] * b->sums[a->C + at + c] / (float) a->rows /
                  (a->variance[at + c] + a->epsilon);
    }
    rows_begin(&xs, a->type, a->x, NULL, a->C, at, n, first + rows);
    rows_begin(&dys, a->type, g->dy, NULL, a->C, at, n, first + rows);
    rows_begin(&ys, a->type, g->y, NULL, a->C, at, n, first + rows);
    rows_begin(&dxs, a->type, g->dx, g->dx, a->C, at, n, first + rows);
    dxs.keep = g->accumulate_x;
    rows_begin(&residuals, a->type, g->dresidual, g->dresidual, a->C, at, n, first + rows);
    residuals.keep = g->accumulate_residual;
    for (int64_t r = first; r < first + rows; r++) {
        const float *restrict x = row_in(&xs, r, floats), *restrict dy = row_in(&dys, r, floats);
        const float *restrict y = mask == BY_Y ? row_in(&ys, r, floats) : NULL;
        float *restrict dx = row_out(&dxs, r, floats);
        float dz[STRIP];

        for (int64_t c = 0; c < n; c++) {
            float v = mask == BY_Y   ? y[c]
                      : mask == BY_X ? normalised(x[c], mean[c], factor[c], beta[c])
                                     : 0.0f;

            dz[c] = masked(mask, dy[c], v);
        }
        if (g->accumulate_x)
            for (int64_t c = 0; c < n; c++)
                dx[c] += factor[c] * dz[c] - by_mean[c] - (x[c] - mean[c]) * by_x[c];
        else
            for (int64_t c = 0; c < n; c++)
                dx[c] = factor[c] * dz[c] - by_mean[c] - (x[c] - mean[c]) * by_x[c];
        if (g->dresidual) {
            float *restrict to = row_out(&residuals, r, floats);

            for (int64_t c = 0; c < n; c++)
                to[c] = (g->accumulate_residual ? to[c] : 0.0f) + dz[c];
        }
    }
    rows_end(&dxs, floats);
    rows_end(&residuals, floats);
}

DEV_INLINE void apply_as(const struct backward *b, int64_t first, int64_t rows, int64_t c,
                         int64_t n, bool floats)
{
    enum mask mask = mask_of(b->a);

    if (mask == BY_X)
        apply_strip(b, first, rows, c, n, BY_X, floats);
    else if (mask == BY_Y)
        apply_strip(b, first, rows, c, n, BY_Y, floats);
    else
        apply_strip(b, first, rows, c, n, ALL, floats);
}

static void apply_block(void *arg, int64_t block, int worker)
{
    const struct backward *b = arg;
    int64_t C = b->a->C, first = block * b->rows_per_block;
    int64_t rows = dev_cpu_least(b->rows_per_block, b->a->rows - first);

    (void) worker;
    for (int64_t c = 0; c < C; c += STRIP) {
        int64_t n = dev_cpu_least(STRIP, C - c);

        if (b->a->type == DEV_FLOAT32)
            apply_as(b, first, rows, c, n, true);
        else
            apply_as(b, first, rows, c, n, false);
    }
}

void DEV_CPU(dev_cpu_batch_norm_bwd)(struct dev *d, const struct dev_batch_norm_bwd_args *args)
{
    const struct dev_batch_norm *a = &args->of;
    const struct dev_batch_norm_grads *g = &args->g;
    struct backward b = {.a = a,
                         .g = g,
                         .rows_per_block = block_rows(a->C),
                         .sums = g->scratch,
                         .partial = g->scratch + 2 * a->C};

    b.blocks = dev_cpu_div_up(a->rows, b.rows_per_block);
    dev_cpu_run(d, b.blocks, sum_block, &b);
    dev_cpu_run(d, dev_cpu_div_up(a->C, DEV_LINE), join_sums, &b);
    if (g->dx)
        dev_cpu_run(d, b.blocks, apply_block, &b);
}

/* Moving averages of C means or variances: too short for the pool. */
void DEV_CPU(dev_cpu_blend)(struct dev *d, const struct dev_blend_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = a->keep * a->y[i] + a->take * a->x[i];
}
