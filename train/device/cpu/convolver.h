/*
 * train/device/cpu/convolver.h - one convolution of some images on the calling thread, by a
 * library.
 */
#ifndef DEV_CPU_CONVOLVER_H
#define DEV_CPU_CONVOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/kernels.h"

/* The convolution: struct dev_conv2d without data, bias and activation, for B images. */
struct dev_cpu_conv {
    int64_t pass; /* enum dev_conv2d_pass */
    int64_t B, H, W, C, kh, kw, Ho, Wo, N, stride, dilation, top, left;
    int64_t row_of_w; /* w is (kh,kw,C,row_of_w), of which the N columns that are pointed to */
    int64_t bf16;     /* the library rounds factors to bfloat16, by instructions for it */
    int64_t stored16; /* with bf16: what it reads of x and y is stored as bfloat16 */
    int64_t winograd; /* 4 x 4 outputs by 36 multiplications instead of 144 */
};

/*
 * Tensors are those of struct dev_conv2d, float32 but for `stored16`.  A library may like other
 * layouts: weights are packed once for all images, images on the way, in memory of the caller that
 * holds rubbish.
 */
struct dev_cpu_convolver {
    /* False where the library has no good code for the shape; else the floats of packed weights and
     * of the work of one thread.  May be called on any thread, as the others. */
    bool (*can)(const struct dev_cpu_conv *c, int64_t *pack_floats, int64_t *work_floats);
    /* w into `packed`; false here and below: it has no memory. */
    bool (*pack)(const struct dev_cpu_conv *c, const float *w, float *packed);
    /* The way back, of DEV_CONV2D_WEIGHTS.  Packed gradients may be added up as they are. */
    bool (*unpack)(const struct dev_cpu_conv *c, const float *packed, float *dw);
    /* FORWARD: out = y from x and packed w; DATA: dx from dy and packed w; WEIGHTS: packed dw from
     * dy and x. */
    bool (*run)(const struct dev_cpu_conv *c, const void *from, const void *other, float *out,
                float *work);
    uint64_t
        code_bytes; /* pages of its code that the first convolutions fetch, and what it writes */
};

/* NULL where the build or the machine has none. */
const struct dev_cpu_convolver *dev_cpu_convolver(void);

#endif
