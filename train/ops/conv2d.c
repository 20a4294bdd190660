/*
 * train/ops/conv2d.c - convolution of images: x (B,H,W,C), w (kh,kw,C,N), bias (N) -> y
 * (B,Ho,Wo,N).
 *
 * Padding is resolved here to the rows and columns of zeros in front; kernels know numbers only.
 */
#include "train/ops/conv2d.h"

#include "train/ops/cast.h"

enum { X, W, BIAS, N_INPUTS };

/* SAME is TensorFlow's: as few zeros as give ceil(n / stride) outputs, the odd one behind. */
void nn_conv2d_axis(enum nn_padding padding, int64_t n, int64_t size, int64_t stride,
                    int64_t dilation, int64_t *outputs, int64_t *before)
{
    int64_t covered = (size - 1) * dilation + 1, zeros = 0;

    if (padding == NN_SAME) {
        zeros = ((n + stride - 1) / stride - 1) * stride + covered - n;
        zeros = zeros > 0 ? zeros : 0;
    } else if (padding == NN_SYMMETRIC || padding == NN_LEFT) {
        zeros = covered - 1;
    }
    *outputs = n + zeros < covered ? 0 : (n + zeros - covered) / stride + 1;
    *before = padding == NN_LEFT ? zeros : zeros / 2;
}

static struct dev_conv2d arguments(const struct gr_node *node)
{
    struct dev_conv2d a = *(const struct dev_conv2d *) node->attributes;

    a.x = node->inputs[X]->value;
    a.w = node->inputs[W]->value;
    a.w_layout = node->inputs[W]->layout;
    a.bias = node->inputs[BIAS] ? node->inputs[BIAS]->value : NULL;
    a.scratch = node->scratch;
    return a;
}

static void conv2d_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_conv2d a = arguments(node);

    (void) context;
    node->dev->kernels->conv2d(node->dev,
                               &(struct dev_conv2d_args){.of = a, .y = node->outputs[0]->value});
}

/* With d = dy where y > 0 (ReLU): dx and dw from d, dbias = column sums of d.  d overwrites dy,
 * which no other node reads afterwards. */
static void conv2d_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct dev_kernels *k = node->dev->kernels;
    const struct gr_tensor *x = node->inputs[X], *w = node->inputs[W], *bias = node->inputs[BIAS];
    const struct gr_tensor *y = node->outputs[0];
    struct dev_conv2d a = arguments(node);

    (void) context;
    if (a.activation == DEV_RELU)
        k->relu_bwd(node->dev, &(struct dev_relu_bwd_args){.type = node->outputs[0]->type,
                                                           .y = y->value,
                                                           .dy = y->grad,
                                                           .n = y->n,
                                                           .scale = 1.0f,
                                                           .dx = y->grad});
    if (x->needs_grad)
        k->conv2d_bwd_data(node->dev,
                           &(struct dev_conv2d_bwd_data_args){.of = a,
                                                              .dy = y->grad,
                                                              .accumulate = node->accumulate[X],
                                                              .dx = x->grad});
    if (w->needs_grad)
        k->conv2d_bwd_weights(node->dev,
                              &(struct dev_conv2d_bwd_weights_args){.of = a,
                                                                    .dy = y->grad,
                                                                    .accumulate =
                                                                        node->accumulate[W],
                                                                    .dw = w->grad});
    if (bias && bias->needs_grad)
        k->col_sum(node->dev, &(struct dev_col_sum_args){.type = node->outputs[0]->type,
                                                         .x = y->grad,
                                                         .rows = y->n / a.N,
                                                         .cols = a.N,
                                                         .accumulate = node->accumulate[BIAS],
                                                         .out = bias->grad,
                                                         .scratch = node->scratch});
}

static const struct gr_op conv2d_op = {.name = "conv2d",
                                       .fwd = conv2d_fwd,
                                       .bwd = conv2d_bwd,
                                       .skips_gradients = true,
                                       .bwd_uses_inputs = 1u << X | 1u << W,
                                       .param_use = DEV_USE_CONV2D,
                                       .param_input = W};
static const struct gr_op conv2d_relu_op = {.name = "conv2d_relu",
                                            .fwd = conv2d_fwd,
                                            .bwd = conv2d_bwd,
                                            .skips_gradients = true,
                                            .bwd_uses_inputs = 1u << X | 1u << W,
                                            .param_use = DEV_USE_CONV2D,
                                            .param_input = W,
                                            .bwd_uses_outputs = 1u};

/* The kernels of the backward pass run one after the other and share one scratch buffer: the
 * largest. */
static void want(int64_t *floats, int64_t n)
{
    if (*floats < n)
        *floats = n;
}

static void plan_scratch(const struct gr_graph *g, struct gr_node *node, const struct dev_conv2d *a)
{
    const struct dev_kernels *k = g->dev->kernels;

    node->scratch_fwd_floats = k->conv2d_scratch_floats(g->dev, a, DEV_CONV2D_FORWARD);
    if (node->inputs[X]->needs_grad)
        want(&node->scratch_bwd_floats, k->conv2d_scratch_floats(g->dev, a, DEV_CONV2D_DATA));
    want(&node->scratch_bwd_floats, k->conv2d_scratch_floats(g->dev, a, DEV_CONV2D_WEIGHTS));
    if (node->inputs[BIAS])
        want(&node->scratch_bwd_floats, k->col_sum_scratch_floats(a->B * a->Ho * a->Wo, a->N));
}

struct gr_tensor *nn_conv2d(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *kernel,
                            struct gr_tensor *bias, const struct nn_conv2d *how)
{
    struct dev_conv2d *a = gr_alloc(g, sizeof *a);
    struct gr_tensor *inputs[N_INPUTS] = {
        [X] = x = nn_convert(g, x, g->type), [W] = kernel, [BIAS] = bias};
    struct gr_node *node;

    T2_ASSERT(x->rank == 4 && kernel->rank == 4 && kernel->dims[2] == x->dims[3]);
    *a = (struct dev_conv2d){.B = x->dims[0],
                             .H = x->dims[1],
                             .W = x->dims[2],
                             .C = x->dims[3],
                             .kh = kernel->dims[0],
                             .kw = kernel->dims[1],
                             .N = kernel->dims[3] * (how->depthwise ? x->dims[3] : 1),
                             .stride = how->stride ? how->stride : 1,
                             .dilation = how->dilation ? how->dilation : 1,
                             .depthwise = how->depthwise,
                             .type = g->type,
                             .activation = how->relu ? DEV_RELU : DEV_LINEAR};
    nn_conv2d_axis(how->padding, a->H, a->kh, a->stride, a->dilation, &a->Ho, &a->top);
    nn_conv2d_axis(how->padding, a->W, a->kw, a->stride, a->dilation, &a->Wo, &a->left);
    T2_ASSERT(a->Ho > 0 && a->Wo > 0 && (!bias || bias->n == a->N));
    T2_ASSERT(kernel->type == DEV_FLOAT32 && (!bias || bias->type == DEV_FLOAT32));
    node = gr_add_node(g, how->relu ? &conv2d_relu_op : &conv2d_op, N_INPUTS, inputs, a);
    plan_scratch(g, node, a);
    return gr_add_output(g, node, 4, (const int64_t[]){a->B, a->Ho, a->Wo, a->N}, true);
}
