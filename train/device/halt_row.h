/*
 * train/device/halt_row.h - what a step of adaptive computation time decides for a row (struct
 * dev_halt), for all devices.
 *
 * In float32, in the original's order: whether a row halts depends on the last bit of a sum.
 */
#ifndef DEV_HALT_ROW_H
#define DEV_HALT_ROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "train/device/halt_kernels.h"

struct dev_halted {
    float p, w;     /* of the step; of x in y */
    float state[3]; /* h, R, N behind the step */
    bool runs, halts;
};

static inline struct dev_halted dev_halt_row(const struct dev_halt *a, int64_t r)
{
    struct dev_halted out = {.p = 1.0f / (1.0f + expf(-a->logits[r])), .w = 0.0f};
    float h = a->state ? a->state[3 * r] : 0.0f, R = a->state ? a->state[3 * r + 1] : 0.0f;

    out.runs = h < 1.0f && !(h + out.p > a->threshold);
    out.halts = h < 1.0f && !out.runs;
    if (out.runs) {
        out.w = out.p;
        h += out.p;
    } else if (out.halts) {
        R += 1.0f - h;
        out.w = R;
        h += R;
    }
    out.state[0] = h;
    out.state[1] = R;
    out.state[2] = (a->state ? a->state[3 * r + 2] : 0.0f) + (out.runs || out.halts ? 1.0f : 0.0f);
    return out;
}

/* Of the logit, of h and of R, from that of w (the sum over dy (x - mixed), or over dy x). */
static inline void dev_halt_row_bwd(const struct dev_halt *a, int64_t r, struct dev_halted of,
                                    float dw, float *dlogit, float *dh, float *dR)
{
    float dnext_h = a->dnext ? a->dnext[3 * r] : 0.0f;
    float dp = 0.0f, dnext_R = a->dnext ? a->dnext[3 * r + 1] : 0.0f;

    *dh = dnext_h;
    if (of.runs) {
        dp = dw + dnext_h;
    } else if (of.halts) {
        dnext_R += dnext_h + dw;
        *dh = dnext_h - dnext_R;
    }
    *dR = dnext_R;
    *dlogit = dp * of.p * (1.0f - of.p);
}

#endif
