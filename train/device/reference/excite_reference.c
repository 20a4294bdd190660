/*
 * train/device/reference/excite_reference.c - channels of images weighted, in plain loops: y
 * (B,P,C) = x sigmoid(gate (B,C)), P pixels.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

static double sigmoid(float x)
{
    return 1.0 / (1.0 + exp(-(double) x));
}

void dev_reference_excite(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t p = 0; p < a->P; p++)
            for (int64_t c = 0; c < a->C; c++) {
                int64_t i = (b * a->P + p) * a->C + c;

                a->y[i] = (float) ((double) a->x[i] * sigmoid(a->gate[b * a->C + c]));
            }
}

void dev_reference_excite_bwd(struct dev *d, const struct dev_excite *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t c = 0; c < a->C; c++) {
            double s = sigmoid(a->gate[b * a->C + c]), sum = 0.0;
            float *dgate = &a->dgate[b * a->C + c];

            for (int64_t p = 0; p < a->P; p++) {
                int64_t i = (b * a->P + p) * a->C + c;
                double dx = s * (double) a->dy[i];

                sum += (double) a->x[i] * (double) a->dy[i];
                a->dx[i] = (float) (a->accumulate_dx ? (double) a->dx[i] + dx : dx);
            }
            sum *= s * (1.0 - s);
            *dgate = (float) (a->accumulate_dgate ? (double) *dgate + sum : sum);
        }
}
