/*
 * train/device/cpu/layer_norm_cpu.c - layer normalisation, forward and backward, by blocks of rows.
 *
 * Over each row of x (rows,D), with xhat = (x - mean) rstd and rstd = 1 / sqrt(variance + eps):
 *   y = xhat scale + bias
 *   dx = rstd (g - mean of g - xhat mean of g xhat),  g = dy scale
 *   dscale = sum over rows of dy xhat,  dbias = sum over rows of dy
 * A piece of work is ROWS rows.  mean and variance are two passes over a row that is in the
 * first-level cache; mean of squares less square of mean would lose what the row has in common.
 * Sums along a row use 16 lanes and the tree of vf_sum.  dscale and dbias are added up per piece
 * into `partial` and then over the pieces in their order, so the bits do not depend on the number
 * of threads.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

enum { ROWS = 64 }; /* of one piece */

struct norm {
    const float *x, *scale, *bias, *dy;
    float *y, *stats, *dx;
    const float *stats_in; /* (rows, 2): mean, rstd of the forward pass */
    float *partial;        /* (pieces, 2, D): shares of dscale, dbias */
    int64_t rows, D;
    float eps;
    bool accumulate_x;
};

static float row_sum(const float *x, int64_t D)
{
    vf sum = {0};
    int64_t c = 0;

    for (; c + DEV_LANES <= D; c += DEV_LANES)
        sum += vf_load(x + c);
    if (c < D)
        sum += vf_load_part(x + c, D - c);
    return vf_sum(sum);
}

/* Sum of (x - mean)^2 over a row. */
static float row_square_sum(const float *x, float mean, int64_t D)
{
    vf sum = {0}, m = vf_set(mean);
    int64_t c = 0;

    for (; c + DEV_LANES <= D; c += DEV_LANES) {
        vf t = vf_load(x + c) - m;
        sum += t * t;
    }
    for (; c < D; c++)
        sum[c % DEV_LANES] += (x[c] - mean) * (x[c] - mean);
    return vf_sum(sum);
}

static void forward_piece(void *arg, int64_t piece, int worker)
{
    const struct norm *n = arg;
    int64_t D = n->D, end = (piece + 1) * ROWS < n->rows ? (piece + 1) * ROWS : n->rows;

    (void) worker;
    for (int64_t r = piece * ROWS; r < end; r++) {
        const float *x = n->x + r * D;
        float *y = n->y + r * D;
        float mean = row_sum(x, D) / (float) D;
        float rstd = 1.0f / sqrtf(row_square_sum(x, mean, D) / (float) D + n->eps);

        for (int64_t c = 0; c < D; c++)
            y[c] = (x[c] - mean) * rstd * n->scale[c] + n->bias[c];
        n->stats[2 * r] = mean;
        n->stats[2 * r + 1] = rstd;
    }
}

void DEV_CPU(dev_cpu_layer_norm)(struct dev *d, const struct dev_layer_norm_args *a)
{
    struct norm n = {.x = a->x,
                     .scale = a->scale,
                     .bias = a->bias,
                     .y = a->y,
                     .stats = a->stats,
                     .rows = a->rows,
                     .D = a->D,
                     .eps = a->eps};

    dev_cpu_run(d, dev_cpu_div_up(a->rows, ROWS), forward_piece, &n);
}

/* dx of one row, and its share of dscale and dbias (D), which the piece adds up row by row. */
static void backward_row(const struct norm *n, int64_t r, float *dscale, float *dbias)
{
    int64_t D = n->D, c = 0;
    const float *x = n->x + r * D, *dy = n->dy + r * D;
    float *dx = n->dx + r * D;
    float mean = n->stats_in[2 * r], rstd = n->stats_in[2 * r + 1];
    vf g_sum = {0}, gx_sum = {0};
    float g_mean, gx_mean;

    for (; c + DEV_LANES <= D; c += DEV_LANES) {
        vf dyv = vf_load(dy + c);
        vf g = dyv * vf_load(n->scale + c);
        vf xhat = (vf_load(x + c) - vf_set(mean)) * vf_set(rstd);

        g_sum += g;
        gx_sum += g * xhat;
        vf_store(dscale + c, vf_load(dscale + c) + dyv * xhat);
        vf_store(dbias + c, vf_load(dbias + c) + dyv);
    }
    for (; c < D; c++) {
        float g = dy[c] * n->scale[c], xhat = (x[c] - mean) * rstd;

        g_sum[c % DEV_LANES] += g;
        gx_sum[c % DEV_LANES] += g * xhat;
        dscale[c] += dy[c] * xhat;
        dbias[c] += dy[c];
    }
    g_mean = vf_sum(g_sum) / (float) D;
    gx_mean = vf_sum(gx_sum) / (float) D;
    if (n->accumulate_x)
        for (c = 0; c < D; c++)
            dx[c] += rstd * (dy[c] * n->scale[c] - g_mean - (x[c] - mean) * rstd * gx_mean);
    else
        for (c = 0; c < D; c++)
            dx[c] = rstd * (dy[c] * n->scale[c] - g_mean - (x[c] - mean) * rstd * gx_mean);
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
    struct norm n = {.x = a->x,
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
