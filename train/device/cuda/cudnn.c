/*
 * train/device/cuda/cudnn.c - the only file that knows cuDNN.
 *
 * The library is opened at run time, as cuBLASLt (cublaslt.c); its handle, which takes memory of
 * the device, when the first convolution is planned.  Images lie as ours, (B,H,W,C); weights are
 * wanted as (N,kh,kw,C), so conv2d_cuda.cu turns them.
 */
#include "train/device/cuda/cudnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/cuda/cudnn_api.h"

static struct {
#define F(result, name, parameters) result(*name) parameters;
    DNN_FUNCTIONS(F)
#undef F
} lib;

enum { MAX_SHAPES = 512, MAX_ALGORITHMS = 16, MOST_WORKSPACE = 256 << 20 };

/* What an algorithm is chosen for. */
struct shape {
    int64_t B, H, W, C, kh, kw, Ho, Wo, N, stride, dilation, top, left;
    int32_t type, pass;
    int64_t tf32; /* 64 bits, so that there is no padding: it is compared by memcmp */
};

struct choice {
    struct shape shape;
    int algo, math_type; /* algo negative: the library has none */
    size_t bytes;        /* of workspace */
};

struct dev_cuda_dnn {
    void *handle; /* NULL before the first convolution */
    bool failed;  /* to be made */
    char name[40];
    struct choice *choices;
    int n_choices;
};

#ifdef DEV_CUDA_ON_HOST
/* linked with what stands in for it */
static bool find_functions(void)
{
#define F(result, name, parameters) lib.name = name;
    DNN_FUNCTIONS(F)
#undef F
    return true;
}
#else
static bool find_functions(void)
{
    static const char *const files[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"};
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof files / sizeof *files; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
        /* dlsym's object pointer becomes a function pointer by way of memcpy, as ISO C has no cast
         */
#define F(result, name, parameters)                                                                \
    {                                                                                              \
        void *address = dlsym(library, #name);                                                     \
                                                                                                   \
        memcpy(&lib.name, &address, sizeof address);                                               \
        if (!address)                                                                              \
            return false;                                                                          \
    }
    DNN_FUNCTIONS(F)
#undef F
    return true;
}
#endif

struct dev_cuda_dnn *dev_cuda_dnn_open(void)
{
    const char *wanted = getenv("T2_CUDNN");
    struct dev_cuda_dnn *l;
    size_t version, major;

    if ((wanted && strcmp(wanted, "no") == 0) || !find_functions())
        return NULL;
    l = t2_alloc(1, sizeof *l);
    version = lib.cudnnGetVersion(); /* 8: 8907 is 8.9.7, 9: 91002 is 9.10.2 */
    major = version >= 90000 ? 10000 : 1000;
    snprintf(l->name, sizeof l->name, "cuDNN %zu.%zu.%zu", version / major, version % major / 100,
             version % 100);
    l->choices = t2_alloc(MAX_SHAPES, sizeof *l->choices);
    return l;
}

void dev_cuda_dnn_close(struct dev_cuda_dnn *l)
{
    if (!l)
        return;
    if (l->handle)
        (void) lib.cudnnDestroy(l->handle);
    t2_free(l->choices);
    t2_free(l);
}

const char *dev_cuda_dnn_name(const struct dev_cuda_dnn *l)
{
    return l ? l->name : "no cuDNN";
}

/* ---- descriptions of a call ---- */

struct call {
    void *x, *w, *y, *conv; /* descriptors */
    int status;             /* the first failure; 0: none */
    const char *what;       /* where it was */
};

static bool step(struct call *c, int status, const char *what)
{
    if (c->status == 0 && status != 0) {
        c->status = status;
        c->what = what;
    }
    return c->status == 0;
}

static int type_of(enum dev_type type)
{
    return type == DEV_BFLOAT16 ? DNN_BFLOAT16 : type == DEV_FLOAT16 ? DNN_HALF : DNN_FLOAT;
}

static void describe_image(struct call *c, void **desc, enum dev_type type, int64_t B, int64_t C,
                           int64_t H, int64_t W)
{
    if (step(c, lib.cudnnCreateTensorDescriptor(desc), "cudnnCreateTensorDescriptor"))
        step(c,
             lib.cudnnSetTensor4dDescriptor(*desc, DNN_NHWC, type_of(type), (int) B, (int) C,
                                            (int) H, (int) W),
             "cudnnSetTensor4dDescriptor");
}

static void describe(struct call *c, const struct dev_conv2d *a, int math_type)
{
    describe_image(c, &c->x, a->type, a->B, a->C, a->H, a->W);
    describe_image(c, &c->y, a->type, a->B, a->N, a->Ho, a->Wo);
    if (step(c, lib.cudnnCreateFilterDescriptor(&c->w), "cudnnCreateFilterDescriptor"))
        step(c,
             lib.cudnnSetFilter4dDescriptor(c->w, type_of(a->type), DNN_NHWC, (int) a->N,
                                            (int) a->C, (int) a->kh, (int) a->kw),
             "cudnnSetFilter4dDescriptor");
    if (step(c, lib.cudnnCreateConvolutionDescriptor(&c->conv), "cudnnCreateConvolutionDescriptor"))
        step(c,
             lib.cudnnSetConvolution2dDescriptor(c->conv, (int) a->top, (int) a->left,
                                                 (int) a->stride, (int) a->stride,
                                                 (int) a->dilation, (int) a->dilation,
                                                 DNN_CROSS_CORRELATION, DNN_FLOAT),
             "cudnnSetConvolution2dDescriptor");
    if (c->status == 0)
        step(c, lib.cudnnSetConvolutionMathType(c->conv, math_type), "cudnnSetConvolutionMathType");
}

static void forget(struct call *c)
{
    if (c->conv)
        (void) lib.cudnnDestroyConvolutionDescriptor(c->conv);
    if (c->w)
        (void) lib.cudnnDestroyFilterDescriptor(c->w);
    if (c->y)
        (void) lib.cudnnDestroyTensorDescriptor(c->y);
    if (c->x)
        (void) lib.cudnnDestroyTensorDescriptor(c->x);
}

/* ---- the algorithm ---- */

/* What the library is allowed to multiply with; float32 as it is unless the device is told so. */
static int math_of(const struct dev *d, const struct dev_conv2d *a)
{
    return a->type != DEV_FLOAT32 ? DNN_TENSOR_OP_MATH : d->tf32 ? DNN_DEFAULT_MATH : DNN_FMA_MATH;
}

static void ask(struct dev *d, struct dev_cuda_dnn *l, const struct dev_conv2d *a,
                enum dev_conv2d_pass pass, struct choice *choice)
{
    struct dnn_algorithm found[MAX_ALGORITHMS];
    struct call c = {0};
    int n = 0;

    choice->algo = -1;
    choice->math_type = math_of(d, a);
    describe(&c, a, choice->math_type);
    if (c.status != 0)
        ; /* it does not take such shapes */
    else if (pass == DEV_CONV2D_FORWARD)
        step(&c,
             lib.cudnnGetConvolutionForwardAlgorithm_v7(l->handle, c.x, c.w, c.conv, c.y,
                                                        MAX_ALGORITHMS, &n, found),
             "cudnnGetConvolutionForwardAlgorithm_v7");
    else if (pass == DEV_CONV2D_DATA)
        step(&c,
             lib.cudnnGetConvolutionBackwardDataAlgorithm_v7(l->handle, c.w, c.y, c.conv, c.x,
                                                             MAX_ALGORITHMS, &n, found),
             "cudnnGetConvolutionBackwardDataAlgorithm_v7");
    else
        step(&c,
             lib.cudnnGetConvolutionBackwardFilterAlgorithm_v7(l->handle, c.x, c.y, c.conv, c.w,
                                                               MAX_ALGORITHMS, &n, found),
             "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
    for (int i = 0; c.status == 0 && i < n && choice->algo < 0; i++)
        if (found[i].status == 0 && found[i].determinism == DNN_DETERMINISTIC &&
            found[i].memory <= MOST_WORKSPACE) {
            choice->algo = found[i].algo;
            choice->bytes = found[i].memory;
            if (choice->math_type != DNN_FMA_MATH)
                choice->math_type = found[i].math_type;
        }
    forget(&c);
}

static struct choice choose(struct dev *d, struct dev_cuda_dnn *l, const struct dev_conv2d *a,
                            enum dev_conv2d_pass pass)
{
    struct choice made;

    memset(&made, 0, sizeof made);
    made.shape = (struct shape){.B = a->B,
                                .H = a->H,
                                .W = a->W,
                                .C = a->C,
                                .kh = a->kh,
                                .kw = a->kw,
                                .Ho = a->Ho,
                                .Wo = a->Wo,
                                .N = a->N,
                                .stride = a->stride,
                                .dilation = a->dilation,
                                .top = a->top,
                                .left = a->left,
                                .type = (int32_t) a->type,
                                .pass = (int32_t) pass,
                                .tf32 = d->tf32};
    for (int i = 0; i < l->n_choices; i++)
        if (memcmp(&l->choices[i].shape, &made.shape, sizeof made.shape) == 0)
            return l->choices[i];
    ask(d, l, a, pass, &made);
    if (l->n_choices < MAX_SHAPES)
        l->choices[l->n_choices++] = made;
    return made;
}

/* ---- what it takes ---- */

/* Does the library, which puts as many zeros behind an axis as before it, give as many results? */
static bool axis_fits(int64_t size, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t before, int64_t results)
{
    int64_t left = size + 2 * before - ((kernel - 1) * dilation + 1);

    return before >= 0 && left >= 0 && left / stride + 1 == results;
}

static bool fits(const struct dev *d, const struct dev_conv2d *a)
{
    int64_t most = (int64_t) 1 << 31;

    return !a->depthwise && a->type == d->precision && a->B > 0 && a->C > 0 && a->N > 0 &&
           axis_fits(a->H, a->kh, a->stride, a->dilation, a->top, a->Ho) &&
           axis_fits(a->W, a->kw, a->stride, a->dilation, a->left, a->Wo) &&
           a->B * a->H * a->W * a->C < most && a->B * a->Ho * a->Wo * a->N < most;
}

static bool has_handle(struct dev *d, struct dev_cuda_dnn *l)
{
    if (!l->handle && !l->failed) {
        int status = lib.cudnnCreate(&l->handle);

        if (status == 0)
            status = lib.cudnnSetStream(l->handle, dev_cuda_of(d)->stream);
        l->failed = status != 0;
        if (l->failed && l->handle) {
            (void) lib.cudnnDestroy(l->handle);
            l->handle = NULL;
        }
    }
    return l->handle != NULL;
}

int64_t dev_cuda_dnn_workspace(struct dev *d, const struct dev_conv2d *a, enum dev_conv2d_pass pass)
{
    struct dev_cuda_dnn *l = dev_cuda_of(d)->dnn;
    struct choice made;

    if (!l || !fits(d, a) || !has_handle(d, l))
        return -1;
    made = choose(d, l, a, pass);
    return made.algo < 0 ? -1 : (int64_t) made.bytes;
}

void dev_cuda_dnn_conv(struct dev *d, const struct dev_dnn_conv *conv)
{
    static const float one = 1.0f, zero = 0.0f;
    struct dev_cuda_dnn *l = dev_cuda_of(d)->dnn;
    struct choice made = choose(d, l, conv->of, conv->pass);
    const float *beta = conv->accumulate ? &one : &zero;
    struct call c = {0};

    describe(&c, conv->of, made.math_type);
    if (c.status != 0)
        ;
    else if (conv->pass == DEV_CONV2D_FORWARD)
        step(&c,
             lib.cudnnConvolutionForward(l->handle, &one, c.x, conv->x, c.w, conv->w, c.conv,
                                         made.algo, conv->workspace, made.bytes, beta, c.y,
                                         conv->y),
             "cudnnConvolutionForward");
    else if (conv->pass == DEV_CONV2D_DATA)
        step(&c,
             lib.cudnnConvolutionBackwardData(l->handle, &one, c.w, conv->w, c.y, conv->y, c.conv,
                                              made.algo, conv->workspace, made.bytes, beta, c.x,
                                              conv->x),
             "cudnnConvolutionBackwardData");
    else
        step(&c,
             lib.cudnnConvolutionBackwardFilter(l->handle, &one, c.x, conv->x, c.y, conv->y, c.conv,
                                                made.algo, conv->workspace, made.bytes, beta, c.w,
                                                conv->w),
             "cudnnConvolutionBackwardFilter");
    if (c.status != 0)
        dev_cuda_fails(d, c.what, lib.cudnnGetErrorString(c.status));
    dev_cuda_launched(d, conv->pass == DEV_CONV2D_FORWARD ? "conv2d"
                         : conv->pass == DEV_CONV2D_DATA  ? "conv2d_bwd_data"
                                                          : "conv2d_bwd_weights");
    forget(&c);
}
