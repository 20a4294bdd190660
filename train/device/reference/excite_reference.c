/*
 * train/device/reference/excite_reference.c - channels of images weighted, in plain loops: y
 * (B,P,C) = x s(gate (B,C)), P pixels.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

static double gate_of(const struct dev_excite *a, float x)
{
    if (a->slope > 0.0f)
        return (double) a->slope * fmin(fmax((double) x + 3.0, 0.0), 6.0);
    return 1.0 / (1.0 + exp(-(double) x));
}

/* ds / dx of it */
static double steepness(const struct dev_excite *a, float x)
{
    double s = gate_of(a, x);

    if (a->slope > 0.0f)
        return x > -3.0f && x < 3.0f ? (double) a->slope : 0.0;
    return s * (1.0 - s);
}

void dev_reference_excite(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t p = 0; p < a->P; p++)
            for (int64_t c = 0; c < a->C; c++) {
                int64_t i = (b * a->P + p) * a->C + c;

                dev_put(a->type, a->y, i,
                        (float) ((double) dev_get(a->type, a->x, i) *
                                 gate_of(a, dev_get(a->type, a->gate, b * a->C + c))));
            }
}

static void put(enum dev_type type, void *to, int64_t i, double value, bool accumulate)
{
    dev_put(type, to, i, (float) (accumulate ? (double) dev_get(type, to, i) + value : value));
}

void dev_reference_excite_bwd(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t c = 0; c < a->C; c++) {
            float gate = dev_get(a->type, a->gate, b * a->C + c);
            double s = gate_of(a, gate), sum = 0.0;

            for (int64_t p = 0; p < a->P; p++) {
                int64_t i = (b * a->P + p) * a->C + c;
                double dy = (double) dev_get(a->type, a->dy, i);

                sum += (double) dev_get(a->type, a->x, i) * dy;
                put(a->type, a->dx, i, s * dy, a->accumulate_dx);
            }
            sum *= steepness(a, gate);
            put(a->type, a->dgate, b * a->C + c, sum, a->accumulate_dgate);
        }
}
