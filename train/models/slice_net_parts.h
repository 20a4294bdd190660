/*
 * train/models/slice_net_parts.h - what SliceNet is made of: blocks of sub-separable convolutions,
 * attention, and the stacks of both.
 *
 * Tensor2Tensor 1.15.7: models/slicenet.py (attention, multi_conv_res), layers/common_layers.py
 * (conv_block_internal, subseparable_conv).  Positions are the height of images of width 1, so
 * tensors are (B,L,1,D).
 */
#ifndef MDL_SLICE_NET_PARTS_H
#define MDL_SLICE_NET_PARTS_H

#include "train/models/kind.h"
#include "train/ops/conv2d.h"

/* MDL_SLICE_MERGED: the separability where attention and targets meet. */
enum { MDL_SLICE_UNITS = 3, MDL_SLICE_MERGED = 4, MDL_SLICE_NAME_BYTES = 200 };

/* A convolution of a block: taps, how many positions apart, and how it is divided. */
struct mdl_slice_unit {
    int64_t taps, dilation;
    /* n = |separability| parts of the channels: above 0 each has a convolution of its own, and
     * above 1 another one of one tap, with bias, joins them; below 0 each has a separable one; 0:
     * all channels have one separable convolution together. */
    int64_t separability;
};

struct mdl_slice_block {
    const char *scope; /* of its variables, whole */
    int n_units;
    struct mdl_slice_unit units[MDL_SLICE_UNITS];
    enum nn_padding padding;
    struct gr_tensor *mask; /* ids (B, L) or NULL: positions whose id is 0 are read as zeros */
};

/* Each unit is norm(conv(relu(x))), layer normalisation over hidden_size channels, which is what
 * comes out of a unit. */
struct gr_tensor *mdl_slice_block(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_slice_block *block);

/* The two blocks of a layer, by hparams kernel_scheme, dilation_scheme, large_kernel_size,
 * kernel_height and separability; scope, padding and mask are left to the caller. */
void mdl_slice_units(const struct mdl_hparams *hp, struct mdl_slice_block blocks[2]);

/* What attention looks at. */
struct mdl_slice_memory {
    struct gr_tensor *encoded; /* (B, M, 1, D) */
    struct gr_tensor *ids;     /* (B, M) or NULL: keys whose id is 0 are masked; the original masks
                                  none */
};

/* Queries are x with the timing signal through a block; self-attention to what stands in front;
 * attention to the memory.  There is no residual connection.  The variables' scopes begin with
 * `scope`. */
struct gr_tensor *mdl_slice_attention(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_slice_memory *memory, const char *scope);

/* A stack of layers: y = block(x); x += block(x + y) + y; with a memory x += attention(x); with a
 * mask of NN_SAME padding x is 0 where it is.  Then hparam dropout. */
struct mdl_slice_stack {
    const char *scope;
    int64_t layers;
    int first_layer; /* gr_layer of the first */
    enum nn_padding padding;
    struct gr_tensor *mask;                /* ids (B, L), or NULL */
    const struct mdl_slice_memory *memory; /* NULL: no attention */
};
struct gr_tensor *mdl_slice_stack(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_slice_stack *stack);

/* x (B, L, D, or with a 1 before D) plus what the position says: 16 sines, 16 cosines, then
 * zeros. */
struct gr_tensor *mdl_slice_add_timing(const struct mdl_build *b, struct gr_tensor *x);
enum { MDL_SLICE_TIMESCALES = 16 };

/* Layer normalisation, by the variables `scope`/layer_norm_scale and _bias. */
struct gr_tensor *mdl_slice_norm(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                 double epsilon);

/* Names what the hparams ask for and cannot be. */
T2_MUST_CHECK enum t2_status mdl_slice_check(const struct mdl_hparams *hp, bool decodes,
                                             struct t2_err *err);

#endif
