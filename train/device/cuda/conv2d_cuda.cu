/*
 * train/device/cuda/conv2d_cuda.cu - convolutions of images: products whose one factor is found in
 * the image while the product runs, so that no unfolded copy of it is held.
 *
 * Forward is pixels of y by taps, the gradient of x pixels of x by taps of y, that of w taps by
 * pixels.  An image is read once per tap and 64 channels of the result, mostly from the cache.  The
 * last has few results of long sums: the pixels are cut into parts by the shape, and a second
 * kernel adds the parts in order.
 *
 * Where cuDNN is, and has the shape, it does the three products; weights are turned to its order,
 * and rounded to the type of the image, in scratch memory, and their gradient back.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/tiles.cuh"
/* after the language */
#include "train/device/cuda/cudnn.h"

namespace
{

struct pixel {
    int64_t b, row, column;
};

__device__ struct pixel pixel_of(int64_t i, int64_t height, int64_t width)
{
    int64_t line = row_of(i, width), b = row_of(line, height);

    return {b, line - b * height, i - line * width};
}

/* Tap (u, v) and channel of a number that counts (kh,kw,channels). */
struct tap {
    int64_t u, v, channel;
};

__device__ struct tap tap_of(int64_t k, int64_t kw, int64_t channels)
{
    int64_t at = row_of(k, channels), u = row_of(at, kw);

    return {u, at - u * kw, k - at * channels};
}

/* Element of x that tap t of output pixel y reads, 0 beyond the image. */
__device__ float seen(const struct dev_conv2d &a, struct pixel y, struct tap t)
{
    int64_t row = y.row * a.stride + t.u * a.dilation - a.top;
    int64_t column = y.column * a.stride + t.v * a.dilation - a.left;

    if (row < 0 || row >= a.H || column < 0 || column >= a.W)
        return 0.0f;
    return get(a.type, a.x, ((y.b * a.H + row) * a.W + column) * a.C + t.channel);
}

/* Number of the output pixel whose tap t reads pixel x; negative when there is none. */
__device__ int64_t reader(const struct dev_conv2d &a, struct pixel x, struct tap t)
{
    int64_t row = x.row + a.top - t.u * a.dilation, column = x.column + a.left - t.v * a.dilation;
    int64_t i = row / a.stride, j = column / a.stride;

    if (row < 0 || column < 0 || i * a.stride != row || j * a.stride != column || i >= a.Ho ||
        j >= a.Wo)
        return -1;
    return (x.b * a.Ho + i) * a.Wo + j;
}

/* ---- factors of the three products ---- */

/* Pixels of y by (u,v,c). */
struct unfolded {
    static const bool along_k = true;
    struct dev_conv2d a;
    enum dev_type precision;
    typedef struct pixel line;
    __device__ line at(int64_t i) const
    {
        return pixel_of(i, a.Ho, a.Wo);
    }
    __device__ float value(line y, int64_t k) const
    {
        return dev_round(precision, seen(a, y, tap_of(k, a.kw, a.C)));
    }
};

/* (u,v,c) by pixels of y. */
struct unfolded_taps {
    static const bool along_k = false;
    struct dev_conv2d a;
    enum dev_type precision;
    typedef struct tap line;
    __device__ line at(int64_t i) const
    {
        return tap_of(i, a.kw, a.C);
    }
    __device__ float value(line t, int64_t k) const
    {
        return dev_round(precision, seen(a, pixel_of(k, a.Ho, a.Wo), t));
    }
};

/* Pixels of x by (u,v,n). */
struct readers {
    static const bool along_k = true;
    struct dev_conv2d a;
    const void *dy;
    enum dev_type precision;
    typedef struct pixel line;
    __device__ line at(int64_t i) const
    {
        return pixel_of(i, a.H, a.W);
    }
    __device__ float value(line x, int64_t k) const
    {
        struct tap t = tap_of(k, a.kw, a.N);
        int64_t y = reader(a, x, t);

        return y < 0 ? 0.0f : factor(a.type, dy, y * a.N + t.channel, precision);
    }
};

/* Rows of a matrix one behind the other: k is the row. */
struct rows_of {
    static const bool along_k = false;
    enum dev_type type;
    const void *p;
    int64_t cols;
    enum dev_type precision;
    typedef int64_t line;
    __device__ line at(int64_t i) const
    {
        return i;
    }
    __device__ float value(line i, int64_t k) const
    {
        return factor(type, p, k * cols + i, precision);
    }
};

/* w (u,v,c,n) as (u,v,n) by c. */
struct turned_weights {
    static const bool along_k = true;
    struct dev_conv2d a;
    enum dev_type precision;
    typedef int64_t line;
    __device__ line at(int64_t c) const
    {
        return c;
    }
    __device__ float value(line c, int64_t k) const
    {
        int64_t at = row_of(k, a.N);

        return dev_round(precision, a.w[(at * a.C + c) * a.N + k - at * a.N]);
    }
};

/* ---- results ---- */

struct activated {
    struct dev_conv2d a;
    void *y;
    __device__ void operator()(int64_t row, int64_t col, float sum, int) const
    {
        if (a.bias)
            sum += a.bias[col];
        put(a.type, y, row * a.N + col, a.activation == DEV_RELU && sum < 0.0f ? 0.0f : sum, false);
    }
};

struct added {
    enum dev_type type;
    void *to;
    int64_t cols;
    bool accumulate;
    int64_t part_floats; /* from one part to the next */
    __device__ void operator()(int64_t row, int64_t col, float sum, int part) const
    {
        put(type, to, part * part_floats + row * cols + col, sum, accumulate);
    }
};

struct sum_parts {
    const float *parts;
    int64_t n_parts, n;
    float *to;
    bool accumulate;
    __device__ void operator()(int64_t i) const
    {
        float sum = 0.0f;

        for (int64_t part = 0; part < n_parts; part++)
            sum += parts[part * n + i];
        put(&to[i], sum, accumulate);
    }
};

/* ---- depthwise: each channel by itself ---- */

/* Channel n of y sees channel n / (N/C) of x. */
struct depthwise {
    struct dev_conv2d a;
    void *y;
    __device__ void operator()(int64_t i) const
    {
        int64_t at = row_of(i, a.N), n = i - at * a.N, c = row_of(n, a.N / a.C);
        struct pixel p = pixel_of(at, a.Ho, a.Wo);
        float sum = 0.0f;

        for (int64_t u = 0; u < a.kh; u++)
            for (int64_t v = 0; v < a.kw; v++)
                sum += seen(a, p, {u, v, c}) * a.w[(u * a.kw + v) * a.N + n];
        if (a.bias)
            sum += a.bias[n];
        put(a.type, y, i, a.activation == DEV_RELU && sum < 0.0f ? 0.0f : sum, false);
    }
};

struct depthwise_dx {
    struct dev_conv2d_bwd_data_args args;
    __device__ void operator()(int64_t i) const
    {
        const struct dev_conv2d &a = args.of;
        int64_t at = row_of(i, a.C), c = i - at * a.C, outputs = a.N / a.C;
        struct pixel p = pixel_of(at, a.H, a.W);
        float sum = 0.0f;

        for (int64_t u = 0; u < a.kh; u++)
            for (int64_t v = 0; v < a.kw; v++) {
                int64_t y = reader(a, p, {u, v, 0});

                for (int64_t n = c * outputs; y >= 0 && n < (c + 1) * outputs; n++)
                    sum += get(a.type, args.dy, y * a.N + n) * a.w[(u * a.kw + v) * a.N + n];
            }
        put(a.type, args.dx, i, sum, args.accumulate);
    }
};

/* Columns (u,v,n) of w as sums over the pixels of y. */
struct depthwise_dw {
    struct dev_conv2d_bwd_weights_args args;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        const struct dev_conv2d &a = args.of;
        struct tap t = tap_of(col, a.kw, a.N);
        int64_t n = t.channel;

        t.channel = row_of(n, a.N / a.C);
        sum[0] += get(a.type, args.dy, row * a.N + n) * seen(a, pixel_of(row, a.Ho, a.Wo), t);
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        put(&args.dw[col], sum[0], args.accumulate);
    }
};

/* ---- cuDNN's ---- */

/* Weights (kh,kw,C,N) as (N,kh,kw,C) of another type. */
struct turn_weights {
    const float *from;
    int64_t rows, N; /* rows: kh kw C */
    enum dev_type type;
    void *to;
    __device__ void operator()(int64_t i) const
    {
        int64_t n = row_of(i, rows);

        put(type, to, i, from[(i - n * rows) * N + n], false);
    }
};

/* The way back: dw [+]= */
struct turn_back {
    const void *from;
    enum dev_type type;
    int64_t rows, N;
    float *to;
    bool accumulate;
    __device__ void operator()(int64_t i) const
    {
        int64_t row = row_of(i, N);

        put(&to[i], get(type, from, (i - row * N) * rows + row), accumulate);
    }
};

struct activate {
    struct dev_conv2d a;
    void *y;
    __device__ void operator()(int64_t i) const
    {
        float sum = get(a.type, y, i);

        if (a.bias)
            sum += a.bias[i - row_of(i, a.N) * a.N];
        put(a.type, y, i, a.activation == DEV_RELU && sum < 0.0f ? 0.0f : sum, false);
    }
};

int64_t weight_rows(const struct dev_conv2d *a)
{
    return a->kh * a->kw * a->C;
}

int64_t pixels(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo;
}

/* Parts of the pixels, so that there are blocks enough for a large processor. */
int64_t weight_parts(const struct dev_conv2d *a)
{
    int64_t tiles = div_up(weight_rows(a), TILE) * div_up(a->N, TILE);
    int64_t wanted = div_up(512, tiles), most = div_up(pixels(a), 256);

    return wanted < most ? wanted : most < 1 ? 1 : most;
}

/* Weights in the library's order lie in front of its workspace. */
int64_t turned_floats(const struct dev_conv2d *a)
{
    int64_t bytes = weight_rows(a) * a->N * (int64_t) dev_type_bytes(a->type);

    return div_up(bytes, DEV_ALIGN_BYTES) * DEV_ALIGN_BYTES / 4;
}

/* The pass by the library, if it does it. */
bool by_library(struct dev *d, const struct dev_conv2d *a, enum dev_conv2d_pass pass, const void *x,
                const void *y, bool accumulate)
{
    struct dev_dnn_conv c = {
        a, pass, (void *) x, a->scratch, (void *) y, accumulate, a->scratch + turned_floats(a)};
    const char *name = pass == DEV_CONV2D_FORWARD ? "conv2d" : "conv2d_bwd_data";

    if (dev_cuda_dnn_workspace(d, a, pass) < 0)
        return false;
    if (pass != DEV_CONV2D_WEIGHTS)
        for_each(d, name, weight_rows(a) * a->N,
                 turn_weights{a->w, weight_rows(a), a->N, a->type, a->scratch});
    dev_cuda_dnn_conv(d, &c);
    return true;
}

} /* namespace */

extern "C" {

void dev_cuda_conv2d(struct dev *d, const struct dev_conv2d_args *args)
{
    const struct dev_conv2d *a = &args->of;

    if (a->depthwise)
        for_each(d, "conv2d", pixels(a) * a->N, depthwise{*a, args->y});
    else if (by_library(d, a, DEV_CONV2D_FORWARD, a->x, args->y, false)) {
        if (a->bias || a->activation == DEV_RELU)
            for_each(d, "conv2d", pixels(a) * a->N, activate{*a, args->y});
    } else
        multiply(d, "conv2d", pixels(a), a->N, weight_rows(a), 1, unfolded{*a, d->precision},
                 rows_of{DEV_FLOAT32, a->w, a->N, d->precision}, activated{*a, args->y});
}

void dev_cuda_conv2d_bwd_data(struct dev *d, const struct dev_conv2d_bwd_data_args *args)
{
    const struct dev_conv2d *a = &args->of;
    int64_t rows = a->B * a->H * a->W;

    if (a->depthwise)
        for_each(d, "conv2d_bwd_data", rows * a->C, depthwise_dx{*args});
    else if (!by_library(d, a, DEV_CONV2D_DATA, args->dx, args->dy, args->accumulate))
        multiply(d, "conv2d_bwd_data", rows, a->C, a->kh * a->kw * a->N, 1,
                 readers{*a, args->dy, d->precision}, turned_weights{*a, d->precision},
                 added{a->type, args->dx, a->C, args->accumulate, 0});
}

void dev_cuda_conv2d_bwd_weights(struct dev *d, const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    int64_t rows = weight_rows(a), parts = weight_parts(a), n = rows * a->N;

    if (a->depthwise) {
        for_columns<1>(d, "conv2d_bwd_weights", pixels(a), a->kh * a->kw * a->N, a->scratch,
                       depthwise_dw{*args});
        return;
    }
    if (by_library(d, a, DEV_CONV2D_WEIGHTS, a->x, args->dy, false)) {
        for_each(d, "conv2d_bwd_weights", n,
                 turn_back{a->scratch, a->type, rows, a->N, args->dw, args->accumulate});
        return;
    }
    multiply(d, "conv2d_bwd_weights", rows, a->N, pixels(a), parts, unfolded_taps{*a, d->precision},
             rows_of{a->type, args->dy, a->N, d->precision},
             added{DEV_FLOAT32, a->scratch, a->N, false, n});
    for_each(d, "conv2d_bwd_weights", n,
             sum_parts{a->scratch, parts, n, args->dw, args->accumulate});
}

int64_t dev_cuda_conv2d_scratch(const struct dev *d, const struct dev_conv2d *a,
                                enum dev_conv2d_pass pass)
{
    /* the library's handle is made when it is asked first */
    int64_t bytes = dev_cuda_dnn_workspace((struct dev *) (uintptr_t) d, a, pass);

    if (bytes >= 0)
        return turned_floats(a) + div_up(bytes, 4);
    if (pass != DEV_CONV2D_WEIGHTS)
        return 0;
    return a->depthwise ? columns_scratch(pixels(a), a->kh * a->kw * a->N, 1)
                        : weight_parts(a) * weight_rows(a) * a->N;
}

} /* extern "C" */
