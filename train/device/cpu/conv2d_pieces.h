/*
 * train/device/cpu/conv2d_pieces.h - a convolution cut into pieces of some images, which threads
 * share.  Compiled once per CPU variant.
 */
#ifndef DEV_CPU_CONV2D_PIECES_H
#define DEV_CPU_CONV2D_PIECES_H

#include <stdatomic.h>

#include "train/device/cpu/conv2d_plan.h"

/* One pass, as its pieces see it. */
struct conv2d_job {
    struct dev *dev;
    const struct dev_conv2d *a; /* with data; scratch is what is left of it */
    const struct conv2d_plan *plan;
    enum dev_type type; /* of x, y and their gradients */
    const void *from, *other;
    /* of a piece; other_floats 0: the same for all */
    int64_t from_floats, other_floats, out_floats;
    void *out;
    float *dw; /* where pieces of columns go */
    bool accumulate;
    float *packed;
    atomic_bool refused; /* a part of the gradient of weights is missing */
};

/* y or dx by the library, piece by piece. */
void DEV_CPU(dev_cpu_conv2d_pieces)(struct conv2d_job *j, struct dev_conv2d *a);
/* dw [+]= the sum of the pieces' shares, by the library or unfolded; j->out has room for them. */
void DEV_CPU(dev_cpu_conv2d_weight_pieces)(struct conv2d_job *j, struct dev_conv2d *a,
                                           bool accumulate, float *dw);

#endif
