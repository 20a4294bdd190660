/*
 * train/device/cpu/conv_cpu.c - convolutions along positions of (B,L,D): rows unfolded for a gemm,
 * and channels each by itself.
 *
 * Both directions of unfold and the data of depthwise are cut by batch elements, whose rows no
 * other piece touches.  The gradient of depthwise weights (taps,C) sums over all positions, so it
 * is cut by channels: each piece walks (B,L) in order.  No cut depends on the number of threads,
 * and so no sum.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/step.h"

enum { CHANNELS = 64 }; /* of one piece of work */

/* ---- unfold ---- */

struct unfold {
    const struct dev_unfold *a;
    const void *dout;
    bool accumulate;
    void *out;
};

/* The row of batch element b that tap t of position l reads; negative where it reads zeros: outside
 * of the sequence, or where the row is padding. */
static int64_t row_read(const struct dev_unfold *a, int64_t b, int64_t l, int64_t t)
{
    int64_t row = a->at + l + (t ? a->first + t : 0);

    if (row < 0 || row >= a->at + a->L || (a->row_ids && a->row_ids[b * a->L + row] == 0))
        return -1;
    return row;
}

/* out (L, taps, D) of one batch element: a row of it is what the gemm with w (taps*D, N)
 * multiplies. */
static void unfold_element(void *arg, int64_t b, int worker)
{
    const struct unfold *u = arg;
    const struct dev_unfold now = dev_unfold_now(u->a, b), *a = &now;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t l = 0; l < a->L; l++)
        for (int64_t t = 0; t < a->taps; t++) {
            int64_t to = ((b * a->L + l) * a->taps + t) * a->D, row = row_read(a, b, l, t);
            int64_t from = row < 0 ? 0 : dev_cache_element(a->cache_index, a->x_rows, b, b, row);

            if (row < 0)
                memset(dev_element(a->type, u->out, to), 0,
                       (size_t) a->D * dev_type_bytes(a->type));
            for (int64_t c = 0, n; row >= 0 && c < a->D; c += n) {
                const float *x;
                float *out;

                n = dev_cpu_block(a->type, c, a->D);
                x = dev_cpu_in(a->type, a->x, (from * a->x_rows + row) * a->D + c, n, bx);
                out = dev_cpu_out(a->type, u->out, to + c, n, false, by);
                for (int64_t k = 0; k < n; k++)
                    out[k] = x[k] * a->scale;
                dev_cpu_done(a->type, out, n, u->out, to + c);
            }
        }
}

void DEV_CPU(dev_cpu_unfold)(struct dev *d, const struct dev_unfold_args *args)
{
    const struct dev_unfold *a = &args->of;
    struct unfold u = {.a = a, .out = args->out};

    dev_cpu_run(d, a->B, unfold_element, &u);
}

/* The transpose: each tap's gradient is added to the row it was read from. */
static void unfold_floats_bwd(const struct unfold *u, int64_t b)
{
    const struct dev_unfold *a = u->a;
    float *dx = (float *) u->out + b * a->L * a->D;

    if (!u->accumulate)
        memset(dx, 0, (size_t) (a->L * a->D) * sizeof *dx);
    for (int64_t l = 0; l < a->L; l++)
        for (int64_t t = 0; t < a->taps; t++) {
            const float *dout = (const float *) u->dout + ((b * a->L + l) * a->taps + t) * a->D;
            int64_t row = row_read(a, b, l, t);

            for (int64_t c = 0; row >= 0 && c < a->D; c++)
                dx[row * a->D + c] += dout[c] * a->scale;
        }
}

/* The same for one block of a row of dx, from all taps that read it, so that it is rounded once. */
static void unfold_row_bwd(const struct unfold *u, int64_t b, int64_t row, int64_t c, int64_t n)
{
    const struct dev_unfold *a = u->a;
    int64_t at = (b * a->L + row) * a->D + c;
    float bx[DEV_CPU_BLOCK], sum[DEV_CPU_BLOCK] = {0};

    if (u->accumulate)
        DEV_CPU(dev_cpu_widen)(a->type, u->out, at, n, sum);
    for (int64_t t = 0; t < a->taps; t++) {
        int64_t l = t ? row - a->first - t : row;
        const float *dout;

        if (l < 0 || l >= a->L || row_read(a, b, l, t) != row)
            continue;
        dout = dev_cpu_in(a->type, u->dout, ((b * a->L + l) * a->taps + t) * a->D + c, n, bx);
        for (int64_t k = 0; k < n; k++)
            sum[k] += dout[k] * a->scale;
    }
    DEV_CPU(dev_cpu_narrow)(a->type, sum, n, u->out, at);
}

static void unfold_element_bwd(void *arg, int64_t b, int worker)
{
    const struct unfold *u = arg;
    const struct dev_unfold *a = u->a;

    (void) worker;
    if (a->type == DEV_FLOAT32) {
        unfold_floats_bwd(u, b);
        return;
    }
    for (int64_t row = 0; row < a->L; row++)
        for (int64_t c = 0, n; c < a->D; c += n) {
            n = dev_cpu_block(a->type, c, a->D);
            unfold_row_bwd(u, b, row, c, n);
        }
}

void DEV_CPU(dev_cpu_unfold_bwd)(struct dev *d, const struct dev_unfold_bwd_args *args)
{
    const struct dev_unfold *a = &args->of;
    struct unfold u = {.a = a, .dout = args->dout, .accumulate = args->accumulate, .out = args->dx};

    T2_ASSERT(a->x_rows == a->L && a->at == 0);
    dev_cpu_run(d, a->B, unfold_element_bwd, &u);
}

/* ---- depthwise ---- */

struct depthwise {
    const struct dev_depthwise *a;
    const void *dy;
    void *y, *dx;
    float *dw;
    bool accumulate_x, accumulate_w;
};

/* y[l,c] = sum over t of x[l - (taps - 1) + t, c] w[t,c]; taps that would read in front of the
 * sequence are not visited. */
static void depthwise_element(void *arg, int64_t b, int worker)
{
    const struct depthwise *p = arg;
    const struct dev_depthwise *a = p->a;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t l = 0; l < a->L; l++)
        for (int64_t c = 0, n; c < a->C; c += n) {
            int64_t to = (b * a->L + l) * a->C + c;
            float *y;

            n = dev_cpu_block(a->type, c, a->C);
            y = dev_cpu_out(a->type, p->y, to, n, false, by);
            memset(y, 0, (size_t) n * sizeof *y);
            for (int64_t t = l < a->taps ? a->taps - 1 - l : 0; t < a->taps; t++) {
                const float *x =
                    dev_cpu_in(a->type, a->x, (b * a->L + l - (a->taps - 1) + t) * a->C + c, n, bx);
                const float *w = a->w + t * a->C + c;

                for (int64_t k = 0; k < n; k++)
                    y[k] += x[k] * w[k];
            }
            dev_cpu_done(a->type, y, n, p->y, to);
        }
}

void DEV_CPU(dev_cpu_depthwise)(struct dev *d, const struct dev_depthwise_args *args)
{
    const struct dev_depthwise *a = &args->of;
    struct depthwise p = {.a = a, .y = args->y};

    dev_cpu_run(d, a->B, depthwise_element, &p);
}

/* dx[row,c] = sum over l = row .. row + taps - 1 of dy[l,c] w[taps - 1 - (l - row), c]: gathered by
 * rows of dx, so each is written once. */
static void depthwise_dx(void *arg, int64_t b, int worker)
{
    const struct depthwise *p = arg;
    const struct dev_depthwise *a = p->a;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t row = 0; row < a->L; row++)
        for (int64_t c = 0, n; c < a->C; c += n) {
            int64_t to = (b * a->L + row) * a->C + c;
            float *dx;

            n = dev_cpu_block(a->type, c, a->C);
            dx = dev_cpu_out(a->type, p->dx, to, n, p->accumulate_x, bx);
            if (!p->accumulate_x)
                memset(dx, 0, (size_t) n * sizeof *dx);
            for (int64_t l = row; l < dev_cpu_least(a->L, row + a->taps); l++) {
                const float *dy = dev_cpu_in(a->type, p->dy, (b * a->L + l) * a->C + c, n, by);
                const float *w = a->w + (a->taps - 1 - (l - row)) * a->C + c;

                for (int64_t k = 0; k < n; k++)
                    dx[k] += dy[k] * w[k];
            }
            dev_cpu_done(a->type, dx, n, p->dx, to);
        }
}

/* dw[t,c] = sum over b, l of dy[b,l,c] x[b, l - (taps - 1) + t, c], for a block of channels, so
 * that no two pieces add to one place. */
static void depthwise_dw(void *arg, int64_t piece, int worker)
{
    const struct depthwise *p = arg;
    const struct dev_depthwise *a = p->a;
    int64_t first = piece * CHANNELS, n = dev_cpu_least(CHANNELS, a->C - first);

    (void) worker;
    for (int64_t t = 0; t < a->taps; t++) {
        float sum[CHANNELS] = {0}, bx[CHANNELS], by[CHANNELS], *dw = p->dw + t * a->C + first;

        for (int64_t b = 0; b < a->B; b++)
            for (int64_t l = a->taps - 1 - t; l < a->L; l++) {
                int64_t x_row = b * a->L + l - (a->taps - 1) + t;
                const float *dy = dev_cpu_in(a->type, p->dy, (b * a->L + l) * a->C + first, n, by);
                const float *x = dev_cpu_in(a->type, a->x, x_row * a->C + first, n, bx);

                for (int64_t c = 0; c < n; c++)
                    sum[c] += dy[c] * x[c];
            }
        for (int64_t c = 0; c < n; c++)
            dw[c] = p->accumulate_w ? dw[c] + sum[c] : sum[c];
    }
}

void DEV_CPU(dev_cpu_depthwise_bwd)(struct dev *d, const struct dev_depthwise_bwd_args *args)
{
    const struct dev_depthwise *a = &args->of;
    struct depthwise p = {.a = a,
                          .dy = args->dy,
                          .dx = args->dx,
                          .dw = args->dw,
                          .accumulate_x = args->accumulate_x,
                          .accumulate_w = args->accumulate_w};

    dev_cpu_run(d, a->B, depthwise_dx, &p);
    dev_cpu_run(d, dev_cpu_div_up(a->C, CHANNELS), depthwise_dw, &p);
}
