/*
 * train/models/record_net.c - a small network for CIFAR-like images that learns in minutes.
 *
 * No original: the shape is that of the short CIFAR-10 trainings, Page's ("How to train your
 * ResNet", 2018-19) and Jordan's ("94 % on CIFAR-10 in 3.29 seconds on a single GPU", 2024): a 2 x
 * 2 convolution that begins as a whitening of the images, then three blocks of two 3 x 3
 * convolutions, of which the first is pooled, begun as filters that pass on what comes in; the
 * maximum over the rest, a dense layer, and logits scaled down.
 *
 *   x = GELU(conv 2 x 2, VALID, bias)                     3 channels: the kernel is never trained
 *   3 times, with f = filter_sizes[i]:
 *     x = GELU(BN(max pool 2 x 2(conv 3 x 3 f)))
 *     x = GELU(BN(conv 3 x 3 f))
 *   logits = logit_scale * dense(max over all pixels of x)
 *
 * BN has no factor, and adds beta_scale * beta, so that with a rate r for all variables what is
 * added learns with beta_scale^2 r.  Evaluation takes the mean of the logits of eval_views views of
 * an image.
 */
#include <inttypes.h>

#include "train/models/cnn_parts.h"
#include "train/ops/axes.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/pooling.h"

enum { WHITE_FILTERS = 24, GREY_FILTERS = 8, N_BLOCKS = 3, SMALLEST = 17, MOST_VIEWS = 6 };

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
    x = mdl_cnn_norm(c, x,
                     &(struct mdl_cnn_norm){.layer = "batch_normalization#",
                                            .plain_gamma = true,
                                            .beta_scale = mdl_hp_float(c->b->hp, "beta_scale")});
    return nn_gelu(c->b->g, x);
}

/* The first layer, (B,H,W,C) -> (B,H-1,W-1,n).  The whitening stays as it is, but for its bias; a
 * kernel for one channel is learned. */
static struct gr_tensor *whitened(const struct mdl_build *b, struct gr_tensor *x)
{
    static const struct nn_conv2d how = {.stride = 1, .dilation = 1, .padding = NN_VALID};
    const int64_t n = x->dims[3] == 3 ? WHITE_FILTERS : GREY_FILTERS,
                  dims[] = {2, 2, x->dims[3], n};
    const char *name = "record_net/whiten/kernel";
    struct gr_tensor *kernel = x->dims[3] == 3
                                   ? gr_state(b->g, name, 4, dims, GR_INIT_WHITEN, 0.0)
                                   : gr_param(b->g, name, 4, dims, 0, GR_INIT_FAN_IN, 1.0);

    x = nn_conv2d(b->g, x, kernel,
                  gr_param(b->g, "record_net/whiten/bias", 1, &n, 0, GR_INIT_ZEROS, 0.0), &how);
    return nn_gelu(b->g, x);
}

/*
 * Images of 32 x 32 shrink to 31, 15, 7 and 3 pixels a side; the last are reduced to their maximum.
 */
static struct gr_tensor *logits(const struct mdl_build *b, struct gr_tensor *images)
{
    struct mdl_cnn c = {.b = b,
                        .scope = "record_net/",
                        .norm = {.momentum = mdl_hp_float(b->hp, "norm_momentum"), .epsilon = 1e-5},
                        .kernel = {GR_INIT_DIRAC, 0.0}};
    size_t n_filters;
    const int64_t *filters = mdl_hp_ints(b->hp, "filter_sizes", &n_filters);
    struct gr_tensor *x = whitened(b, images); /* (B, H-1, W-1, 24) */

    for (int i = 0; i < N_BLOCKS; i++) {
        mdl_cnn_next_layer(&c);
        x = norm(&c, nn_max_pool(b->g, conv(&c, x, filters[i]), 2, 2, NN_VALID));
        x = norm(&c, conv(&c, x, filters[i]));
    }
    mdl_cnn_next_layer(&c);
    if (x->dims[1] > 1)
        x = nn_max_pool(b->g, x, x->dims[1], x->dims[1], NN_VALID);
    x = mdl_cnn_dense(&c, nn_flatten(b->g, x), "dense", b->problem->targets_vocab,
                      (struct mdl_cnn_init){GR_INIT_FAN_IN, 1.0});
    return nn_scale(b->g, x, mdl_hp_float(b->hp, "logit_scale"));
}

/* Mean of the logits of several views: the image and its mirror image; with 6 views these are half
 * of the mean, and both moved by a pixel up and left, and down and right, the other half
 * (Jordan's). */
static struct gr_tensor *mean_logits(const struct mdl_build *b, struct gr_tensor *images)
{
    static const int64_t moves[] = {0, 1, -1};
    int64_t n_moves = mdl_hp_int(b->hp, "eval_views") == MOST_VIEWS ? 3 : 1;
    struct gr_tensor *sum = NULL; /* (B, classes) */

    for (int64_t i = 0; i < n_moves; i++) {
        struct gr_tensor *x =
            moves[i] == 0 ? images : nn_shift_pixels(b->g, images, moves[i], moves[i]);
        struct gr_tensor *both = nn_add(b->g, logits(b, x), logits(b, nn_mirror_pixels(b->g, x)));
        double weight = n_moves == 1 ? 0.5 : moves[i] == 0 ? 0.25 : 0.125;

        both = nn_scale(b->g, both, weight);
        sum = sum ? nn_add(b->g, sum, both) : both;
    }
    return sum;
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    bool views = !b->g->training && mdl_hp_int(b->hp, "eval_views") > 1;

    mdl_cnn_inputs(b, shape, out);
    mdl_cnn_uniform_loss(b, (views ? mean_logits : logits)(b, out->images), want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"filter_sizes", "logit_scale", "norm_momentum",
                                      "beta_scale",   "eval_views",  NULL};
    int64_t views;

    T2_TRY(mdl_cnn_check(model, hp, problem, own, "record_net", err));
    T2_TRY(mdl_cnn_check_list(model, hp, "filter_sizes", N_BLOCKS, err));
    views = mdl_hp_int(hp, "eval_views");
    if (views != 1 && views != 2 && views != MOST_VIEWS)
        return t2_fail(err, T2_EUSAGE, "%s: hparam 'eval_views' must be 1, 2 or %d, not %" PRId64,
                       model, MOST_VIEWS, views);
    if (problem->image.height != problem->image.width || problem->image.height < SMALLEST)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs square images of at least %d x %d pixels",
                       model, SMALLEST, SMALLEST);
    return T2_OK;
}

/* The loss of one example counts as it is; T2T's factor for small images is not for it. */
static bool plain_loss(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

const struct mdl_kind mdl_record_net = {.name = model,
                                        .own_set = "record_net",
                                        .check = check,
                                        .build = build,
                                        .plain_loss = plain_loss};
