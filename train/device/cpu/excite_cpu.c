/*
 * train/device/cpu/excite_cpu.c - channels of images weighted (squeeze and excitation, Hu et al.
 * 2018): y[b,p,c] = x[b,p,c] sigmoid(gate[b,c]).
 *
 * An image per piece of work, SPAN channels at a time, so that their sigmoids are computed once and
 * stay in registers or the first-level cache while all pixels go by.  Backward:
 *   dx = dy s,  dgate = s (1 - s) sum over p of x dy,  s = sigmoid(gate)
 * with the sum over the pixels of one image in their order, in double.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

static float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

enum { SPAN = 64 }; /* channels at once */

static void excite_image(void *arg, int64_t b, int worker)
{
    const struct dev_excite *a = arg;
    float s[SPAN];

    (void) worker;
    for (int64_t c0 = 0; c0 < a->C; c0 += SPAN) {
        int64_t n = a->C - c0 < SPAN ? a->C - c0 : SPAN;

        for (int64_t c = 0; c < n; c++)
            s[c] = sigmoid(a->gate[b * a->C + c0 + c]);
        for (int64_t p = 0; p < a->P; p++) {
            int64_t at = (b * a->P + p) * a->C + c0;

            for (int64_t c = 0; c < n; c++)
                a->y[at + c] = a->x[at + c] * s[c];
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

    (void) worker;
    for (int64_t c0 = 0; c0 < a->C; c0 += SPAN) {
        int64_t n = a->C - c0 < SPAN ? a->C - c0 : SPAN;
        float *dgate = a->dgate + b * a->C + c0;
        float s[SPAN];
        double sum[SPAN] = {0};

        for (int64_t c = 0; c < n; c++)
            s[c] = sigmoid(a->gate[b * a->C + c0 + c]);
        for (int64_t p = 0; p < a->P; p++) {
            int64_t at = (b * a->P + p) * a->C + c0;

            for (int64_t c = 0; c < n; c++) {
                float dy = a->dy[at + c];

                sum[c] += (double) (a->x[at + c] * dy);
                a->dx[at + c] = (a->accumulate_dx ? a->dx[at + c] : 0.0f) + s[c] * dy;
            }
        }
        for (int64_t c = 0; c < n; c++) {
            float value = (float) sum[c] * s[c] * (1.0f - s[c]);

            dgate[c] = a->accumulate_dgate ? dgate[c] + value : value;
        }
    }
}

void DEV_CPU(dev_cpu_excite_bwd)(struct dev *d, const struct dev_excite *a)
{
    struct dev_excite copy = *a;

    dev_cpu_run(d, a->B, excite_image_bwd, &copy);
}
