/*
 * tests/ops/test_conv2d.c - convolution of images: kernels on every device against the reference
 * loops, plain by hand, padding, gradients.
 */
#include "train/ops/conv2d.h"

#include <math.h>

/* The way of machines without oneDNN is called itself, in its plainest variant. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define DEV_CPU_VARIANT generic
#include "train/device/cpu/conv2d_parts.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/linear.h"

struct shape {
    int64_t B, H, W, C, kh, kw, N; /* depthwise: N outputs per channel */
    int64_t stride, dilation;
    enum nn_padding padding;
    bool depthwise;
};

/* ---- kernels ---- */

struct args {
    struct shape shape;
    bool bias, relu, accumulate;
    enum dev_type precision;
};

enum { FIRST, SECOND, OUT, BIAS };

static struct dev_conv2d conv_of(const struct args *x)
{
    const struct shape *s = &x->shape;
    struct dev_conv2d a = {.B = s->B,
                           .H = s->H,
                           .W = s->W,
                           .C = s->C,
                           .kh = s->kh,
                           .kw = s->kw,
                           .N = s->depthwise ? s->N * s->C : s->N,
                           .stride = s->stride,
                           .dilation = s->dilation,
                           .depthwise = s->depthwise,
                           .type = op_type(),
                           .activation = x->relu ? DEV_RELU : DEV_LINEAR};

    nn_conv2d_axis(s->padding, s->H, s->kh, s->stride, s->dilation, &a.Ho, &a.top);
    nn_conv2d_axis(s->padding, s->W, s->kw, s->stride, s->dilation, &a.Wo, &a.left);
    return a;
}

/* The same with data, as a pass wants them. */
static struct dev_conv2d call_of(const struct args *x, enum dev_conv2d_pass pass, void *const *p)
{
    struct dev_conv2d a = conv_of(x);

    a.x = pass == DEV_CONV2D_FORWARD ? p[FIRST] : pass == DEV_CONV2D_WEIGHTS ? p[SECOND] : NULL;
    a.w = pass == DEV_CONV2D_WEIGHTS ? NULL : p[SECOND];
    a.bias = pass == DEV_CONV2D_FORWARD && x->bias ? p[BIAS] : NULL;
    return a;
}

static void run_pass(struct dev *d, void *const *p, const struct args *x, enum dev_conv2d_pass pass)
{
    struct dev_conv2d a = call_of(x, pass, p);

    d->precision =
        x->precision == DEV_FLOAT32 || op_type() == DEV_FLOAT32 ? x->precision : op_type();
    a.scratch = op_scratch(d, d->kernels->conv2d_scratch_floats(d, &a, pass));
    if (pass == DEV_CONV2D_FORWARD)
        d->kernels->conv2d(d, &(struct dev_conv2d_args){.of = a, .y = p[OUT]});
    else if (pass == DEV_CONV2D_DATA)
        d->kernels->conv2d_bwd_data(d,
                                    &(struct dev_conv2d_bwd_data_args){.of = a,
                                                                       .dy = p[FIRST],
                                                                       .accumulate = x->accumulate,
                                                                       .dx = p[OUT]});
    else
        d->kernels->conv2d_bwd_weights(d, &(struct dev_conv2d_bwd_weights_args){.of = a,
                                                                                .dy = p[FIRST],
                                                                                .accumulate =
                                                                                    x->accumulate,
                                                                                .dw = p[OUT]});
    d->precision = DEV_FLOAT32;
}

static void forward(struct dev *d, void *const *p, const void *arg)
{
    run_pass(d, p, arg, DEV_CONV2D_FORWARD);
}

static void backward_data(struct dev *d, void *const *p, const void *arg)
{
    run_pass(d, p, arg, DEV_CONV2D_DATA);
}

static void backward_weights(struct dev *d, void *const *p, const void *arg)
{
    run_pass(d, p, arg, DEV_CONV2D_WEIGHTS);
}

static double tolerance = 1.0; /* times that of docs/numerics.md for direct sums */

/* atol: as of a product of `terms` terms */
static void begin(struct op_call *c, const char *what, const struct args *x, int64_t terms)
{
    const struct shape *s = &x->shape;

    op_begin(
        c, tolerance * (1e-6 + 8e-8 * (double) terms), 1e-6,
        "%s (%d,%d,%d,%d) by (%d,%d,,%d) stride %d dilation %d padding %d depthwise %d bias %d "
        "relu %d accumulate %d precision %d",
        what, (int) s->B, (int) s->H, (int) s->W, (int) s->C, (int) s->kh, (int) s->kw, (int) s->N,
        (int) s->stride, (int) s->dilation, (int) s->padding, s->depthwise, x->bias, x->relu,
        x->accumulate, (int) x->precision);
}

/* Factors that are bfloat16 already, for all types: a device may multiply what is stored as floats
 * as it is. */
static void round_factor(const struct args *x, float *factor, int64_t n)
{
    for (int64_t i = 0; x->precision != DEV_FLOAT32 && i < n; i++)
        factor[i] = dev_round(x->precision, factor[i]);
}

/* cuDNN rounds a sum of products before a bias is added, and gradients of weights before they are
 * float32: by 2^-8 and 2^-11 of it.  The sum of n has a deviation of sqrt(n) / 3. */
static void half_tolerance(struct op_call *c, int64_t terms)
{
    c->bf16_atol = 0x1p-8 * (1.0 + 2.0 * sqrt((double) terms));
    c->fp16_atol = c->bf16_atol / 8.0;
}

static void check_with(const struct args *x, op_kernel_fn fwd, op_kernel_fn bwd_data,
                       op_kernel_fn bwd_weights)
{
    struct dev_conv2d a = conv_of(x);
    int64_t n_x = a.B * a.H * a.W * a.C, n_y = a.B * a.Ho * a.Wo * a.N;
    int64_t n_w = a.kh * a.kw * a.C * x->shape.N, taps = a.kh * a.kw;
    struct op_call c;

    begin(&c, "conv2d", x, taps * (a.depthwise ? 1 : a.C));
    half_tolerance(&c, taps * (a.depthwise ? 1 : a.C));
    round_factor(x, op_typed_in(&c, n_x, 1), n_x);
    round_factor(x, op_in(&c, n_w, 2), n_w);
    (void) op_typed_out(&c, n_y, false, 3);
    (void) op_in(&c, a.N, 4);
    op_check(&c, fwd, x);

    begin(&c, "conv2d_bwd_data", x, taps * x->shape.N);
    round_factor(x, op_typed_in(&c, n_y, 5), n_y);
    round_factor(x, op_in(&c, n_w, 2), n_w);
    (void) op_typed_out(&c, n_x, x->accumulate, 6);
    op_check(&c, bwd_data, x);

    begin(&c, "conv2d_bwd_weights", x, a.B * a.Ho * a.Wo);
    half_tolerance(&c, a.B * a.Ho * a.Wo);
    round_factor(x, op_typed_in(&c, n_y, 5), n_y);
    round_factor(x, op_typed_in(&c, n_x, 1), n_x);
    (void) op_out(&c, n_w, x->accumulate, 7);
    op_check(&c, bwd_weights, x);
}

static void check(const struct args *x)
{
    check_with(x, forward, backward_data, backward_weights);
}

static const struct shape shapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, NN_SAME, false},
    {2, 5, 7, 3, 3, 3, 5, 1, 1, NN_SAME, false},
    {3, 8, 6, 4, 3, 3, 16, 2, 1, NN_SAME, false}, /* the odd zeros at the end */
    {1, 9, 9, 16, 5, 3, 8, 2, 1, NN_SYMMETRIC, false},
    {2, 7, 8, 8, 2, 2, 6, 1, 1, NN_VALID, false},
    {2, 10, 11, 5, 3, 3, 7, 1, 2, NN_SAME, false}, /* dilation */
    {2, 12, 9, 6, 3, 2, 7, 2, 3, NN_VALID, false},
    {1, 6, 5, 3, 3, 3, 4, 3, 1, NN_SAME, false},
    {2, 9, 4, 33, 1, 1, 17, 1, 1, NN_SAME, false},
    {2, 9, 5, 16, 1, 1, 32, 2, 1, NN_SAME, false}, /* pixels that are not read */
    {1, 24, 23, 4, 1, 1, 8, 2, 1, NN_SAME, false},
    {2, 8, 7, 5, 1, 1, 3, 3, 1, NN_VALID, false},
    {2, 8, 8, 32, 3, 3, 32, 1, 1, NN_SAME, false},
    {9, 6, 6, 64, 3, 3, 16, 1, 1, NN_SAME, false},
    {2, 4, 4, 16, 3, 3, 48, 2, 1, NN_SYMMETRIC, false},
    {2, 20, 20, 3, 7, 7, 16, 2, 1, NN_SYMMETRIC, false}, /* the first layer of a ResNet */
    {1, 3, 3, 4, 5, 5, 3, 1, 1, NN_SAME, false},         /* kernel larger than the image */
    {2, 2, 2, 4, 3, 3, 3, 1, 4, NN_SAME, false},         /* only one tap meets it */
    {17, 3, 3, 5, 2, 2, 3, 1, 1, NN_VALID, false},
    {2, 4, 5, 9, 3, 3, 192, 2, 1, NN_SAME, false},  /* several blocks of packed weights */
    {5, 7, 7, 64, 3, 3, 128, 1, 1, NN_SAME, false}, /* more weights than pixels: dw by columns */
    {1, 3, 4, 40, 1, 1, 576, 1, 1, NN_SAME, false},
    {2, 6, 7, 5, 3, 3, 1, 1, 1, NN_SAME, true},
    {2, 9, 7, 16, 3, 3, 1, 2, 1, NN_SAME, true},
    {3, 7, 7, 70, 3, 3, 2, 1, 1, NN_SYMMETRIC, true},
    {2, 8, 9, 3, 5, 5, 3, 2, 2, NN_SAME, true},
    {1, 5, 5, 33, 3, 1, 1, 1, 1, NN_VALID, true},
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void test_kernels(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_SHAPES; i++)
        for (int bits = (int) (i % 2); bits < 4; bits += 2)
            check(&(struct args){.shape = shapes[i],
                                 .bias = bits & 1,
                                 .relu = bits & 2,
                                 .accumulate = bits == 1 || bits == 2});
}

static void test_bfloat16(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 2; bits++)
            check(&(struct args){
                .shape = shapes[i], .bias = bits, .accumulate = bits, .precision = DEV_BFLOAT16});
}

/* Large enough for Winograd's way, with pieces of several images, and for unfolding in tiles. */
static const struct shape large[] = {
    {8, 16, 16, 48, 3, 3, 50, 1, 1, NN_SAME, false},
    {4, 24, 23, 64, 3, 3, 40, 1, 1, NN_VALID, false},
    {2, 40, 30, 8, 3, 3, 5, 2, 1, NN_SAME, false},
};

/* With sanitizers the plain loops that they are compared with take minutes. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { N_LARGE = 1 };
#else
enum { N_LARGE = sizeof large / sizeof *large };
#endif

static void test_large(void **state)
{
    (void) state;
    tolerance = 4.0; /* Winograd's sums cancel */
    for (size_t i = 0; i < N_LARGE; i++)
        check(&(struct args){.shape = large[i], .bias = i == 0, .accumulate = i % 2});
    if (N_LARGE > 1)
        check(&(struct args){.shape = large[1], .precision = DEV_BFLOAT16});
    tolerance = 1.0;
}

/* Devices other than cpu keep their own. */
static void unfold(struct dev *d, void *const *p, const struct args *x, enum dev_conv2d_pass pass)
{
    struct dev_conv2d a = call_of(x, pass, p);

    if (strcmp(d->name, "cpu") != 0 ||
        op_type() != DEV_FLOAT32) { /* those functions know floats only */
        run_pass(d, p, x, pass);
        return;
    }
    a.scratch =
        op_scratch(d, DEV_CPU(dev_cpu_conv2d_unfold_scratch)(&a) * t2_pool_threads(d->pool));
    if (pass == DEV_CONV2D_FORWARD)
        DEV_CPU(dev_cpu_conv2d_unfold)(d, &a, p[OUT]);
    else if (pass == DEV_CONV2D_DATA)
        DEV_CPU(dev_cpu_conv2d_unfold_data)(d, &a, p[FIRST], x->accumulate, p[OUT]);
    else
        DEV_CPU(dev_cpu_conv2d_unfold_weights)(&a, p[FIRST], 0, a.B, p[OUT], a.scratch);
}

static void unfold_forward(struct dev *d, void *const *p, const void *arg)
{
    unfold(d, p, arg, DEV_CONV2D_FORWARD);
}

static void unfold_data(struct dev *d, void *const *p, const void *arg)
{
    unfold(d, p, arg, DEV_CONV2D_DATA);
}

static void unfold_weights(struct dev *d, void *const *p, const void *arg)
{
    unfold(d, p, arg, DEV_CONV2D_WEIGHTS);
}

static void test_unfold(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_SHAPES; i++)
        for (int bits = 0; bits < 2 && !shapes[i].depthwise; bits++)
            check_with(
                &(struct args){.shape = shapes[i], .bias = bits, .relu = bits, .accumulate = false},
                unfold_forward, unfold_data, unfold_weights);
    check_with(&(struct args){.shape = large[1]}, unfold_forward, unfold_data, unfold_weights);
    check_with(&(struct args){.shape = large[2]}, unfold_forward, unfold_data, unfold_weights);
}

/* ---- by hand ---- */

static void convolve(struct dev *d, struct dev_conv2d *a, float *y)
{
    a->scratch = op_scratch(d, d->kernels->conv2d_scratch_floats(d, a, DEV_CONV2D_FORWARD));
    d->kernels->conv2d(d, &(struct dev_conv2d_args){.of = *a, .y = y});
    op_fetch();
}

static void test_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};          /* 3 x 3 */
    static const float w[] = {1, 10, 100, 1000}, bias[] = {-2.0f}; /* 2 x 2 */
    static const float valid[] = {5421 - 2, 6532 - 2, 8754 - 2, 9865 - 2};
    /* one row and column of zeros at the end */
    static const float same[] = {5421, 6532, 603, 8754, 9865, 906, 87, 98, 9};
    static const float dilated[] = {9731}; /* the corners */
    static const float w2[] = {1, -1, 10, 0, 100, 1, 1000, 0};
    /* depthwise with multiplier 2 on one channel: the products of both kernels side by side */
    static const float two[] = {5421, 0, 6532, 0, 8754, 0, 9865, 0};
    float y[9];
    struct dev *d = op_device("reference", 1);
    float *there = op_result(d, y, sizeof y);
    struct dev_conv2d a = {.B = 1,
                           .H = 3,
                           .W = 3,
                           .C = 1,
                           .kh = 2,
                           .kw = 2,
                           .Ho = 2,
                           .Wo = 2,
                           .N = 1,
                           .stride = 1,
                           .dilation = 1,
                           .x = op_upload(d, x, sizeof x),
                           .w = op_upload(d, w, sizeof w),
                           .bias = op_upload(d, bias, sizeof bias)};

    (void) state;
    convolve(d, &a, there);
    t_assert_close(y, valid, 4, 0, 0);
    a.bias = NULL;
    a.Ho = a.Wo = 3;
    convolve(d, &a, there);
    t_assert_close(y, same, 9, 0, 0);
    a.Ho = a.Wo = 1;
    a.dilation = 2;
    convolve(d, &a, there);
    t_assert_close(y, dilated, 1, 0, 0);
    a.Ho = a.Wo = a.N = 2;
    a.dilation = 1;
    a.depthwise = true;
    a.activation = DEV_RELU;
    a.w = op_upload(d, w2, sizeof w2);
    convolve(d, &a, there);
    op_done();
    y[1] = y[3] = y[5] = y[7] = 0.0f; /* -1 * x + x of the row below is positive */
    t_assert_close(y, two, 8, 0, 0);
}

/* Outputs and zeros in front, from TensorFlow's rule. */
static void test_padding(void **state)
{
    static const struct {
        enum nn_padding padding;
        int64_t n, size, stride, dilation, outputs, before;
    } cases[] = {
        {NN_SAME, 224, 7, 2, 1, 112, 2},    {NN_SYMMETRIC, 224, 7, 2, 1, 112, 3},
        {NN_VALID, 224, 7, 2, 1, 109, 0},   {NN_SAME, 5, 3, 2, 1, 3, 1},
        {NN_SAME, 6, 3, 2, 1, 3, 0},        {NN_SAME, 6, 2, 1, 1, 6, 0},
        {NN_SAME, 7, 1, 2, 1, 4, 0},        {NN_SAME, 7, 1, 3, 1, 3, 0},
        {NN_SYMMETRIC, 6, 3, 2, 1, 3, 1},   {NN_SYMMETRIC, 7, 1, 2, 1, 4, 0},
        {NN_SYMMETRIC, 10, 3, 1, 2, 10, 2}, {NN_SAME, 10, 3, 1, 2, 10, 2},
        {NN_VALID, 4, 5, 1, 1, 0, 0},       {NN_VALID, 5, 5, 1, 1, 1, 0},
        {NN_LEFT, 50, 3, 1, 4, 50, 8},      {NN_LEFT, 3, 5, 1, 1, 3, 4},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t outputs, before;

        nn_conv2d_axis(cases[i].padding, cases[i].n, cases[i].size, cases[i].stride,
                       cases[i].dilation, &outputs, &before);
        assert_int_equal(outputs, cases[i].outputs);
        assert_int_equal(before, cases[i].before);
    }
}

/* ---- gradients ---- */

struct graph_args {
    struct shape shape;
    bool bias, relu;
};

static struct gr_tensor *param4(struct op_graph *t, const char *name, int64_t d0, int64_t d1,
                                int64_t d2, int64_t d3)
{
    return gr_param(t->g, name, 4, (const int64_t[]){d0, d1, d2, d3}, 0, GR_INIT_ZEROS, 0.0);
}

static struct gr_tensor *layer(struct op_graph *t, const struct graph_args *a, struct gr_tensor *x)
{
    const struct shape *s = &a->shape;
    struct nn_conv2d how = {.stride = s->stride,
                            .dilation = s->dilation,
                            .padding = s->padding,
                            .depthwise = s->depthwise,
                            .relu = a->relu};

    return nn_conv2d(t->g, x, param4(t, "kernel", s->kh, s->kw, s->C, s->N),
                     a->bias ? op_param(t, "bias", 1, s->N * (s->depthwise ? s->C : 1), 0, 0)
                             : NULL,
                     &how);
}

static void build(struct op_graph *t, const void *arg)
{
    const struct graph_args *a = arg;
    const struct shape *s = &a->shape;

    op_sum_loss(t, layer(t, a, param4(t, "x", s->B, s->H, s->W, s->C)));
}

/* One kernel used twice: its second gradient is added to the first. */
static void build_twice(struct op_graph *t, const void *arg)
{
    const struct graph_args *a = arg;
    const struct shape *s = &a->shape;
    struct gr_tensor *x = param4(t, "x", s->B, s->H, s->W, s->C);
    struct gr_tensor *w = param4(t, "first", 1, 1, s->C, s->C);
    struct nn_conv2d one = {.padding = NN_SAME};

    x = nn_conv2d(t->g, nn_conv2d(t->g, x, w, NULL, &one), w, NULL, &one);
    op_sum_loss(t, layer(t, a, x));
}

/* x as image and as kernel. */
static void build_itself(struct op_graph *t, const void *arg)
{
    struct gr_tensor *x = param4(t, "x", 3, 3, 2, 2);

    op_sum_loss(t, nn_conv2d(t->g, x, x, NULL, arg));
}

static void test_gradients(void **state)
{
    static const struct graph_args cases[] = {
        {{2, 4, 3, 2, 3, 3, 3, 1, 1, NN_SAME, false}, true, false},
        {{1, 5, 5, 2, 3, 3, 2, 2, 1, NN_SYMMETRIC, false}, true, true},
        {{1, 6, 5, 2, 2, 3, 2, 1, 2, NN_VALID, false}, false, false},
        {{2, 5, 4, 2, 1, 1, 3, 2, 1, NN_SAME, false}, false, true},
        {{1, 5, 4, 3, 3, 3, 2, 2, 1, NN_SAME, true}, true, false},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        op_check_gradient(build, &cases[i], 5e-3, cases[i].relu ? 2e-3 : 1e-3);
        if (!cases[i].relu)
            op_check_gradient(build_twice, &cases[i], 5e-3, 1e-3);
    }
    op_check_gradient(build_itself, &(struct nn_conv2d){.padding = NN_SAME}, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels), cmocka_unit_test(test_bfloat16),
       cmocka_unit_test(test_large), cmocka_unit_test(test_unfold), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_padding), cmocka_unit_test(test_gradients))
