/*
 * train/device/cpu/conv2d_plan.h - which way a convolution of images goes on the cpu device, and
 * what it takes for that.  Compiled once per CPU variant.
 */
#ifndef DEV_CPU_CONV2D_PLAN_H
#define DEV_CPU_CONV2D_PLAN_H

#include "train/device/cpu/conv2d_parts.h"
#include "train/device/cpu/convolver.h"

enum conv2d_way { CONV2D_PRODUCT, CONV2D_LIBRARY, CONV2D_UNFOLD, CONV2D_DEPTHWISE };

struct conv2d_plan {
    enum conv2d_way way;
    struct dev_cpu_conv conv; /* of one piece */
    int64_t pieces;
    bool by_columns; /* a piece is some of the N columns, of all images; else some images */
    int64_t pack_floats, work_floats; /* packed weights; the work of one thread */
};

/* The plan of a pass; of shape, pass and precision alone. */
struct conv2d_plan DEV_CPU(dev_cpu_conv2d_plan)(const struct dev *d, const struct dev_conv2d *a,
                                                enum dev_conv2d_pass pass);
/* The convolution as a gemm of unfolded x (pixels, kh*kw*C): y = cols w, dcols = dy w^T, dw =
 * cols^T dy.  Computed so only for kernels of one pixel; for the others it is what the profile
 * counts. */
struct dev_gemm DEV_CPU(dev_cpu_conv2d_as_gemm)(const struct dev_conv2d *a,
                                                enum dev_conv2d_pass pass);

/* A kernel of one pixel with a stride: a gemm of the pixels that are read.  oneDNN 2.6 is slow
 * here, and its AVX2 kernel writes behind its memory where channels do not fill its blocks. */
static inline bool conv2d_is_gathered(const struct dev_conv2d *a)
{
    return a->kh == 1 && a->kw == 1 && a->stride > 1 && a->top == 0 && a->left == 0 &&
           (a->Ho - 1) * a->stride < a->H && (a->Wo - 1) * a->stride < a->W;
}

/* Whole vectors. */
static inline int64_t conv2d_whole(int64_t floats)
{
    return dev_cpu_div_up(floats, DEV_LINE) * DEV_LINE;
}

/* Floats of x, of the pixels a strided kernel of one pixel reads, of y. */
static inline int64_t conv2d_x_floats(const struct dev_conv2d *a)
{
    return a->B * a->H * a->W * a->C;
}

static inline int64_t conv2d_pixel_floats(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo * a->C;
}

static inline int64_t conv2d_y_floats(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo * a->N;
}

/* Floats of one piece's share of the gradient of w, packed or (kh,kw,C,N), in whole
 * vectors. */
static inline int64_t conv2d_part_floats(const struct conv2d_plan *p, const struct dev_conv2d *a)
{
    return conv2d_whole(p->way == CONV2D_LIBRARY ? p->pack_floats : conv2d_weights(a));
}

/* Floats for n elements of a type. */
static inline int64_t conv2d_room(enum dev_type type, int64_t n)
{
    return conv2d_whole(dev_cpu_div_up(n * (int64_t) dev_type_bytes(type), sizeof(float)));
}

static inline bool conv2d_is_typed(const struct dev_conv2d *a)
{
    return a->type != DEV_FLOAT32;
}

/* What is not stored as floats becomes floats on the way: all at once (UNFOLD, of few images or
 * without a library; columns, that all read x) or a piece at a time in the thread's memory
 * (LIBRARY). */
static inline bool conv2d_widens_all(const struct conv2d_plan *p, const struct dev_conv2d *a)
{
    return conv2d_is_typed(a) && (p->way == CONV2D_UNFOLD || (p->by_columns && !p->conv.stored16));
}

static inline int64_t conv2d_typed_floats(const struct conv2d_plan *p, const struct dev_conv2d *a,
                                          enum dev_conv2d_pass pass)
{
    int64_t x = conv2d_whole(conv2d_x_floats(a) / p->pieces);
    int64_t y = conv2d_whole(conv2d_y_floats(a) / p->pieces);

    if (!conv2d_is_typed(a) || p->way != CONV2D_LIBRARY)
        return 0;
    if (pass == DEV_CONV2D_WEIGHTS)
        return p->conv.stored16 ? 0 : x + y;
    if (p->conv.stored16)
        return pass == DEV_CONV2D_FORWARD ? y : x;
    return x + y;
}

/* With pieces of columns: floats of a thread for the columns of dy. */
static inline int64_t conv2d_column_floats(const struct conv2d_plan *p, const struct dev_conv2d *a)
{
    return p->by_columns ? conv2d_room(a->type, conv2d_y_floats(a) / p->pieces) : 0;
}

/* The next floats of a->scratch. */
static inline float *conv2d_take(struct dev_conv2d *a, int64_t floats)
{
    float *p = a->scratch;

    a->scratch += conv2d_whole(floats);
    return p;
}

#endif
