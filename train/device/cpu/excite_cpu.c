/*
 * train/device/cpu/excite_cpu.c - channels of images weighted (squeeze and excitation, Hu et al.
 * 2018): y[b,p,c] = x[b,p,c] s(gate[b,c]), s the sigmoid or the hard one.
 *
 * An image per piece of work, SPAN channels at a time, so that their gates are computed once and
 * stay in registers or the first-level cache while all pixels go by.  Backward:
 *   dx = dy s,  dgate = s' sum over p of x dy,  s' = s (1 - s), or the slope of the hard one
 * with the sum over the pixels of one image in their order, in double.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

static float gate_of(const struct dev_excite *a, float x)
{
    float up = x + 3.0f;

    if (a->slope > 0.0f)
        return a->slope * (up < 0.0f ? 0.0f : up > 6.0f ? 6.0f : up);
    return 1.0f / (1.0f + expf(-x));
}

enum { SPAN = 64 }; /* channels at once */

/* s (n) = s(gate) of channels c .. c + n - 1 of image b. */
static void gates(const struct dev_excite *a, int64_t b, int64_t c, int64_t n, float *s)
{
    float buffer[SPAN];
    const float *gate = dev_cpu_in(a->type, a->gate, b * a->C + c, n, buffer);

    for (int64_t k = 0; k < n; k++)
        s[k] = gate_of(a, gate[k]);
}

static void excite_image(void *arg, int64_t b, int worker)
{
    const struct dev_excite *a = arg;
    float s[SPAN], bx[SPAN], by[SPAN];

    (void) worker;
    for (int64_t c0 = 0; c0 < a->C; c0 += SPAN) {
        int64_t n = a->C - c0 < SPAN ? a->C - c0 : SPAN;

        gates(a, b, c0, n, s);
        for (int64_t p = 0; p < a->P; p++) {
            int64_t at = (b * a->P + p) * a->C + c0;
            const float *x = dev_cpu_in(a->type, a->x, at, n, bx);
            float *y = dev_cpu_out(a->type, a->y, at, n, false, by);

            for (int64_t c = 0; c < n; c++)
                y[c] = x[c] * s[c];
            dev_cpu_done(a->type, y, n, a->y, at);
        }
    }
}

void DEV_CPU(dev_cpu_excite)(struct dev *d, const struct dev_excite *a)
{
    struct dev_excite copy = *a;

    dev_cpu_run(d, a->B, excite_image, &copy);
}

static void excite_image_bwd(void *arg, int64_t b, int worker)
{
    const struct dev_excite *a = arg;
    float s[SPAN], bx[SPAN], by[SPAN], out[SPAN];

    (void) worker;
    for (int64_t c0 = 0; c0 < a->C; c0 += SPAN) {
        int64_t n = a->C - c0 < SPAN ? a->C - c0 : SPAN, gate_at = b * a->C + c0;
        double sum[SPAN] = {0};
        float *dgate;

        gates(a, b, c0, n, s);
        for (int64_t p = 0; p < a->P; p++) {
            int64_t at = (b * a->P + p) * a->C + c0;
            const float *x = dev_cpu_in(a->type, a->x, at, n, bx);
            const float *dy = dev_cpu_in(a->type, a->dy, at, n, by);
            float *dx = dev_cpu_out(a->type, a->dx, at, n, a->accumulate_dx, out);

            for (int64_t c = 0; c < n; c++) {
                sum[c] += (double) (x[c] * dy[c]);
                dx[c] = (a->accumulate_dx ? dx[c] : 0.0f) + s[c] * dy[c];
            }
            dev_cpu_done(a->type, dx, n, a->dx, at);
        }
        dgate = dev_cpu_out(a->type, a->dgate, gate_at, n, a->accumulate_dgate, out);
        for (int64_t c = 0; c < n; c++) {
            /* inside, the hard one is neither 0 nor 6 times its slope */
            bool inside = s[c] > 0.0f && s[c] < 6.0f * a->slope;
            float value = a->slope == 0.0f ? (float) sum[c] * s[c] * (1.0f - s[c])
                          : inside         ? (float) sum[c] * a->slope
                                           : 0.0f;

            dgate[c] = a->accumulate_dgate ? dgate[c] + value : value;
        }
        dev_cpu_done(a->type, dgate, n, a->dgate, gate_at);
    }
}

void DEV_CPU(dev_cpu_excite_bwd)(struct dev *d, const struct dev_excite *a)
{
    struct dev_excite copy = *a;

    dev_cpu_run(d, a->B, excite_image_bwd, &copy);
}
