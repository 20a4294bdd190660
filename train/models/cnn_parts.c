/*
 * train/models/cnn_parts.c - what the image models share: inputs, variables by TensorFlow's names,
 * convolution, normalisation, dense layers, loss.
 *
 * Images (B,H,W,C), labels (B,1), class logits (B,classes).  A layer's name may end in '#': it is
 * then numbered as tf.layers numbers them, "conv2d", "conv2d_1", … by kind, in the order of the
 * calls, so builders must call in the original's order.
 */
#include "train/models/cnn_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "train/models/model_keys.h"
#include "train/models/value_loss.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"
#include "train/ops/class_loss.h"
#include "train/ops/linear.h"
#include "train/ops/pooling.h"

void mdl_cnn_inputs(const struct mdl_build *b, const struct mdl_shape *shape, struct mdl_graph *out)
{
    int64_t image[] = {shape->batch, shape->height, shape->width, shape->channels};
    int64_t labels[] = {shape->batch, 1};

    out->images = gr_floats(b->g, 4, image);
    mdl_class_targets(b, shape, out);
    if (shape->mixed) {
        out->other_labels = gr_ids(b->g, 2, labels);
        out->label_weights = gr_floats(b->g, 1, labels);
    }
}

void mdl_cnn_next_layer(struct mdl_cnn *c)
{
    gr_layer(c->b->g, ++c->layer);
}

/* ---- variables ---- */

/* How many layers of that kind there were. */
static int next_number(struct mdl_cnn *c, const char *kind, size_t n_bytes)
{
    for (int i = 0; i < MDL_CNN_MAX_KINDS; i++) {
        if (!c->counts[i].kind)
            c->counts[i].kind = kind;
        if (strncmp(c->counts[i].kind, kind, n_bytes) == 0)
            return c->counts[i].n++;
    }
    T2_ASSERT(!"MDL_CNN_MAX_KINDS kinds of layers");
}

void mdl_cnn_name(struct mdl_cnn *c, const char *layer, char name[MDL_CNN_NAME_BYTES])
{
    size_t n = strlen(layer);
    int number, written;

    if (n > 0 && layer[n - 1] == '#') {
        number = next_number(c, layer, n);
        written = snprintf(name, MDL_CNN_NAME_BYTES, number ? "%s%.*s_%d" : "%s%.*s", c->scope,
                           (int) n - 1, layer, number);
    } else {
        written = snprintf(name, MDL_CNN_NAME_BYTES, "%s%s", c->scope, layer);
    }
    T2_ASSERT(written > 0 && written < MDL_CNN_NAME_BYTES);
}

struct gr_tensor *mdl_cnn_variable(struct mdl_cnn *c, const char *name, const char *part, int rank,
                                   const int64_t *dims, struct mdl_cnn_init init)
{
    char full[MDL_CNN_NAME_BYTES + 32];

    snprintf(full, sizeof full, "%s/%s", name, part);
    return gr_param(c->b->g, full, rank, dims, 0, init.init, init.gain);
}

static struct gr_tensor *vector(struct mdl_cnn *c, const char *scope, const char *part, int64_t n,
                                enum gr_init init)
{
    return mdl_cnn_variable(c, scope, part, 1, &n, (struct mdl_cnn_init){init, 0.0});
}

/* ---- layers ---- */

struct gr_tensor *mdl_cnn_conv(struct mdl_cnn *c, struct gr_tensor *x,
                               const struct mdl_cnn_conv *how)
{
    int64_t dims[] = {how->size, how->size, x->dims[3], how->filters};
    struct nn_conv2d conv = {.stride = how->stride,
                             .dilation = 1,
                             .padding = how->padding,
                             .relu = how->relu};
    struct gr_tensor *kernel, *bias = NULL; /* (kh, kw, C, filters), (filters) */
    char name[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(c, how->layer, name);
    kernel = mdl_cnn_variable(c, name, how->kernel ? how->kernel : "kernel", 4, dims, c->kernel);
    if (how->targeted)
        kernel = nn_targeted(c->b->g, kernel, how->targeted);
    if (how->bias)
        bias = vector(c, name, "bias", how->filters, GR_INIT_ZEROS);
    return nn_conv2d(c->b->g, x, kernel, bias, &conv);
}

/* Batch normalisation with states moving_mean and moving_variance.  plain_gamma: factor 1, kept as
 * a state so that no optimizer touches it. */
struct gr_tensor *mdl_cnn_norm(struct mdl_cnn *c, struct gr_tensor *x,
                               const struct mdl_cnn_norm *how)
{
    int64_t n = x->dims[x->rank - 1];
    struct nn_batch_norm norm = c->norm;
    struct gr_graph *g = c->b->g;
    char name[MDL_CNN_NAME_BYTES], mean[MDL_CNN_NAME_BYTES + 32], variance[MDL_CNN_NAME_BYTES + 32];
    struct gr_tensor *gamma, *beta; /* (C) each */

    mdl_cnn_name(c, how->layer, name);
    if (how->plain_gamma) {
        snprintf(mean, sizeof mean, "%s/gamma", name);
        gamma = gr_state(g, mean, 1, &n, GR_INIT_ONES, 0.0);
    } else {
        gamma = vector(c, name, "gamma", n, how->zero_gamma ? GR_INIT_ZEROS : GR_INIT_ONES);
    }
    beta = vector(c, name, "beta", n, GR_INIT_ZEROS);
    if (how->beta_scale != 0.0)
        beta = nn_scale(g, beta, how->beta_scale);
    snprintf(mean, sizeof mean, "%s/moving_mean", name);
    snprintf(variance, sizeof variance, "%s/moving_variance", name);
    norm.relu = how->relu;
    return nn_batch_norm(g, x, gamma, beta, gr_state(g, mean, 1, &n, GR_INIT_ZEROS, 0.0),
                         gr_state(g, variance, 1, &n, GR_INIT_ONES, 0.0), how->residual, &norm);
}

struct gr_tensor *mdl_cnn_dense_relu(struct mdl_cnn *c, struct gr_tensor *x, const char *layer,
                                     int64_t n, struct mdl_cnn_init init, double dropout)
{
    int64_t dims[] = {x->dims[x->rank - 1], n};
    char name[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(c, layer, name);
    return nn_linear(c->b->g, x, mdl_cnn_variable(c, name, "kernel", 2, dims, init),
                     vector(c, name, "bias", n, GR_INIT_ZEROS), true, dropout);
}

struct gr_tensor *mdl_cnn_dense(struct mdl_cnn *c, struct gr_tensor *x, const char *layer,
                                int64_t n, struct mdl_cnn_init init)
{
    int64_t dims[] = {x->dims[x->rank - 1], n};
    char name[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(c, layer, name);
    return nn_linear(c->b->g, x, mdl_cnn_variable(c, name, "kernel", 2, dims, init),
                     vector(c, name, "bias", n, GR_INIT_ZEROS), false, 0.0);
}

/* ---- the end ---- */

/*
 * The loss, or the logits for prediction; of mixed images (mixup, CutMix) each row has two labels.
 */
static void end(const struct mdl_build *b, struct gr_tensor *logits, double smoothing, bool uniform,
                bool want_logits, struct mdl_graph *out)
{
    struct nn_class_labels labels = {out->targets, out->other_labels, out->label_weights};

    gr_layer(b->g, 0);
    if (b->problem->target != MDL_TARGET_IDS) {
        mdl_value_loss(b, mdl_value_loss_of(b->problem->target), logits, want_logits, out);
        return;
    }
    logits = nn_convert(b->g, logits, DEV_FLOAT32);
    out->class_logits = logits;
    if (want_logits)
        out->logits = logits;
    else
        out->loss = nn_class_loss_of(b->g, logits, &labels, smoothing, uniform, &out->row_stats);
}

void mdl_cnn_loss(const struct mdl_build *b, struct gr_tensor *logits, double smoothing,
                  bool want_logits, struct mdl_graph *out)
{
    end(b, logits, smoothing, false, want_logits, out);
}

void mdl_cnn_uniform_loss(const struct mdl_build *b, struct gr_tensor *logits, bool want_logits,
                          struct mdl_graph *out)
{
    end(b, logits, mdl_hp_float(b->hp, "label_smoothing"), true, want_logits, out);
}

/* modalities.class_label_top: mean over all pixels, then a dense layer in the original's nested
 * scope. */
void mdl_cnn_class_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                       struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b, .scope = b->model};
    int64_t n = b->problem->targets_vocab;
    char modality[MDL_CNN_NAME_BYTES / 4], layer[MDL_CNN_NAME_BYTES];

    gr_layer(b->g, 0);
    snprintf(modality, sizeof modality, "class_label_modality_%" PRId64 "_%" PRId64, n,
             mdl_hp_int(b->hp, "hidden_size"));
    snprintf(layer, sizeof layer, "/%s/%s/dense", modality, modality);
    if (x->rank == 4)
        x = nn_global_mean(b->g, x);
    mdl_cnn_loss(b, mdl_cnn_dense(&c, x, layer, n, (struct mdl_cnn_init){GR_INIT_DEFAULT, 0.0}),
                 mdl_hp_float(b->hp, "label_smoothing"), want_logits, out);
}

double mdl_cnn_kernel_l2(const char *variable, const struct mdl_hparams *hp)
{
    return t2_ends_with(variable, "/kernel") ? 0.5 * mdl_hp_float(hp, "weight_decay") : 0.0;
}

bool mdl_cnn_smooths_unmixed(const struct mdl_hparams *hp)
{
    return mdl_hp_float(hp, "mixup_alpha") == 0.0 && mdl_hp_float(hp, "cutmix_alpha") == 0.0;
}

bool mdl_cnn_plain_loss(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

/* ---- refusals ---- */

enum t2_status mdl_cnn_check(const char *model, const struct mdl_hparams *hp,
                             const struct mdl_problem *problem, const char *const *hparams,
                             const char *example, struct t2_err *err)
{
    if (problem->image.height < 1 || problem->image.width < 1 || problem->image.channels < 1 ||
        !problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' needs a problem of images with class labels, such as "
                       "image_cifar10",
                       model);
    for (; *hparams != NULL; hparams++)
        if (!mdl_hp_has(hp, *hparams))
            return mdl_fail_key(model, hp, *hparams, example, err);
    return T2_OK;
}

enum t2_status mdl_cnn_check_list(const char *model, const struct mdl_hparams *hp, const char *name,
                                  size_t n, struct t2_err *err)
{
    size_t have;
    const int64_t *values;

    values = mdl_hp_ints(hp, name, &have);
    if (have < n)
        return t2_fail(err, T2_EUSAGE, "%s: hparam '%s' needs %zu entries, not %zu", model, name, n,
                       have);
    for (size_t i = 0; i < have; i++)
        if (values[i] < 1 || values[i] > 1 << 20)
            return t2_fail(err, T2_EUSAGE, "%s: an entry of hparam '%s' is %" PRId64, model, name,
                           values[i]);
    return T2_OK;
}
