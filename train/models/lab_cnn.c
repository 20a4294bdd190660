/*
 * train/models/lab_cnn.c - two small networks of Google's examples: flowers and MNIST.
 *
 * flowersmodeltpu/model.py of training-data-analyst and mnist_tpu.py of tensorflow/tpu; spec
 * image-pipelines.md §4.2 and §3.  Both:
 *   x = pool2x2(relu(conv(x) + b)), twice;  x = dropout(relu(w flatten(x) + b));  logits = w x + b
 * Flowers may normalise the dense layer and the logits (batch_norm).
 */
#include <inttypes.h>

#include "train/models/cnn_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"

static const struct mdl_cnn_init glorot = {GR_INIT_GLOROT, 0.0}; /* of tf.layers */

static struct gr_tensor *conv_and_pool(struct mdl_cnn *c, struct gr_tensor *x, int64_t filters,
                                       int64_t size, enum nn_padding pooling)
{
    struct mdl_cnn_conv how = {.layer = "conv2d#",
                               .filters = filters,
                               .size = size,
                               .stride = 1,
                               .padding = NN_SAME,
                               .bias = true,
                               .relu = true};

    return nn_max_pool(c->b->g, mdl_cnn_conv(c, x, &how), 2, 2, pooling);
}

/* ---- flowers ---- */

static struct gr_tensor *norm(struct mdl_cnn *c, struct gr_tensor *x, bool relu)
{
    return mdl_cnn_norm(c, x,
                        &(struct mdl_cnn_norm){.layer = "batch_normalization#", .relu = relu});
}

static void build_flowers(const struct mdl_build *b, const struct mdl_shape *shape,
                          bool want_logits, struct mdl_graph *out)
{
    /* not fused in the original, as its inputs have rank 2: moving variances of the population */
    struct mdl_cnn c = {.b = b,
                        .scope = "",
                        .norm = {.momentum = 0.99, .epsilon = 1e-3, .population_variance = true},
                        .kernel = glorot};
    const struct mdl_hparams *hp = b->hp;
    bool batch_norm = mdl_hp_bool(hp, "batch_norm");
    double dropout = mdl_hp_float(hp, "dropout");
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = conv_and_pool(&c, out->images, mdl_hp_int(hp, "nfil1"), mdl_hp_int(hp, "ksize1"), NN_VALID);
    x = conv_and_pool(&c, x, mdl_hp_int(hp, "nfil2"), mdl_hp_int(hp, "ksize2"), NN_VALID);
    x = nn_flatten(b->g, x);
    if (batch_norm) {
        x = norm(&c, mdl_cnn_dense(&c, x, "dense#", mdl_hp_int(hp, "hidden_size"), glorot), true);
        x = dropout > 0.0 ? nn_dropout(b->g, x, dropout) : x;
    } else {
        x = mdl_cnn_dense_relu(&c, x, "dense#", mdl_hp_int(hp, "hidden_size"), glorot, dropout);
    }
    x = mdl_cnn_dense(&c, x, "dense#", b->problem->targets_vocab, glorot);
    mdl_cnn_uniform_loss(b, batch_norm ? norm(&c, x, false) : x, want_logits, out);
}

static enum t2_status check_sizes(const char *model, const struct mdl_hparams *hp,
                                  const struct mdl_problem *problem, const char *const *sizes,
                                  int32_t smallest, struct t2_err *err)
{
    for (; *sizes; sizes++)
        if (mdl_hp_int(hp, *sizes) < 1)
            return t2_fail(err, T2_EUSAGE, "%s: %s must be positive", model, *sizes);
    if (problem->image.height < smallest || problem->image.width < smallest)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs images of at least %d x %d pixels", model,
                       smallest, smallest);
    return T2_OK;
}

static enum t2_status check_flowers(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    struct t2_err *err)
{
    static const char *const own[] = {"ksize1", "ksize2", "nfil1", "nfil2", "batch_norm", NULL};
    static const char *const sizes[] = {"ksize1", "ksize2", "nfil1", "nfil2", "hidden_size", NULL};

    static const char *const kernels[] = {"ksize1", "ksize2"};

    T2_TRY(mdl_cnn_check("flowers_cnn", hp, problem, own, "flowers_cnn", err));
    T2_TRY(check_sizes("flowers_cnn", hp, problem, sizes, 4, err));
    for (int i = 0; i < 2; i++)
        if (mdl_hp_int(hp, kernels[i]) > problem->image.height ||
            mdl_hp_int(hp, kernels[i]) > problem->image.width)
            return t2_fail(err, T2_EUSAGE,
                           "flowers_cnn: %s=%" PRId64 " is larger than the images, %d x %d",
                           kernels[i], mdl_hp_int(hp, kernels[i]), problem->image.height,
                           problem->image.width);
    return T2_OK;
}

/* ---- MNIST ---- */

static void build_mnist(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                        struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b, .scope = "", .kernel = glorot};
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = conv_and_pool(&c, out->images, 32, 5, NN_SAME);
    x = nn_flatten(b->g, conv_and_pool(&c, x, 32, 5, NN_SAME));
    x = mdl_cnn_dense_relu(&c, x, "dense#", mdl_hp_int(b->hp, "hidden_size"), glorot,
                           mdl_hp_float(b->hp, "dropout"));
    mdl_cnn_uniform_loss(b, mdl_cnn_dense(&c, x, "dense#", b->problem->targets_vocab, glorot),
                         want_logits, out);
}

static enum t2_status check_mnist(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  struct t2_err *err)
{
    static const char *const none[] = {NULL}, *const sizes[] = {"hidden_size", NULL};

    T2_TRY(mdl_cnn_check("mnist_cnn", hp, problem, none, "mnist_cnn", err));
    return check_sizes("mnist_cnn", hp, problem, sizes, 1, err);
}

static bool plain_loss(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

const struct mdl_kind mdl_flowers_cnn = {.name = "flowers_cnn",
                                         .own_set = "flowers_cnn",
                                         .check = check_flowers,
                                         .build = build_flowers,
                                         .plain_loss = plain_loss};
const struct mdl_kind mdl_mnist_cnn = {.name = "mnist_cnn",
                                       .own_set = "mnist_cnn",
                                       .check = check_mnist,
                                       .build = build_mnist,
                                       .plain_loss = plain_loss};
