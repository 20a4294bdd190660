/*
 * train/models/cnn_parts.h - what image models are made of: convolution, batch normalisation,
 * dense, each with its variables; the loss.  Names as the originals' frameworks give them.
 */
#ifndef MDL_CNN_PARTS_H
#define MDL_CNN_PARTS_H

#include "train/models/kind.h"
#include "train/ops/batch_norm.h"
#include "train/ops/conv2d.h"
#include "train/ops/targeted.h"

enum { MDL_CNN_NAME_BYTES = 256, MDL_CNN_MAX_KINDS = 8 };

/* Draws initial values of kernels; gain as in graph/params.h. */
struct mdl_cnn_init {
    enum gr_init init;
    double gain;
};

/* A network being built.  Zero it, then set b, scope, norm and init. */
struct mdl_cnn {
    const struct mdl_build *b;
    const char *scope;          /* in front of every name: "resnet/body/", or "" */
    struct nn_batch_norm norm;  /* of every normalisation but for relu */
    struct mdl_cnn_init kernel; /* of convolutions */
    int layer;                  /* gr_layer so far */
    /* How many layers were named after each kind, as TensorFlow counts them. */
    struct {
        const char *kind;
        int n;
    } counts[MDL_CNN_MAX_KINDS];
};

/* GR_FLOATS (batch, H, W, C) and GR_IDS (batch, 1), into out. */
void mdl_cnn_inputs(const struct mdl_build *b, const struct mdl_shape *shape,
                    struct mdl_graph *out);
/* From here on nodes belong to a new layer for graph/remat.h, until the next call. */
void mdl_cnn_next_layer(struct mdl_cnn *c);

/* "<scope><layer>": a layer is a name, or with a '#' at its end ("conv2d#") the next of a counted
 * kind: conv2d, conv2d_1, … */
void mdl_cnn_name(struct mdl_cnn *c, const char *layer, char name[MDL_CNN_NAME_BYTES]);
/* The variable "<name>/<part>". */
struct gr_tensor *mdl_cnn_variable(struct mdl_cnn *c, const char *name, const char *part, int rank,
                                   const int64_t *dims, struct mdl_cnn_init init);

/* Convolution with the kernel "<layer>/kernel" (size, size, channels of x, filters) and, with bias,
 * "<layer>/bias". */
struct mdl_cnn_conv {
    const char *layer;
    const char *kernel; /* another name for "kernel"; NULL for none */
    int64_t filters, size, stride;
    enum nn_padding padding;
    bool bias, relu;
    const struct nn_targeted *targeted; /* dropout of the kernel; NULL for none */
};
struct gr_tensor *mdl_cnn_conv(struct mdl_cnn *c, struct gr_tensor *x,
                               const struct mdl_cnn_conv *how);

/* y = norm(x) [+ residual] [ReLU]; zero_gamma: gamma begins with 0; plain_gamma: gamma
 * stays 1, as a state; beta_scale: what is added is that times beta, 0 for 1. */
struct mdl_cnn_norm {
    const char *layer;
    struct gr_tensor *residual;
    bool relu, zero_gamma, plain_gamma;
    double beta_scale;
};
struct gr_tensor *mdl_cnn_norm(struct mdl_cnn *c, struct gr_tensor *x,
                               const struct mdl_cnn_norm *how);

/* x (B, K) -> (B, n) with bias. */
struct gr_tensor *mdl_cnn_dense(struct mdl_cnn *c, struct gr_tensor *x, const char *layer,
                                int64_t n, struct mdl_cnn_init init);
/* with ReLU and dropout after it */
struct gr_tensor *mdl_cnn_dense_relu(struct mdl_cnn *c, struct gr_tensor *x, const char *layer,
                                     int64_t n, struct mdl_cnn_init init, double dropout);

/* The loss of logits (B, classes or more), or just the logits. */
void mdl_cnn_loss(const struct mdl_build *b, struct gr_tensor *logits, double smoothing,
                  bool want_logits, struct mdl_graph *out);
/* The same without T2T's smoothing: hparam label_smoothing goes to all classes, the label's own
 * too. */
void mdl_cnn_uniform_loss(const struct mdl_build *b, struct gr_tensor *logits, bool want_logits,
                          struct mdl_graph *out);
/* T2T's class_label_top of (B, H, W, C) or (B, C): mean, dense layer to the classes, loss with
 * T2T's label_smoothing. */
void mdl_cnn_class_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                       struct mdl_graph *out);

/* ---- of struct mdl_kind ---- */

/* .l2: half squares of what is called kernel. */
double mdl_cnn_kernel_l2(const char *variable, const struct mdl_hparams *hp);
/* .smooths_evaluation: the originals' evaluation has the loss of training; the Garden's labels are
 * smoothed with the images when these are mixed, and evaluation mixes none. */
bool mdl_cnn_smooths_unmixed(const struct mdl_hparams *hp);
/* .plain_loss: true */
bool mdl_cnn_plain_loss(const struct mdl_hparams *hp);

/* ---- refusals ---- */

/* The problem must have images and class labels, and hp all the hparams (up to a NULL) that the
 * model reads and basic_1 has not; example is a set that has them. */
T2_MUST_CHECK enum t2_status mdl_cnn_check(const char *model, const struct mdl_hparams *hp,
                                           const struct mdl_problem *problem,
                                           const char *const *hparams, const char *example,
                                           struct t2_err *err);
/* A list hparam must have n positive entries or more. */
T2_MUST_CHECK enum t2_status mdl_cnn_check_list(const char *model, const struct mdl_hparams *hp,
                                                const char *name, size_t n, struct t2_err *err);

#endif
