/*
 * train/models/record_net.c - a small network for CIFAR-like pictures that learns in minutes.
 *
 * No original: the shape is that of the short CIFAR-10 trainings, Page's ("How to train your ResNet", 2018-19)
 * and Jordan's ("94 % on CIFAR-10 in 3.29 seconds on a single GPU", 2024): a 2 x 2 convolution that
 * begins as a whitening of the pictures, then three blocks of two 3 x 3 convolutions, of which the first is
 * pooled, begun as filters that pass on what comes in; the maximum over the rest, a dense layer, and
 * logits scaled down.  Theirs have GELU, here it is ReLU.
 *
 *   x = ReLU(conv 2 x 2, VALID, bias)                     3 channels: the kernel is never trained
 *   3 times, with f = filter_sizes[i]:
 *     x = ReLU(BN(max pool 2 x 2(conv 3 x 3 f)))
 *     x = ReLU(BN(conv 3 x 3 f))
 *   logits = logit_scale * dense(max over all pixels of x)
 */
#include "train/models/cnn_parts.h"
#include "train/ops/axes.h"
#include "train/ops/elementwise.h"
#include "train/ops/pooling.h"

enum { WHITE_FILTERS = 24, GREY_FILTERS = 8, N_BLOCKS = 3, SMALLEST = 17 };

static const char model[] = "record_net";

static struct gr_tensor *conv(struct mdl_cnn *c, struct gr_tensor *x, int64_t filters)
{
    return mdl_cnn_conv(c, x,
                        &(struct mdl_cnn_conv){.layer = "conv2d#",
                                               .filters = filters,
                                               .size = 3,
                                               .stride = 1,
                                               .padding = NN_SAME});
}

static struct gr_tensor *norm(struct mdl_cnn *c, struct gr_tensor *x)
{
    return mdl_cnn_norm(c, x,
                        &(struct mdl_cnn_norm){.layer = "batch_normalization#", .relu = true});
}

/* The whitening stays what it is, but for its bias; a kernel for one channel is learned. */
static struct gr_tensor *whitened(const struct mdl_build *b, struct gr_tensor *x)
{
    static const struct nn_conv2d how = {.stride = 1,
                                         .dilation = 1,
                                         .padding = NN_VALID,
                                         .relu = true};
    const int64_t n = x->dims[3] == 3 ? WHITE_FILTERS : GREY_FILTERS,
                  dims[] = {2, 2, x->dims[3], n};
    const char *name = "record_net/whiten/kernel";
    struct gr_tensor *kernel = x->dims[3] == 3
                                   ? gr_state(b->g, name, 4, dims, GR_INIT_WHITEN, 0.0)
                                   : gr_param(b->g, name, 4, dims, 0, GR_INIT_FAN_IN, 1.0);

    return nn_conv2d(b->g, x, kernel,
                     gr_param(b->g, "record_net/whiten/bias", 1, &n, 0, GR_INIT_ZEROS, 0.0), &how);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b,
                        .scope = "record_net/",
                        .norm = {.momentum = mdl_hp_float(b->hp, "norm_momentum"), .epsilon = 1e-5},
                        .kernel = {GR_INIT_DIRAC, 0.0}};
    size_t n_filters;
    const int64_t *filters = mdl_hp_ints(b->hp, "filter_sizes", &n_filters);
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = whitened(b, out->images);
    for (int i = 0; i < N_BLOCKS; ++i) {
        mdl_cnn_next_layer(&c);
        x = norm(&c, nn_max_pool(b->g, conv(&c, x, filters[i]), 2, 2, NN_VALID));
        x = norm(&c, conv(&c, x, filters[i]));
    }
    mdl_cnn_next_layer(&c);
    if (x->dims[1] > 1)
        x = nn_max_pool(b->g, x, x->dims[1], x->dims[1], NN_VALID);
    x = mdl_cnn_dense(&c, nn_flatten(b->g, x), "dense", b->problem->targets_vocab,
                      (struct mdl_cnn_init){GR_INIT_FAN_IN, 1.0});
    mdl_cnn_uniform_loss(b, nn_scale(b->g, x, mdl_hp_float(b->hp, "logit_scale")), want_logits,
                         out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"filter_sizes", "logit_scale", "norm_momentum", NULL};

    T2_TRY(mdl_cnn_check(model, hp, problem, own, "record_net", err));
    T2_TRY(mdl_cnn_check_list(model, hp, "filter_sizes", N_BLOCKS, err));
    if (problem->image.height != problem->image.width || problem->image.height < SMALLEST)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs square pictures of at least %d x %d pixels",
                       model, SMALLEST, SMALLEST);
    return T2_OK;
}

/* What counts is the loss of one example; T2T's factor for small pictures is not for it. */
static bool plain_loss(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

const struct mdl_kind mdl_record_net = {.name = model,
                                        .check = check,
                                        .build = build,
                                        .plain_loss = plain_loss};
