/*
 * train/device/cpu/halt_cpu.c - adaptive computation time: a row per piece of work.  What a row
 * decides is a few numbers; the rest is one pass over its D values, in buffers where they are no
 * floats.  Sums over a row are in its order, in double.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/halt_row.h"
#include "train/device/reference/reference_kernels.h"

static void halt_row(void *arg, int64_t r, int worker)
{
    const struct dev_halt *a = arg;
    struct dev_halted now = dev_halt_row(a, r);
    float w = now.w, rest = a->accumulated ? 1.0f : 1.0f - w;
    float bx[DEV_CPU_BLOCK], bm[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t c = 0, n; c < a->D; c += n) {
        int64_t at = r * a->D + c;
        const float *x, *mixed;
        float *y;

        n = dev_cpu_block(a->type, c, a->D);
        x = dev_cpu_in(a->type, a->x, at, n, bx);
        mixed = a->mixed ? dev_cpu_in(a->type, a->mixed, at, n, bm) : NULL;
        y = dev_cpu_out(a->type, a->y, at, n, false, by);
        for (int64_t i = 0; i < n; i++)
            y[i] = w * x[i] + (mixed ? rest * mixed[i] : 0.0f);
        dev_cpu_done(a->type, y, n, a->y, at);
    }
    for (int k = 0; k < 3; k++)
        a->next[3 * r + k] = now.state[k];
}

void DEV_CPU(dev_cpu_halt)(struct dev *d, const struct dev_halt *a)
{
    struct dev_halt copy = *a;

    dev_cpu_run(d, a->rows, halt_row, &copy);
}

/* to [+]= factor dy, n elements from `at` on */
static void scaled(const struct dev_halt *a, const float *dy, float factor, int64_t n, bool keep,
                   void *to, int64_t at)
{
    float buffer[DEV_CPU_BLOCK];
    float *out = dev_cpu_out(a->type, to, at, n, keep, buffer);

    for (int64_t i = 0; i < n; i++)
        out[i] = (keep ? out[i] : 0.0f) + factor * dy[i];
    dev_cpu_done(a->type, out, n, to, at);
}

static void halt_row_bwd(void *arg, int64_t r, int worker)
{
    const struct dev_halt *a = arg;
    struct dev_halted now = dev_halt_row(a, r);
    float bx[DEV_CPU_BLOCK], bm[DEV_CPU_BLOCK], bdy[DEV_CPU_BLOCK], dlogit, dstate[3] = {0};
    double dw = 0.0;

    (void) worker;
    for (int64_t c = 0, n; c < a->D; c += n) {
        int64_t at = r * a->D + c;
        const float *x, *mixed, *dy;

        n = dev_cpu_block(a->type, c, a->D);
        x = dev_cpu_in(a->type, a->x, at, n, bx);
        mixed = a->mixed && !a->accumulated ? dev_cpu_in(a->type, a->mixed, at, n, bm) : NULL;
        dy = dev_cpu_in(a->type, a->dy, at, n, bdy);
        for (int64_t i = 0; i < n; i++)
            dw += (double) (dy[i] * (x[i] - (mixed ? mixed[i] : 0.0f)));
        scaled(a, dy, now.w, n, a->accumulate_x, a->dx, at);
        if (a->dmixed)
            scaled(a, dy, a->accumulated ? 1.0f : 1.0f - now.w, n, a->accumulate_mixed, a->dmixed,
                   at);
    }
    dev_halt_row_bwd(a, r, now, (float) dw, &dlogit, &dstate[0], &dstate[1]);
    a->dlogits[r] = a->accumulate_logits ? a->dlogits[r] + dlogit : dlogit;
    for (int k = 0; a->dstate && k < 3; k++)
        a->dstate[3 * r + k] = a->accumulate_state ? a->dstate[3 * r + k] + dstate[k] : dstate[k];
}

void DEV_CPU(dev_cpu_halt_bwd)(struct dev *d, const struct dev_halt *a)
{
    struct dev_halt copy = *a;

    dev_cpu_run(d, a->rows, halt_row_bwd, &copy);
}

void DEV_CPU(dev_cpu_ponder)(struct dev *d, const struct dev_ponder_args *a)
{
    dev_reference_ponder(d, a);
}

void DEV_CPU(dev_cpu_ponder_bwd)(struct dev *d, const struct dev_ponder_bwd_args *a)
{
    dev_reference_ponder_bwd(d, a);
}
