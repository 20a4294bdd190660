/*
 * train/device/cpu/layer_norm_cpu.c - layer normalisation, forward and backward, by blocks of rows.
 *
 * Over each row of x (rows,D), with xhat = (x - mean) rstd and rstd = 1 / sqrt(variance + eps):
 *   y = xhat scale + bias
 *   dx = rstd (g - mean of g - xhat mean of g xhat),  g = dy scale
 *   dscale = sum over rows of dy xhat,  dbias = sum over rows of dy
 * Where x is the sum of a residual connection, a row of it is made just before it is normalised,
 * and its gradient is handed on before it leaves the first-level cache. A piece of work is ROWS
 * rows.  mean and variance are two passes over a row that is in the first-level cache; mean of
 * squares less square of mean would lose what the row has in common. Sums along a row use 16 lanes
 * and the tree of vf_sum.  dscale and dbias are added up per piece into `partial` and then over the
 * pieces in their order, so the bits do not depend on the number of threads.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

enum { ROWS = 64 }; /* of one piece */

struct norm {
    enum dev_type type;
    const void *x, *dy;
    const float *scale, *bias;
    void *y, *dx;
    float *stats;
    const float *stats_in; /* (rows, 2): mean, rstd of the forward pass */
    float *partial;        /* (pieces, 2, D): shares of dscale, dbias */
    int64_t rows, D;
    float eps;
    bool accumulate_x;
    const struct dev_residual_args *sum;         /* NULL: x is there */
    const struct dev_residual_bwd_args *sum_bwd; /* NULL likewise */
};

/* Elements c .. c + n - 1 of row r.  A row of one block is turned into floats once: `again` says
 * that the buffer holds it. */
DEV_INLINE const float *part(const struct norm *p, const void *x, int64_t r, int64_t c, int64_t n,
                             bool again, float *buffer)
{
    if (again && n == p->D && p->type != DEV_FLOAT32)
        return buffer;
    return dev_cpu_in(p->type, x, r * p->D + c, n, buffer);
}

/* The n numbers of x added to the 16 sums. */
DEV_INLINE vf add_values(vf sum, const float *x, int64_t n)
{
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES)
        sum += vf_load(x + c);
    if (c < n)
        sum += vf_load_part(x + c, n - c);
    return sum;
}

/* Their squares around the mean. */
DEV_INLINE vf add_squares(vf sum, const float *x, float mean, int64_t n)
{
    vf m = vf_set(mean);
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES) {
        vf t = vf_load(x + c) - m;
        sum += t * t;
    }
    for (; c < n; c++)
        sum[c % DEV_LANES] += (x[c] - mean) * (x[c] - mean);
    return sum;
}

/* Row r of x + dropout(y). */
static void sum_row(const struct dev_residual_args *a, int64_t r)
{
    float factor[DEV_CPU_GROUP], bx[DEV_CPU_GROUP], by[DEV_CPU_GROUP], bo[DEV_CPU_GROUP];
    int64_t begin = r * a->cols, end = begin + a->cols;
    bool alone = a->row_ids && a->row_ids[r] == 0;

    for (int64_t i = begin, n; i < end; i += n) {
        const float *x, *y;
        float *out;

        n = dev_cpu_least(DEV_CPU_GROUP, end - i);
        x = dev_cpu_in(a->type, a->x, i, n, bx);
        out = dev_cpu_out(a->type, a->out, i, n, false, bo);
        if (alone) {
            memcpy(out, x, (size_t) n * sizeof *out);
        } else {
            y = dev_cpu_in(a->type, a->y, i, n, by);
            DEV_CPU(dev_cpu_dropout_factors)(&a->dropout, i, n, factor);
            for (int64_t k = 0; k < n; k++)
                out[k] = x[k] + y[k] * factor[k];
        }
        dev_cpu_done(a->type, out, n, a->out, i);
    }
}

static void forward_row(const struct norm *p, int64_t r)
{
    float buffer[DEV_CPU_BLOCK], out[DEV_CPU_BLOCK], mean, rstd;
    vf sum = {0}, squares = {0};
    int64_t D = p->D, n;

    for (int64_t c = 0; c < D; c += n) {
        n = dev_cpu_block(p->type, c, D);
        sum = add_values(sum, part(p, p->x, r, c, n, false, buffer), n);
    }
    mean = vf_sum(sum) / (float) D;
    for (int64_t c = 0; c < D; c += n) {
        n = dev_cpu_block(p->type, c, D);
        squares = add_squares(squares, part(p, p->x, r, c, n, true, buffer), mean, n);
    }
    rstd = 1.0f / sqrtf(vf_sum(squares) / (float) D + p->eps);
    for (int64_t c = 0; c < D; c += n) {
        const float *x, *scale = p->scale + c, *bias = p->bias + c;
        float *y;

        n = dev_cpu_block(p->type, c, D);
        x = part(p, p->x, r, c, n, true, buffer);
        y = dev_cpu_out(p->type, p->y, r * D + c, n, false, out);
        for (int64_t k = 0; k < n; k++)
            y[k] = (x[k] - mean) * rstd * scale[k] + bias[k];
        dev_cpu_done(p->type, y, n, p->y, r * D + c);
    }
    p->stats[2 * r] = mean;
    p->stats[2 * r + 1] = rstd;
}

static void forward_piece(void *arg, int64_t piece, int worker)
{
    const struct norm *n = arg;
    int64_t end = (piece + 1) * ROWS < n->rows ? (piece + 1) * ROWS : n->rows;

    (void) worker;
    for (int64_t r = piece * ROWS; r < end; r++) {
        if (n->sum)
            sum_row(n->sum, r);
        forward_row(n, r);
    }
}

void DEV_CPU(dev_cpu_layer_norm)(struct dev *d, const struct dev_layer_norm_args *a)
{
    struct norm n = {.type = a->type,
                     .sum = a->of_sum ? &a->sum : NULL,
                     .x = a->x,
                     .scale = a->scale,
                     .bias = a->bias,
                     .y = a->y,
                     .stats = a->stats,
                     .rows = a->rows,
                     .D = a->D,
                     .eps = a->eps};

    dev_cpu_run(d, dev_cpu_div_up(a->rows, ROWS), forward_piece, &n);
}

/* A row's two sums, and its share of dscale and dbias (D), which the piece adds up row by row. */
struct row_sums {
    vf g, gx;
    float mean, rstd;
};

DEV_INLINE void add_row(struct row_sums *s, const float *x, const float *dy, const float *scale,
                        int64_t n, float *dscale, float *dbias)
{
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES) {
        vf dyv = vf_load(dy + c);
        vf g = dyv * vf_load(scale + c);
        vf xhat = (vf_load(x + c) - vf_set(s->mean)) * vf_set(s->rstd);

        s->g += g;
        s->gx += g * xhat;
        vf_store(dscale + c, vf_load(dscale + c) + dyv * xhat);
        vf_store(dbias + c, vf_load(dbias + c) + dyv);
    }
    for (; c < n; c++) {
        float g = dy[c] * scale[c], xhat = (x[c] - s->mean) * s->rstd;

        s->g[c % DEV_LANES] += g;
        s->gx[c % DEV_LANES] += g * xhat;
        dscale[c] += dy[c] * xhat;
        dbias[c] += dy[c];
    }
}

/* Elements i .. i + n - 1 of row r, at most DEV_CPU_GROUP, of the gradient of a sum: rounded as if
 * it were stored, and handed on. */
static void sum_gradient(const struct norm *p, int64_t r, int64_t i, int64_t n, float *gradient)
{
    const struct dev_residual_bwd_args *a = p->sum_bwd;
    float factor[DEV_CPU_GROUP], buffer[DEV_CPU_GROUP], *to;
    uint16_t stored[DEV_CPU_GROUP];

    if (p->type != DEV_FLOAT32) {
        DEV_CPU(dev_cpu_narrow)(p->type, gradient, n, stored, 0);
        DEV_CPU(dev_cpu_widen)(p->type, stored, 0, n, gradient);
    }
    if (p->dx) {
        to = dev_cpu_out(p->type, p->dx, i, n, p->accumulate_x, buffer);
        if (p->accumulate_x)
            for (int64_t k = 0; k < n; k++)
                to[k] += gradient[k];
        else
            memcpy(to, gradient, (size_t) n * sizeof *to);
        dev_cpu_done(p->type, to, n, p->dx, i);
    }
    if (!a->dy)
        return;
    if (a->row_ids && a->row_ids[r] == 0)
        memset(gradient, 0, (size_t) n * sizeof *gradient);
    DEV_CPU(dev_cpu_dropout_factors)(&a->dropout, i, n, factor);
    to = dev_cpu_out(p->type, a->dy, i, n, a->accumulate, buffer);
    if (a->accumulate)
        for (int64_t k = 0; k < n; k++)
            to[k] += gradient[k] * factor[k];
    else
        for (int64_t k = 0; k < n; k++)
            to[k] = gradient[k] * factor[k];
    dev_cpu_done(p->type, to, n, a->dy, i);
}

/* Elements c .. c + n - 1 of row r, whose x and dy are given, of dx behind a sum. */
static void sum_gradients(const struct norm *p, int64_t r, int64_t c, int64_t n, const float *x,
                          const float *dy, float g_mean, float gx_mean)
{
    float mean = p->stats_in[2 * r], rstd = p->stats_in[2 * r + 1];

    for (int64_t k = 0, m; k < n; k += m) {
        const float *scale = p->scale + c + k;
        float gradient[DEV_CPU_GROUP], buffer[DEV_CPU_GROUP];

        m = dev_cpu_least(DEV_CPU_GROUP, n - k);
        if (p->sum_bwd->dout) {
            const float *dout = dev_cpu_in(p->type, p->sum_bwd->dout, r * p->D + c + k, m, buffer);

            for (int64_t j = 0; j < m; j++)
                gradient[j] = dout[j] + rstd * (dy[k + j] * scale[j] - g_mean -
                                                (x[k + j] - mean) * rstd * gx_mean);
        } else {
            for (int64_t j = 0; j < m; j++)
                gradient[j] =
                    rstd * (dy[k + j] * scale[j] - g_mean - (x[k + j] - mean) * rstd * gx_mean);
        }
        sum_gradient(p, r, r * p->D + c + k, m, gradient);
    }
}

static void backward_row(const struct norm *p, int64_t r, float *dscale, float *dbias)
{
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK], out[DEV_CPU_BLOCK], g_mean, gx_mean;
    float mean = p->stats_in[2 * r], rstd = p->stats_in[2 * r + 1];
    struct row_sums s = {.mean = mean, .rstd = rstd};
    int64_t D = p->D, n;

    for (int64_t c = 0; c < D; c += n) {
        const float *x, *dy;

        n = dev_cpu_block(p->type, c, D);
        x = part(p, p->x, r, c, n, false, bx);
        dy = part(p, p->dy, r, c, n, false, by);
        add_row(&s, x, dy, p->scale + c, n, dscale + c, dbias + c);
    }
    g_mean = vf_sum(s.g) / (float) D;
    gx_mean = vf_sum(s.gx) / (float) D;
    for (int64_t c = 0; c < D; c += n) {
        const float *x, *dy, *scale = p->scale + c;
        float *dx;

        n = dev_cpu_block(p->type, c, D);
        x = part(p, p->x, r, c, n, true, bx);
        dy = part(p, p->dy, r, c, n, true, by);
        if (p->sum_bwd) {
            sum_gradients(p, r, c, n, x, dy, g_mean, gx_mean);
            continue;
        }
        dx = dev_cpu_out(p->type, p->dx, r * D + c, n, p->accumulate_x, out);
        if (p->accumulate_x)
            for (int64_t k = 0; k < n; k++)
                dx[k] += rstd * (dy[k] * scale[k] - g_mean - (x[k] - mean) * rstd * gx_mean);
        else
            for (int64_t k = 0; k < n; k++)
                dx[k] = rstd * (dy[k] * scale[k] - g_mean - (x[k] - mean) * rstd * gx_mean);
        dev_cpu_done(p->type, dx, n, p->dx, r * D + c);
    }
}

static void backward_piece(void *arg, int64_t piece, int worker)
{
    const struct norm *n = arg;
    int64_t end = (piece + 1) * ROWS < n->rows ? (piece + 1) * ROWS : n->rows;
    float *dscale = n->partial + piece * 2 * n->D, *dbias = dscale + n->D;

    (void) worker;
    memset(dscale, 0, (size_t) (2 * n->D) * sizeof *dscale);
    for (int64_t r = piece * ROWS; r < end; r++)
        backward_row(n, r, dscale, dbias);
}

void DEV_CPU(dev_cpu_layer_norm_bwd)(struct dev *d, const struct dev_layer_norm_bwd_args *a)
{
    struct norm n = {.type = a->type,
                     .sum_bwd = a->of_sum ? &a->sum : NULL,
                     .x = a->x,
                     .scale = a->scale,
                     .stats_in = a->stats,
                     .dy = a->dy,
                     .dx = a->dx,
                     .rows = a->rows,
                     .D = a->D,
                     .accumulate_x = a->accumulate_x,
                     .partial = a->scratch};
    int64_t pieces = dev_cpu_div_up(a->rows, ROWS);

    dev_cpu_run(d, pieces, backward_piece, &n);
    if (!a->accumulate_scale)
        memset(a->dscale, 0, (size_t) a->D * sizeof *a->dscale);
    if (!a->accumulate_bias)
        memset(a->dbias, 0, (size_t) a->D * sizeof *a->dbias);
    for (int64_t p = 0; p < pieces; p++)
        for (int64_t c = 0; c < a->D; c++) {
            a->dscale[c] += a->scratch[p * 2 * a->D + c];
            a->dbias[c] += a->scratch[p * 2 * a->D + a->D + c];
        }
}

int64_t DEV_CPU(dev_cpu_layer_norm_scratch)(int64_t rows, int64_t D)
{
    return dev_cpu_div_up(rows, ROWS) * 2 * D;
}
