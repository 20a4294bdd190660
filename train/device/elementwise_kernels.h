/*
 * train/device/elementwise_kernels.h - arguments of the kernels that go once over memory, element
 * by element; a part of kernels.h.
 */
#ifndef DEV_ELEMENTWISE_KERNELS_H
#define DEV_ELEMENTWISE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

/* y = max(x, 0), with `most` (0: none) at most that; NaN stays */
struct dev_relu_args {
    enum dev_type type;
    const void *x;
    int64_t n;
    float most;
    void *y;
};

/* dx = y > 0 ? dy * scale : 0; in place allowed (dx == dy).  The backward of dropout(relu(x)): y is
 * the result, scale the dropout's.  With `most` also 0 where y is that. */
struct dev_relu_bwd_args {
    enum dev_type type;
    const void *y, *dy;
    int64_t n;
    float scale, most;
    void *dx;
};

/* GELU's constants, in its form with tanh (Hendrycks and Gimpel 2016): sqrt(2/pi), and the
 * cube's. */
#define GELU_SLOPE 0.7978845608028654F
#define GELU_CUBE 0.044715F

/* y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
struct dev_gelu_args {
    enum dev_type type;
    const void *x;
    int64_t n;
    void *y;
};

/* dx [+]= dy times gelu's derivative at x */
struct dev_gelu_bwd_args {
    enum dev_type type;
    const void *x, *dy;
    int64_t n;
    bool accumulate;
    void *dx;
};

/* y = tanh(x) over n elements; in place allowed */
struct dev_tanh_args {
    const float *x;
    int64_t n;
    float *y;
};

/* dx [+]= dy (1 - y^2) */
struct dev_tanh_bwd_args {
    const float *y, *dy;
    int64_t n;
    bool accumulate;
    float *dx;
};

/* y [+]= dropout(x) over n elements; in place allowed; also its own backward. */
struct dev_dropout_args {
    enum dev_type type;
    const void *x;
    int64_t n;
    struct dev_dropout dropout;
    bool accumulate;
    void *y;
};

/* out = x + dropout(y), all (rows,cols); rows whose row_ids is 0 take nothing of y (row_ids may be
 * NULL). */
struct dev_residual_args {
    enum dev_type type;
    const void *x, *y;
    const int32_t *row_ids; /* (rows) */
    int64_t rows, cols;
    struct dev_dropout dropout;
    void *out;
};

/* dy [+]= dropout(dout), both (rows,cols); rows whose row_ids is 0 are zero */
struct dev_residual_bwd_args {
    enum dev_type type;
    const void *dout;
    const int32_t *row_ids; /* (rows) */
    int64_t rows, cols;
    struct dev_dropout dropout;
    bool accumulate;
    void *dy;
};

/* y [+]= x over n elements */
struct dev_copy_args {
    enum dev_type type;
    const void *x;
    int64_t n;
    bool accumulate;
    void *y;
};

/* y [+]= x over n elements, each of its own type: x of any, y of a float type */
struct dev_convert_args {
    enum dev_type type_x, type_y;
    const void *x;
    int64_t n;
    bool accumulate;
    void *y;
};

/* y [+]= scale * x over n elements; in place allowed */
struct dev_scale_args {
    enum dev_type type;
    const void *x;
    int64_t n;
    float scale;
    const struct dev_step *unscale; /* its loss_scale divides `scale`; may be NULL */
    bool accumulate;
    void *y;
};

/* The factor, known when the kernel runs. */
static inline float dev_scale_factor(const struct dev_scale_args *a)
{
    return a->unscale ? a->scale * (1.0F / a->unscale->loss_scale) : a->scale;
}

/* y (rows,cols) [+]= factors[row] * x */
struct dev_scale_rows_args {
    enum dev_type type; /* of x and y */
    const void *x;
    int64_t rows, cols;
    const float *factors; /* (rows) */
    bool accumulate;
    void *y;
};

/* y = keep * y + take * x over n elements */
struct dev_blend_args {
    const float *x;
    int64_t n;
    float keep, take;
    float *y;
};

/*
 * The weights of w (rows,cols) that targeted dropout applies to (common_layers.weight_targeting and
 * unit_targeting): those of each column whose |w| is not above number nth of them, from 0 and
 * ascending, so nth + 1 and their equals; with `columns` all of the columns whose norm is not above
 * number nth of the norms.  factors (rows,cols): dropout's for the targeted ones, 1 for the others.
 */
struct dev_targeted {
    int64_t rows, cols, nth;
    bool columns;
    const float *w;
    struct dev_dropout dropout;
    float *factors;
    float *scratch; /* rows + 2 cols */
};

#endif
