/*
 * train/device/cpu/conv2d_cpu.c - convolution of images: the three kernels.
 *
 * Images x (B,H,W,C) and y (B,Ho,Wo,N), weights w (kh,kw,C,N); formula: struct dev_conv2d.  The way
 * is chosen by conv2d_plan.c; this is what surrounds it: pixels gathered for a gemm, images
 * widened beforehand, results stored in their type.
 */
#include "train/device/cpu/conv2d_pieces.h"
#include "train/device/gemm_times.h"

struct widening {
    enum dev_type type;
    const void *x;
    int64_t cols;
    float *floats;
};

static void widen_row(void *arg, int64_t row, int worker)
{
    const struct widening *w = arg;

    (void) worker;
    DEV_CPU(dev_cpu_widen)(w->type, w->x, row * w->cols, w->cols, w->floats + row * w->cols);
}

/* A copy of x (rows, cols) as floats. */
static float *as_floats(struct dev *d, struct dev_conv2d *a, const void *x, int64_t rows,
                        int64_t cols)
{
    struct widening w = {a->type, x, cols, conv2d_take(a, rows * cols)};

    dev_cpu_run(d, rows, widen_row, &w);
    return w.floats;
}

/* x as a matrix of the pixels that are read (B*Ho*Wo, C): a copy with a stride, else x itself. */
static const void *gathered(struct dev *d, struct dev_conv2d *a)
{
    float *pixels;

    if (!conv2d_is_gathered(a))
        return a->x;
    pixels = conv2d_take(a, conv2d_room(a->type, conv2d_pixel_floats(a)));
    DEV_CPU(dev_cpu_conv2d_gather)(d, a, pixels);
    return pixels;
}

/* out (n), of a type, [+]= x, rounded. */
static void store(struct dev *d, enum dev_type type, const float *x, int64_t n, bool accumulate,
                  void *out)
{
    DEV_CPU(dev_cpu_convert)
    (d, &(struct dev_convert_args){.type_x = DEV_FLOAT32,
                                   .type_y = type,
                                   .x = x,
                                   .n = n,
                                   .accumulate = accumulate,
                                   .y = out});
}

void DEV_CPU(dev_cpu_conv2d)(struct dev *d, const struct dev_conv2d_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct conv2d_plan p = DEV_CPU(dev_cpu_conv2d_plan)(d, a, DEV_CONV2D_FORWARD);
    struct dev_gemm g = DEV_CPU(dev_cpu_conv2d_as_gemm)(a, DEV_CONV2D_FORWARD);
    struct dev_conv2d c = *a;
    struct conv2d_job j = {.dev = d, .a = &c, .plan = &p, .type = a->type, .out = args->y};

    if (p.way == CONV2D_DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise)(d, &c, args->y);
        return;
    }
    if (p.way == CONV2D_PRODUCT) {
        g.A = gathered(d, &c);
        g.B = c.w;
        g.C = args->y;
        g.bias = c.bias;
        g.activation = c.activation;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        return;
    }
    dev_gemm_begins(d);
    if (p.way == CONV2D_UNFOLD) {
        float *y = conv2d_is_typed(a) ? conv2d_take(&c, conv2d_y_floats(a)) : args->y;

        if (conv2d_is_typed(a))
            c.x = as_floats(d, &c, c.x, c.B * c.H, c.W * c.C);
        DEV_CPU(dev_cpu_conv2d_unfold)(d, &c, y);
        if (conv2d_is_typed(a))
            store(d, a->type, y, conv2d_y_floats(a), false, args->y);
    } else {
        j.from = c.x;
        j.other = c.w;
        j.from_floats = conv2d_x_floats(&c) / p.pieces;
        j.out_floats = conv2d_y_floats(&c) / p.pieces;
        DEV_CPU(dev_cpu_conv2d_pieces)(&j, &c);
    }
    dev_gemm_ends(d, &g);
}

void DEV_CPU(dev_cpu_conv2d_bwd_data)(struct dev *d, const struct dev_conv2d_bwd_data_args *args)
{
    const struct dev_conv2d *a = &args->of;
    const void *dy = args->dy;
    struct conv2d_plan p = DEV_CPU(dev_cpu_conv2d_plan)(d, a, DEV_CONV2D_DATA);
    struct dev_gemm g = DEV_CPU(dev_cpu_conv2d_as_gemm)(a, DEV_CONV2D_DATA);
    struct dev_conv2d c = *a;
    struct conv2d_job j = {.dev = d,
                           .a = &c,
                           .plan = &p,
                           .type = a->type,
                           .out = args->dx,
                           .accumulate = args->accumulate};

    if (p.way == CONV2D_DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise_data)(d, &c, dy, args->accumulate, args->dx);
        return;
    }
    if (p.way == CONV2D_PRODUCT) {
        bool some = conv2d_is_gathered(a);

        g.A = dy;
        g.B = c.w;
        g.C = some ? conv2d_take(&c, conv2d_pixel_floats(a)) : args->dx;
        if (some)
            g.type_c = DEV_FLOAT32; /* rounded once, with what it is added to */
        g.accumulate = args->accumulate && !some;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        if (some)
            DEV_CPU(dev_cpu_conv2d_scatter)(d, a, g.C, args->accumulate, args->dx);
        return;
    }
    dev_gemm_begins(d);
    if (p.way == CONV2D_UNFOLD) {
        float *dx = conv2d_is_typed(a) ? conv2d_take(&c, conv2d_x_floats(a)) : args->dx;

        if (conv2d_is_typed(a))
            dy = as_floats(d, &c, dy, c.B * c.Ho, c.Wo * c.N);
        DEV_CPU(dev_cpu_conv2d_unfold_data)(d, &c, dy, args->accumulate && !conv2d_is_typed(a), dx);
        if (conv2d_is_typed(a))
            store(d, a->type, dx, conv2d_x_floats(a), args->accumulate, args->dx);
    } else {
        j.from = dy;
        j.other = c.w;
        j.from_floats = conv2d_y_floats(&c) / p.pieces;
        j.out_floats = conv2d_x_floats(&c) / p.pieces;
        DEV_CPU(dev_cpu_conv2d_pieces)(&j, &c);
    }
    dev_gemm_ends(d, &g);
}

void DEV_CPU(dev_cpu_conv2d_bwd_weights)(struct dev *d,
                                         const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    const void *dy = args->dy;
    struct conv2d_plan p = DEV_CPU(dev_cpu_conv2d_plan)(d, a, DEV_CONV2D_WEIGHTS);
    struct dev_gemm g = DEV_CPU(dev_cpu_conv2d_as_gemm)(a, DEV_CONV2D_WEIGHTS);
    struct dev_conv2d c = *a;
    struct conv2d_job j = {.dev = d, .a = &c, .plan = &p, .type = a->type};

    if (p.way == CONV2D_DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise_weights)(d, &c, dy, args->accumulate, args->dw);
        return;
    }
    if (p.way == CONV2D_PRODUCT) {
        g.A = gathered(d, &c);
        g.B = dy;
        g.C = args->dw;
        g.accumulate = args->accumulate;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        return;
    }
    dev_gemm_begins(d);
    if (conv2d_widens_all(&p, a)) {
        dy = as_floats(d, &c, dy, c.B * c.Ho, c.Wo * c.N);
        c.x = as_floats(d, &c, c.x, c.B * c.H, c.W * c.C);
        c.type = j.type = DEV_FLOAT32;
    }
    j.out_floats = conv2d_part_floats(&p, &c);
    j.out = conv2d_take(&c, p.pieces * j.out_floats);
    j.from = dy;
    j.other = c.x;
    j.from_floats = conv2d_y_floats(&c) / p.pieces;
    j.other_floats = conv2d_x_floats(&c) / p.pieces;
    DEV_CPU(dev_cpu_conv2d_weight_pieces)(&j, &c, args->accumulate, args->dw);
    dev_gemm_ends(d, &g);
}
