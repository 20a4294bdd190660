/*
 * tests/support/cuda_on_host/cudnn_on_host.cpp - convolutions as cuDNN defines them, in plain
 * loops; late, on the stream.
 *
 * The heuristics offer first an algorithm whose sums come in any order, then one that wants more
 * memory than there is, and then one to take.  What a real library would refuse is refused: shapes
 * that do not fit each other, another algorithm, a workspace that is too small.
 */
#include <vector>

#include "tests/support/cuda_on_host/internal.h"
#include "tests/support/cuda_on_host/on_host.h"
#include "train/device/cuda/cudnn_api.h"
#include "train/device/types.h"

namespace
{

enum { SUCCESS = 0, BAD_PARAM = 2000, NOT_SUPPORTED = 3000, EXECUTION_FAILED = 5000 };
enum { ALGORITHM = 1, WORKSPACE_BYTES = 1000 };

struct handle {
    cudaStream_t stream;
};

/* Of an image (n,h,w,c), or of weights (n,h,w,c) with n outputs. */
struct tensor {
    int type, n, c, h, w;
};

struct convolution {
    int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, math_type;
};

uint64_t n_run;

enum dev_type type_of(int type)
{
    return type == DNN_FLOAT ? DEV_FLOAT32 : type == DNN_HALF ? DEV_FLOAT16 : DEV_BFLOAT16;
}

int results(int size, int kernel, int pad, int stride, int dilation)
{
    return (size + 2 * pad - ((kernel - 1) * dilation + 1)) / stride + 1;
}

bool fits(const tensor &x, const tensor &w, const convolution &v, const tensor &y)
{
    return x.type == w.type && x.type == y.type && x.n == y.n && x.c == w.c && y.c == w.n &&
           y.h == results(x.h, w.h, v.pad_h, v.stride_h, v.dilation_h) &&
           y.w == results(x.w, w.w, v.pad_w, v.stride_w, v.dilation_w);
}

/* As the products of this math see the numbers of a tensor. */
std::vector<float> factors(int math_type, const tensor &t, const void *p)
{
    std::vector<float> all((size_t) t.n * (size_t) t.h * (size_t) t.w * (size_t) t.c);
    bool rounds = t.type == DNN_FLOAT && math_type != DNN_FMA_MATH;

    for (size_t i = 0; i < all.size(); i++) {
        float x = dev_get(type_of(t.type), p, (int64_t) i);

        all[i] = rounds ? dev_bits_float((dev_float_bits(x) + 0x1000u) & 0xffffe000u) : x;
    }
    return all;
}

/* Loops over memory of our own, which are not watched.  sums[c] += left * right[c] */
__attribute__((no_sanitize("thread"))) void add_multiples(float *sums, float left,
                                                          const float *right, int n)
{
    for (int c = 0; c < n; c++)
        sums[c] += left * right[c];
}

__attribute__((no_sanitize("thread"))) float dot_onto(float sum, const float *left,
                                                      const float *right, int n)
{
    for (int c = 0; c < n; c++)
        sum += left[c] * right[c];
    return sum;
}

struct work {
    int pass; /* 0: y, 1: x, 2: w */
    tensor x_desc, w_desc, y_desc;
    convolution v;
    const void *x, *w, *y;
    void *result, *workspace;
    float alpha, beta;

    size_t at(const tensor &t, int n, int h, int w_, int c) const
    {
        return ((size_t) (n * t.h + h) * (size_t) t.w + (size_t) w_) * (size_t) t.c + (size_t) c;
    }

    /* All sums at once: each product goes to the one that the pass makes. */
    void operator()() const
    {
        const tensor &made = pass == 0 ? y_desc : pass == 1 ? x_desc : w_desc;
        std::vector<float> all_x, all_w, all_y;
        std::vector<float> sums((size_t) made.n * (size_t) made.h * (size_t) made.w *
                                (size_t) made.c);

        if (pass != 1)
            all_x = factors(v.math_type, x_desc, x);
        if (pass != 2)
            all_w = factors(v.math_type, w_desc, w);
        if (pass != 0)
            all_y = factors(v.math_type, y_desc, y);
        memset(workspace, 0x5a, WORKSPACE_BYTES);
        for (int b = 0; b < y_desc.n; b++)
            for (int i = 0; i < y_desc.h; i++)
                for (int j = 0; j < y_desc.w; j++)
                    for (int u = 0; u < w_desc.h; u++)
                        for (int t = 0; t < w_desc.w; t++)
                            add_pixel(pass == 1 ? sums.data() : all_x.data(),
                                      pass == 2 ? sums.data() : all_w.data(),
                                      pass == 0 ? sums.data() : all_y.data(), b, i, j, u, t);
        for (size_t i = 0; i < sums.size(); i++) {
            float sum = sums[i] * alpha;

            if (beta != 0.0f)
                sum += beta * dev_get(type_of(made.type), result, (int64_t) i);
            dev_put(type_of(made.type), result, (int64_t) i, sum);
        }
    }

    /* Of the three the one that the pass makes are sums. */
    void add_pixel(float *of_x, float *of_w, float *of_y, int b, int i, int j, int u, int t) const
    {
        int row = i * v.stride_h + u * v.dilation_h - v.pad_h;
        int column = j * v.stride_w + t * v.dilation_w - v.pad_w, channels = x_desc.c;

        if (row < 0 || row >= x_desc.h || column < 0 || column >= x_desc.w)
            return;
        of_x += at(x_desc, b, row, column, 0);
        for (int n = 0; n < y_desc.c; n++) {
            float *weights = of_w + at(w_desc, n, u, t, 0), *out = of_y + at(y_desc, b, i, j, n);

            if (pass == 0)
                *out = dot_onto(*out, of_x, weights, channels);
            else
                add_multiples(pass == 1 ? of_x : weights, *out, pass == 1 ? weights : of_x,
                              channels);
        }
    }
};

int offer(const convolution &v, bool possible, int wanted, int *found,
          struct dnn_algorithm *algorithms)
{
    *found = 0;
    if (!possible || wanted < 3)
        return possible ? NOT_SUPPORTED : BAD_PARAM;
    memset(algorithms, 0, 3 * sizeof *algorithms);
    for (int i = 0; i < 3; i++)
        algorithms[i].math_type = v.math_type;
    algorithms[1].algo = 2;
    algorithms[1].memory = (size_t) 1 << 40;
    algorithms[1].determinism = DNN_DETERMINISTIC;
    algorithms[2].algo = ALGORITHM;
    algorithms[2].memory = WORKSPACE_BYTES;
    algorithms[2].determinism = DNN_DETERMINISTIC;
    *found = 3;
    return SUCCESS;
}

int run(void *h, const work &w, int algo, size_t bytes)
{
    if (!fits(w.x_desc, w.w_desc, w.v, w.y_desc) || bytes < WORKSPACE_BYTES)
        return BAD_PARAM;
    if (algo != ALGORITHM)
        return EXECUTION_FAILED;
    n_run++;
    cuda_on_host::queue_call(((handle *) h)->stream, w);
    return SUCCESS;
}

const tensor &of(const void *desc)
{
    return *(const tensor *) desc;
}

const convolution &conv_of(const void *desc)
{
    return *(const convolution *) desc;
}

float number(const void *p)
{
    return *(const float *) p;
}

} /* namespace */

uint64_t cuda_on_host_convolutions(void)
{
    return n_run;
}

int cudnnCreate(void **h)
{
    *h = new handle{nullptr};
    return SUCCESS;
}

int cudnnDestroy(void *h)
{
    delete (handle *) h;
    return SUCCESS;
}

size_t cudnnGetVersion(void)
{
    return 91002;
}

const char *cudnnGetErrorString(int status)
{
    return status == SUCCESS         ? "CUDNN_STATUS_SUCCESS"
           : status == BAD_PARAM     ? "CUDNN_STATUS_BAD_PARAM"
           : status == NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
                                     : "CUDNN_STATUS_EXECUTION_FAILED";
}

int cudnnSetStream(void *h, void *stream)
{
    ((handle *) h)->stream = (cudaStream_t) stream;
    return SUCCESS;
}

int cudnnCreateTensorDescriptor(void **desc)
{
    *desc = new tensor{};
    return SUCCESS;
}

int cudnnDestroyTensorDescriptor(void *desc)
{
    delete (tensor *) desc;
    return SUCCESS;
}

int cudnnSetTensor4dDescriptor(void *desc, int format, int type, int n, int c, int h, int w)
{
    if (format != DNN_NHWC || n < 1 || c < 1 || h < 1 || w < 1)
        return BAD_PARAM;
    *(tensor *) desc = {type, n, c, h, w};
    return SUCCESS;
}

int cudnnCreateFilterDescriptor(void **desc)
{
    return cudnnCreateTensorDescriptor(desc);
}

int cudnnDestroyFilterDescriptor(void *desc)
{
    return cudnnDestroyTensorDescriptor(desc);
}

int cudnnSetFilter4dDescriptor(void *desc, int type, int format, int k, int c, int h, int w)
{
    return cudnnSetTensor4dDescriptor(desc, format, type, k, c, h, w);
}

int cudnnCreateConvolutionDescriptor(void **desc)
{
    *desc = new convolution{};
    return SUCCESS;
}

int cudnnDestroyConvolutionDescriptor(void *desc)
{
    delete (convolution *) desc;
    return SUCCESS;
}

int cudnnSetConvolution2dDescriptor(void *desc, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int compute_type)
{
    if (mode != DNN_CROSS_CORRELATION || compute_type != DNN_FLOAT || pad_h < 0 || pad_w < 0 ||
        stride_h < 1 || stride_w < 1 || dilation_h < 1 || dilation_w < 1)
        return BAD_PARAM;
    *(convolution *) desc = {pad_h,      pad_w,      stride_h,        stride_w,
                             dilation_h, dilation_w, DNN_DEFAULT_MATH};
    return SUCCESS;
}

int cudnnSetConvolutionMathType(void *desc, int math_type)
{
    ((convolution *) desc)->math_type = math_type;
    return SUCCESS;
}

int cudnnGetConvolutionForwardAlgorithm_v7(void *h, const void *x, const void *w, const void *conv,
                                           const void *y, int wanted, int *found,
                                           struct dnn_algorithm *algorithms)
{
    return offer(conv_of(conv), h && fits(of(x), of(w), conv_of(conv), of(y)), wanted, found,
                 algorithms);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(void *h, const void *w, const void *dy,
                                                const void *conv, const void *dx, int wanted,
                                                int *found, struct dnn_algorithm *algorithms)
{
    return offer(conv_of(conv), h && fits(of(dx), of(w), conv_of(conv), of(dy)), wanted, found,
                 algorithms);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *h, const void *x, const void *dy,
                                                  const void *conv, const void *dw, int wanted,
                                                  int *found, struct dnn_algorithm *algorithms)
{
    return offer(conv_of(conv), h && fits(of(x), of(dw), conv_of(conv), of(dy)), wanted, found,
                 algorithms);
}

int cudnnConvolutionForward(void *h, const void *alpha, const void *x_desc, const void *x,
                            const void *w_desc, const void *w, const void *conv, int algo,
                            void *workspace, size_t bytes, const void *beta, const void *y_desc,
                            void *y)
{
    return run(h,
               {0, of(x_desc), of(w_desc), of(y_desc), conv_of(conv), x, w, nullptr, y, workspace,
                number(alpha), number(beta)},
               algo, bytes);
}

int cudnnConvolutionBackwardData(void *h, const void *alpha, const void *w_desc, const void *w,
                                 const void *dy_desc, const void *dy, const void *conv, int algo,
                                 void *workspace, size_t bytes, const void *beta,
                                 const void *dx_desc, void *dx)
{
    return run(h,
               {1, of(dx_desc), of(w_desc), of(dy_desc), conv_of(conv), nullptr, w, dy, dx,
                workspace, number(alpha), number(beta)},
               algo, bytes);
}

int cudnnConvolutionBackwardFilter(void *h, const void *alpha, const void *x_desc, const void *x,
                                   const void *dy_desc, const void *dy, const void *conv, int algo,
                                   void *workspace, size_t bytes, const void *beta,
                                   const void *dw_desc, void *dw)
{
    return run(h,
               {2, of(x_desc), of(dw_desc), of(dy_desc), conv_of(conv), x, nullptr, dy, dw,
                workspace, number(alpha), number(beta)},
               algo, bytes);
}
