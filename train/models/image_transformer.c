/*
 * train/models/image_transformer.c - the Image Transformer: images made number by number.
 *
 * tensor2tensor/models/image_transformer.py and layers/common_image_attention.py of release 1.15.7;
 * Parmar et al. 2018; spec t2t-trainer.md §6.1.  An image of H rows, W columns and C channels:
 *
 *   likelihood=cat   a position is a channel of a pixel, L = H W C of them.  Embedded in a table of
 *                    its channel, one position to the right; logits of 256 values (B,L,256)
 *   likelihood=dmol  a position is a pixel, L = H W, C = 3.  What a dense layer makes of its three
 *                    values, one position to the right; K logistics for it (B,L,10K)
 *
 * In between x (B,L,D) with the signal of the position's row and place in the row, and of the
 * class, where the model is conditional, goes through layers of local self-attention and a
 * feed-forward layer.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/models/local_attention.h"
#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"
#include "train/ops/class_loss.h"
#include "train/ops/conv2d.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/mark_rows.h"
#include "train/ops/mixture_loss.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

enum { LEVELS = 256, COLOURS = 3, PER_MIXTURE = 10 };

static const char name[] = "imagetransformer";

static bool is_mixture(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, "likelihood", "dmol");
}

/* A new key of some sets is an int where others have a bool. */
static bool is_conditional(const struct mdl_hparams *hp)
{
    return mdl_hp_type_of(hp, "unconditional") == MDL_HP_INT ? mdl_hp_int(hp, "unconditional") == 0
                                                             : !mdl_hp_bool(hp, "unconditional");
}

static int64_t columns(const struct mdl_hparams *hp, const struct mdl_image *image)
{
    return (int64_t) image->width * (is_mixture(hp) ? 1 : image->channels);
}

static int64_t positions(const struct mdl_hparams *hp, const struct mdl_image *image)
{
    return image->height * columns(hp, image);
}

static void scope_of(char scope[MDL_TF_NAME_BYTES], const struct mdl_build *b, const char *rest)
{
    snprintf(scope, MDL_TF_NAME_BYTES, "%s/%s", b->model, rest);
}

/* ---- positions ---- */

/* The first n of the learned vectors of one axis, dims (1, max_length, 1, D) or (1, 1, max_length,
 * D), as (1, n, D). */
static struct gr_tensor *axis_signal(const struct mdl_build *b, int axis, int64_t n)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), most = mdl_hp_int(b->hp, "max_length");
    int64_t dims[] = {1, axis == 0 ? most : 1, axis == 0 ? 1 : most, D}, rows[] = {1, most, D};
    char scope[MDL_TF_NAME_BYTES], which[16];
    struct gr_tensor *table;

    scope_of(scope, b, "body/dec_pos");
    snprintf(which, sizeof which, "dec_pos_%d", axis);
    table = mdl_tf_variable(b, scope, which, 4, dims, GR_INIT_NORMAL, pow((double) D, -0.5));
    return nn_slice_positions(b->g, nn_reshape(b->g, table, 3, rows), 0, n, 1);
}

/* (L, D): the sinusoids, or sqrt(D) times what was learned for row and column. */
static struct gr_tensor *position_table(const struct mdl_build *b, int64_t L)
{
    const struct mdl_image *image = &b->problem->pixels;
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), across = columns(b->hp, image);
    int64_t dims[] = {L, D}, row_list[] = {image->height, D};
    struct gr_tensor *rows, *places; /* (H, across, D), (1, H, across * D) */

    if (mdl_tf_is(b->hp, "pos", "timing")) /* the first L of the table's rows */
        return gr_table(b->g, 2, dims, &b->tables->timing);
    rows = nn_reshape(b->g, axis_signal(b, 0, image->height), 2, row_list);
    rows = nn_reshape(b->g, nn_repeat(b->g, rows, across), 2, dims);
    places = nn_repeat(b->g, axis_signal(b, 1, across), image->height);
    places = nn_add(b->g, rows, nn_reshape(b->g, places, 2, dims));
    return nn_convert(b->g, nn_scale(b->g, places, sqrt((double) D)), DEV_FLOAT32);
}

/* ---- the bottom: x (B, L, D) ---- */

/* (channels * 256, D) */
static struct gr_tensor *value_table(const struct mdl_build *b)
{
    char scope[MDL_TF_NAME_BYTES];

    scope_of(scope, b, "image_modality");
    return mdl_tf_kernel(b, scope, "rgb_target_emb_input_bottom",
                         b->problem->pixels.channels * LEVELS, mdl_hp_int(b->hp, "hidden_size"));
}

static struct gr_tensor *embed_values(const struct mdl_build *b, struct gr_tensor *values)
{
    struct nn_embed e = {.ids = values,
                         .table = value_table(b),
                         .parts = b->problem->pixels.channels,
                         .shift_right = true,
                         .scale = sqrt((double) mdl_hp_int(b->hp, "hidden_size")),
                         .positions = position_table(b, values->dims[1])};

    return nn_embed(b->g, &e);
}

/* A convolution of all channels of a pixel: pixels (B, L, 3) -> (B, L, D). */
static struct gr_tensor *pixel_features(const struct mdl_build *b, struct gr_tensor *pixels)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), kernel[] = {1, COLOURS, 1, D};
    char scope[MDL_TF_NAME_BYTES];

    scope_of(scope, b, "image_modality/output_bottom/conv_input");
    return nn_linear(b->g, pixels,
                     mdl_tf_variable(b, scope, "kernel", 4, kernel, GR_INIT_DEFAULT, 0.0),
                     mdl_tf_vector(b, scope, "bias", D, GR_INIT_ZEROS), true, 0.0);
}

static struct gr_tensor *embed_pixels(const struct mdl_build *b, struct gr_tensor *pixels)
{
    int64_t B = pixels->dims[0], L = pixels->dims[1], D = mdl_hp_int(b->hp, "hidden_size");
    int64_t row[] = {B, 1, L, D}, all[] = {B, L, D}, one[] = {1, L, D};
    struct gr_tensor *x = pixel_features(b, pixels), *signal; /* (B, L, D) */

    x = nn_reshape(b->g, nn_shift_pixels(b->g, nn_reshape(b->g, x, 4, row), 0, -1), 3, all);
    signal = nn_repeat(b->g, nn_reshape(b->g, position_table(b, L), 3, one), B);
    return nn_add(b->g, x, nn_reshape(b->g, signal, 3, all));
}

static struct gr_tensor *add_class(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *labels)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    int n = b->problem->inputs_vocab;
    char scope[MDL_TF_NAME_BYTES], modality[64];
    struct nn_embed e = {.ids = labels, .parts = 1, .scale = sqrt((double) D)};

    snprintf(modality, sizeof modality, "class_label_modality_%d_%d", n, (int) D);
    snprintf(scope, sizeof scope, "%s/%s/%s/embedding", b->model, modality, modality);
    e.table = mdl_tf_kernel(b, scope, "kernel", n, D);
    return nn_add(b->g, x, nn_repeat(b->g, nn_embed(b->g, &e), x->dims[1]));
}

/* ---- layers ---- */

/* The second of a layer's two has a number. */
static struct gr_tensor *normalise(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *layer, const char *where, int number)
{
    int64_t D = x->dims[x->rank - 1];
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope, number ? "%s/%s_%d/layer_norm" : "%s/%s/layer_norm", layer, where,
             number);
    return nn_layer_norm(b->g, x, mdl_tf_vector(b, scope, "layer_norm_scale", D, GR_INIT_ONES),
                         mdl_tf_vector(b, scope, "layer_norm_bias", D, GR_INIT_ZEROS),
                         mdl_hp_float(b->hp, "norm_epsilon"));
}

static struct gr_tensor *before(const struct mdl_build *b, struct gr_tensor *x, const char *layer,
                                int number)
{
    struct gr_drop drop = mdl_tf_drop(b->hp, "layer_prepostprocess_dropout");

    for (const char *c = mdl_tf_string(b->hp, "layer_preprocess_sequence"); *c; c++)
        x = *c == 'n' ? normalise(b, x, layer, "layer_prepostprocess", number)
                      : nn_dropout_drop(b->g, x, drop);
    return x;
}

static struct gr_tensor *after(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *y,
                               const char *layer, int number)
{
    struct gr_drop drop = mdl_tf_drop(b->hp, "layer_prepostprocess_dropout");

    for (const char *c = mdl_tf_string(b->hp, "layer_postprocess_sequence"); *c; c++) {
        if (c[0] == 'd' && c[1] == 'a') {
            y = nn_residual_drop(b->g, x, y, NULL, drop);
            c++;
        } else if (*c == 'a') {
            y = nn_add(b->g, x, y);
        } else {
            y = *c == 'd' ? nn_dropout_drop(b->g, y, drop)
                          : normalise(b, y, layer, "layer_postprocess", number);
        }
    }
    return y;
}

/* Queries, keys or values (B, L, n): a dense layer, or a convolution that sees `width` positions up
 * to its own. */
static struct gr_tensor *project(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                 char which, int64_t n, int64_t width)
{
    int64_t B = x->dims[0], L = x->dims[1], D = x->dims[2];
    int64_t kernel[] = {width, 1, D, n}, image[] = {B, L, 1, D}, flat[] = {B, L, n};
    struct nn_conv2d conv = {.padding = NN_LEFT};
    char part[MDL_TF_FULL_NAME_BYTES];

    if (width == 1) {
        snprintf(part, sizeof part, "%c/kernel", which);
        return nn_linear(b->g, x, mdl_tf_kernel(b, scope, part, D, n), NULL, false, 0.0);
    }
    snprintf(part, sizeof part, "%s/%c_single", scope, which);
    x = nn_conv2d(b->g, nn_reshape(b->g, x, 4, image),
                  mdl_tf_variable(b, part, "kernel", 4, kernel, GR_INIT_DEFAULT, 0.0),
                  mdl_tf_vector(b, part, "bias", n, GR_INIT_ZEROS), &conv);
    return nn_reshape(b->g, x, 3, flat);
}

/* One position against what is kept of the blocks that it sees. */
static struct gr_tensor *attend_cache(const struct mdl_build *b, struct gr_tensor *q,
                                      struct gr_tensor *k, struct gr_tensor *v,
                                      const struct nn_attention *how, struct mdl_pixel_step *step)
{
    int64_t k_dims[] = {step->rows, step->cache_rows, k->dims[2]};
    int64_t v_dims[] = {step->rows, step->cache_rows, v->dims[2]};
    struct nn_attention a = *how;
    int layer = step->n_layers++;

    a.cached = true;
    a.q_per_key = 1;
    step->k[layer] = gr_cache(b->g, 3, k_dims, NULL);
    step->v[layer] = gr_cache(b->g, 3, v_dims, NULL);
    return nn_attention(b->g, q, nn_cache_put(b->g, k, step->k[layer]),
                        nn_cache_put(b->g, v, step->v[layer]), &a);
}

/* The original does not drop weights here, whatever attention_dropout says. */
static struct gr_tensor *attend(const struct mdl_build *b, struct gr_tensor *x, const char *layer,
                                struct mdl_pixel_step *step)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), heads = mdl_hp_int(b->hp, "num_heads");
    int64_t q_width = mdl_hp_int(b->hp, "q_filter_width");
    int64_t kv_width = mdl_hp_int(b->hp, "kv_filter_width"), K, V;
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct nn_attention how = {.heads = heads};
    struct gr_tensor *q, *k, *v;

    mdl_tf_channels(b->hp, &K, &V);
    how.scale = pow((double) K / (double) heads, -0.5);
    snprintf(scope, sizeof scope, "%s/local_1d_self_att/self_attention", layer);
    q = project(b, x, scope, 'q', K, q_width);
    k = project(b, x, scope, 'k', K, kv_width);
    v = project(b, x, scope, 'v', V, kv_width);
    x = step ? attend_cache(b, q, k, v, &how, step)
             : mdl_local_attention(b->g, q, k, v, &how, mdl_hp_int(b->hp, "block_length"));
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "output_transform/kernel", V, D), NULL, false,
                     0.0);
}

static struct gr_tensor *feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *layer)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), F = mdl_hp_int(b->hp, "filter_size");
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/ffn", layer);
    x = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "conv1/kernel", D, F),
                  mdl_tf_vector(b, scope, "conv1/bias", F, GR_INIT_ZEROS), true,
                  mdl_hp_float(b->hp, "relu_dropout"));
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "conv2/kernel", F, D),
                     mdl_tf_vector(b, scope, "conv2/bias", D, GR_INIT_ZEROS), false, 0.0);
}

static struct gr_tensor *layers(const struct mdl_build *b, struct gr_tensor *x,
                                struct mdl_pixel_step *step)
{
    for (int i = 0; i < mdl_tf_decoder_layers(b->hp); i++) {
        char layer[MDL_TF_NAME_BYTES];

        gr_layer(b->g, i + 1);
        snprintf(layer, sizeof layer, "%s/body/decoder_layer_%d", b->model, i);
        x = after(b, x, attend(b, before(b, x, layer, 0), layer, step), layer, 0);
        x = after(b, x, feed_forward(b, before(b, x, layer, 1), layer), layer, 1);
    }
    gr_layer(b->g, 0);
    return x;
}

/* ---- whole graphs ---- */

static struct gr_tensor *logits_of(const struct mdl_build *b, struct gr_tensor *x)
{
    bool mixture = is_mixture(b->hp);
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    int64_t n = mixture ? PER_MIXTURE * mdl_hp_int(b->hp, "num_mixtures") : LEVELS;
    char scope[MDL_TF_NAME_BYTES];
    struct gr_tensor *bias = NULL;

    scope_of(scope, b, "body/output_conv");
    if (!mixture)
        bias = mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS);
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", D, n), bias, false, 0.0);
}

static void top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                struct mdl_graph *out)
{
    x = logits_of(b, x);
    if (want_logits)
        out->logits = nn_convert(b->g, x, DEV_FLOAT32);
    else if (is_mixture(b->hp))
        out->loss = nn_mixture_loss(b->g, x, out->pixels, 1.0 / COLOURS, &out->row_stats);
    else
        out->loss = nn_class_loss(b->g, x, out->targets, mdl_hp_float(b->hp, "label_smoothing"),
                                  &out->row_stats);
    if (!want_logits && !is_mixture(b->hp) && b->predicts && !b->g->training)
        out->given = nn_convert(b->g, x, DEV_FLOAT32);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    const struct mdl_image *image = &b->problem->pixels;
    int64_t B = shape->batch, labels[] = {B, 1}, values[] = {B, mdl_pixels_length(image)};
    int64_t pixels[] = {B, positions(b->hp, image), COLOURS};
    struct gr_tensor *x;

    if (is_mixture(b->hp)) {
        out->pixels = gr_floats(b->g, 3, pixels);
        x = embed_pixels(b, out->pixels);
    } else {
        out->targets = gr_ids(b->g, 2, values);
        x = embed_values(b, out->targets);
    }
    if (is_conditional(b->hp)) {
        out->inputs = gr_ids(b->g, 2, labels);
        x = add_class(b, x, out->inputs);
    }
    x = nn_dropout_drop(b->g, x, mdl_tf_drop(b->hp, "layer_prepostprocess_dropout"));
    top(b, layers(b, x, NULL), want_logits, out);
}

/* The same for one position, of which all is said from outside. */
static void build_step(const struct mdl_build *b, struct mdl_pixel_step *step)
{
    int64_t L = positions(b->hp, &b->problem->pixels);
    int64_t one[] = {step->rows, 1}, pixel[] = {step->rows, 1, COLOURS};
    struct nn_embed e = {.parts = 1, .scale = sqrt((double) mdl_hp_int(b->hp, "hidden_size"))};
    struct gr_tensor *x; /* (rows, 1, D) */

    step->block = mdl_hp_int(b->hp, "block_length");
    step->cache_rows = L < 2 * step->block ? L : 2 * step->block;
    step->position = gr_ids(b->g, 2, one);
    e.positions = position_table(b, L);
    e.position_ids = step->position;
    if (is_mixture(b->hp)) {
        step->pixels = gr_floats(b->g, 3, pixel);
        step->keep = gr_floats(b->g, 1, one);
        x = nn_scale_rows(b->g, pixel_features(b, step->pixels), step->keep, step->keep);
        e.ids = nn_mark_rows(b->g, x); /* any ids will do: the embedding counts 0 times */
        e.scale = 0.0;
        e.table = e.positions;
        x = nn_add(b->g, x, nn_embed(b->g, &e));
    } else {
        step->values = e.ids = gr_ids(b->g, 2, one);
        e.table = value_table(b);
        x = nn_embed(b->g, &e);
    }
    if (is_conditional(b->hp)) {
        step->labels = gr_ids(b->g, 2, one);
        x = add_class(b, x, step->labels);
    }
    step->logits = nn_convert(b->g, logits_of(b, layers(b, x, step)), DEV_FLOAT32);
}

/* ---- refusals ---- */

static enum t2_status check_problem(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    struct t2_err *err)
{
    const struct mdl_image *image = &problem->pixels;

    if (image->height < 1 || problem->targets_vocab != LEVELS)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' makes images: it needs a problem of them, such as "
                       "image_cifar10_plain_gen_rev",
                       name);
    if (is_conditional(hp) && !problem->has_inputs)
        return t2_fail(err, T2_EUSAGE,
                       "model '%s': the problem has no labels; --hparams=unconditional=true", name);
    if (is_mixture(hp) && image->channels != COLOURS)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s': likelihood=dmol is about three colours, and the images have %d "
                       "channel; likelihood=cat takes them",
                       name, image->channels);
    if (mdl_tf_is(hp, "pos", "emb") && (mdl_hp_int(hp, "max_length") < image->height ||
                                        mdl_hp_int(hp, "max_length") < columns(hp, image)))
        return t2_fail(
            err, T2_EUSAGE,
            "model '%s': pos=emb learns max_length=%d vectors of each axis, and a row of "
            "the images has %d positions",
            name, (int) mdl_hp_int(hp, "max_length"), (int) columns(hp, image));
    return T2_OK;
}

static enum t2_status check_numbers(const struct mdl_hparams *hp, struct t2_err *err)
{
    enum { LARGEST = 1 << 20, WIDEST = 64, MOST_MIXTURES = 1000 };
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rules[] = {{"hidden_size", 1, LARGEST},
                 {"filter_size", 1, LARGEST},
                 {"num_heads", 1, LARGEST},
                 {"block_length", 1, LARGEST},
                 {"max_length", 1, INT32_MAX},
                 {"attention_key_channels", 0, LARGEST},
                 {"attention_value_channels", 0, LARGEST},
                 {"num_hidden_layers", 1, MDL_MAX_LAYERS},
                 {"num_decoder_layers", 0, MDL_MAX_LAYERS},
                 {"q_filter_width", 1, WIDEST},
                 {"kv_filter_width", 1, WIDEST},
                 {"num_mixtures", 1, MOST_MIXTURES}};
    int64_t K, V, heads;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int64_t value = mdl_hp_int(hp, rules[i].hparam);

        if (value < rules[i].least || value > rules[i].most)
            return t2_fail(err, T2_EUSAGE, "%s: hparam %s=%lld is not between %lld and %lld", name,
                           rules[i].hparam, (long long) value, (long long) rules[i].least,
                           (long long) rules[i].most);
    }
    mdl_tf_channels(hp, &K, &V);
    heads = mdl_hp_int(hp, "num_heads");
    if (K % heads != 0 || V % heads != 0)
        return t2_fail(err, T2_EUSAGE,
                       "%s: num_heads=%lld does not divide the channels of keys, %lld, and of "
                       "values, %lld",
                       name, (long long) heads, (long long) K, (long long) V);
    return T2_OK;
}

static enum t2_status check_choices(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const struct {
        const char *hparam, *allowed[3];
    } rules[] = {{"dec_attention_type", {"local_1d"}},
                 {"likelihood", {"cat", "dmol"}},
                 {"pos", {"timing", "emb"}},
                 {"ffn_layer", {"conv_hidden_relu", "dense_relu_dense"}},
                 {"norm_type", {"layer"}},
                 {"multiply_embedding_mode", {"sqrt_depth"}},
                 {"activation_dtype", {"float32", "bfloat16", "float16"}},
                 {"weight_dtype", {"float32", "bfloat16"}}};
    const char *pre = mdl_tf_string(hp, "layer_preprocess_sequence");
    const char *post = mdl_tf_string(hp, "layer_postprocess_sequence");

    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        const char *value = mdl_hp_string(hp, rules[r].hparam), *const *a = rules[r].allowed;
        bool fine = false;

        for (int i = 0; i < 3 && a[i]; i++)
            fine |= strcmp(value, a[i]) == 0;
        if (!fine)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "%s: %s=%s is not supported (supported: %s%s%s%s%s)", name,
                           rules[r].hparam, value, a[0], a[1] ? ", " : "", a[1] ? a[1] : "",
                           a[1] && a[2] ? ", " : "", a[1] && a[2] ? a[2] : "");
    }
    if (strspn(pre, "nd") != strlen(pre) || strspn(post, "nda") != strlen(post))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: layer_preprocess_sequence=%s is of n and d, "
                       "layer_postprocess_sequence=%s of n, d and a",
                       name, pre, post);
    if (mdl_hp_bool(hp, "block_raster_scan") || mdl_hp_bool(hp, "local_and_global_att"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: block_raster_scan and local_and_global_att are not supported "
                       "(supported: false)",
                       name);
    return T2_OK;
}

static enum t2_status check_drawing(const struct mdl_hparams *hp, struct t2_err *err)
{
    if (mdl_hp_int(hp, "q_filter_width") == 1 && mdl_hp_int(hp, "kv_filter_width") == 1)
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "%s: images are not drawn with q_filter_width or kv_filter_width above 1", name);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const needed[] = {"likelihood", "unconditional", "block_length",
                                         "q_filter_width", "dec_attention_type"};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!mdl_hp_has(hp, needed[i]))
            return mdl_fail_key(name, hp, needed[i], "imagetransformer_cifar10_base", err);
    T2_TRY(check_choices(hp, err));
    T2_TRY(check_numbers(hp, err));
    return check_problem(hp, problem, err);
}

const struct mdl_kind mdl_image_transformer = {.name = name,
                                               .own_set = "imagetransformer_cifar10_base",
                                               .check = check,
                                               .build = build,
                                               .reads_labels = is_conditional,
                                               .build_pixel_step = build_step,
                                               .check_decoding = check_drawing,
                                               .image_positions = positions,
                                               .image_columns = columns};
