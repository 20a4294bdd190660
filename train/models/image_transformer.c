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
 * class, where the model is conditional, goes through layers of self-attention
 * (image_attention.h) and a feed-forward layer.
 *
 * imagetransformer2d (image_transformer_2d.py) is the same, with attention to blocks of two
 * dimensions, whose positions are fed in their order.  img2img_transformer reads an image in place
 * of a class: an encoder of the same layers, whose output the decoder's layers attend to.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/image_attention.h"
#include "train/models/local_attention.h"
#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"
#include "train/ops/class_loss.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/mark_rows.h"
#include "train/ops/mixture_loss.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"
#include "train/ops/windows.h"

enum { LEVELS = 256, COLOURS = 3, PER_MIXTURE = 10 };

/* The sets of imagetransformer2d and img2img_transformer have no likelihood. */
static bool is_mixture(const struct mdl_hparams *hp)
{
    return mdl_hp_has(hp, "likelihood") && mdl_tf_is(hp, "likelihood", "dmol");
}

/* The model reads an image: img2img_transformer. */
static bool has_encoder(const struct mdl_build *b)
{
    return b->problem->source.height > 0;
}

static bool is_conditional(const struct mdl_hparams *hp)
{
    return !mdl_hp_bool(hp, "unconditional");
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
static struct gr_tensor *axis_signal(const struct mdl_build *b, const char *stack, int axis,
                                     int64_t n)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), most = mdl_hp_int(b->hp, "max_length");
    int64_t dims[] = {1, axis == 0 ? most : 1, axis == 0 ? 1 : most, D}, rows[] = {1, most, D};
    char scope[MDL_TF_NAME_BYTES], which[16];
    struct gr_tensor *table;

    snprintf(scope, sizeof scope, "%s/body/%s_pos", b->model, stack);
    snprintf(which, sizeof which, "%s_pos_%d", stack, axis);
    table = mdl_tf_variable(b, scope, which, 4, dims, GR_INIT_NORMAL, pow((double) D, -0.5));
    return nn_slice_positions(b->g, nn_reshape(b->g, table, 3, rows), 0, n, 1);
}

/* (H * across, D): sqrt(D) times what was learned for row and column. */
static struct gr_tensor *learned_positions(const struct mdl_build *b, const char *stack, int64_t H,
                                           int64_t across)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), dims[] = {H * across, D}, row_list[] = {H, D};
    struct gr_tensor *rows, *places; /* (H, across, D), (1, H, across * D) */

    rows = nn_reshape(b->g, axis_signal(b, stack, 0, H), 2, row_list);
    rows = nn_reshape(b->g, nn_repeat(b->g, rows, across), 2, dims);
    places = nn_repeat(b->g, axis_signal(b, stack, 1, across), H);
    places = nn_add(b->g, rows, nn_reshape(b->g, places, 2, dims));
    return nn_convert(b->g, nn_scale(b->g, places, sqrt((double) D)), DEV_FLOAT32);
}

/* (L, D): the sinusoids, of which the table has the first L rows, or what was learned. */
static struct gr_tensor *position_table(const struct mdl_build *b, int64_t L)
{
    const struct mdl_image *image = &b->problem->pixels;
    int64_t dims[] = {L, mdl_hp_int(b->hp, "hidden_size")};

    return mdl_tf_is(b->hp, "pos", "timing")
               ? gr_table(b->g, 2, dims, &b->tables->timing)
               : learned_positions(b, "dec", image->height, columns(b->hp, image));
}

/* The same of the image that is read: the upper left corner of the table's grid. */
static struct gr_tensor *source_positions(const struct mdl_build *b)
{
    const struct mdl_image *image = &b->problem->pixels, *source = &b->problem->source;
    int64_t H = source->height, across = columns(b->hp, source);
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    int64_t grid[] = {1, image->height * columns(b->hp, image), D}, dims[] = {H * across, D};
    const struct nn_windows corner = {.height = image->height,
                                      .width = columns(b->hp, image),
                                      .rows = 1,
                                      .columns = 1,
                                      .step = {H, across},
                                      .size = {H, across}};

    if (!mdl_tf_is(b->hp, "pos", "timing"))
        return learned_positions(b, "enc", H, across);
    return nn_reshape(b->g,
                      nn_cut_windows(b->g, gr_table(b->g, 3, grid, &b->tables->timing), &corner), 2,
                      dims);
}

/* ---- the bottom: x (B, L, D) ---- */

/* (channels * 256, D) */
static struct gr_tensor *table_of(const struct mdl_build *b, const char *modality, int32_t channels)
{
    char scope[MDL_TF_NAME_BYTES];

    scope_of(scope, b, modality);
    return mdl_tf_kernel(b, scope, "rgb_target_emb_input_bottom", channels * LEVELS,
                         mdl_hp_int(b->hp, "hidden_size"));
}

/* Of what is written; its name says which kind of problem, and which model. */
static struct gr_tensor *value_table(const struct mdl_build *b)
{
    static const char image[] = "image_modality", both[] = "identity_modality/targets_bottom";
    static const char targets[] = "image_modality/targets_bottom";

    return table_of(b,
                    has_encoder(b)                         ? both
                    : strcmp(b->model, "imagetransformer") ? targets
                                                           : image,
                    b->problem->pixels.channels);
}

static struct gr_tensor *embed_values(const struct mdl_build *b, struct gr_tensor *values)
{
    int64_t B = values->dims[0], L = values->dims[1], D = mdl_hp_int(b->hp, "hidden_size");
    int64_t all[] = {B, L, D}, one[] = {1, L, D}, query[2];
    bool by_blocks = mdl_image_by_blocks(b->hp);
    struct nn_embed e = {.ids = values,
                         .table = value_table(b),
                         .parts = b->problem->pixels.channels,
                         .shift_right = !by_blocks,
                         .scale = sqrt((double) D),
                         .positions = by_blocks ? NULL : position_table(b, L)};
    struct gr_tensor *x = nn_embed(b->g, &e), *signal;

    if (!by_blocks)
        return x;
    mdl_image_query_shape(b->hp, query);
    x = mdl_shift_blocks(b->g, x, query, b->problem->pixels.height);
    signal = nn_repeat(b->g, nn_reshape(b->g, position_table(b, L), 3, one), B);
    return nn_add(b->g, x, nn_reshape(b->g, signal, 3, all));
}

static struct gr_tensor *embed_source(const struct mdl_build *b, struct gr_tensor *values)
{
    struct nn_embed e = {.ids = values,
                         .table = table_of(b, "identity_modality", b->problem->source.channels),
                         .parts = b->problem->source.channels,
                         .scale = sqrt((double) mdl_hp_int(b->hp, "hidden_size")),
                         .positions = source_positions(b)};

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

/* One layer: self-attention, with an encoder attention to its output, feed-forward. */
static struct gr_tensor *run_layer(const struct mdl_build *b, struct gr_tensor *x,
                                   const struct mdl_image_place *place, struct gr_tensor *memory,
                                   struct mdl_pixel_step *step)
{
    const char *layer = place->layer;
    struct gr_tensor *y = before(b, x, layer, 0);
    char block[MDL_TF_NAME_BYTES + 20];
    int n = 1;

    if (strcmp(place->type, "local_block") == 0) { /* which is preprocessed once more */
        snprintf(block, sizeof block, "%s/local_within_block", layer);
        y = before(b, y, block, 0);
    }
    x = after(b, x, mdl_image_self_attention(b, y, place, step), layer, 0);
    if (memory) {
        x = after(b, x, mdl_image_attend_memory(b, before(b, x, layer, 1), memory, layer), layer,
                  1);
        n = 2;
    }
    return after(b, x, feed_forward(b, before(b, x, layer, n), layer), layer, n);
}

static struct gr_tensor *layers(const struct mdl_build *b, struct gr_tensor *x,
                                struct gr_tensor *memory, struct mdl_pixel_step *step)
{
    int first = memory ? (int) mdl_hp_int(b->hp, "num_encoder_layers") : 0;
    char layer[MDL_TF_NAME_BYTES];

    for (int i = 0; i < mdl_tf_decoder_layers(b->hp); i++) {
        struct mdl_image_place place = {.type = mdl_tf_string(b->hp, "dec_attention_type"),
                                        .layer = layer,
                                        .number = i,
                                        .height = b->problem->pixels.height};

        gr_layer(b->g, first + i + 1);
        snprintf(layer, sizeof layer, "%s/body/decoder_layer_%d", b->model, i);
        x = run_layer(b, x, &place, memory, step);
    }
    gr_layer(b->g, 0);
    scope_of(layer, b, "body");
    return before(b, x, layer, memory ? 1 : 0);
}

/* What the encoder makes of the image that is read, (B, L', D). */
static struct gr_tensor *encode(const struct mdl_build *b, struct gr_tensor *values)
{
    struct gr_tensor *x = embed_source(b, values);
    char layer[MDL_TF_NAME_BYTES];

    x = nn_dropout_drop(b->g, x, mdl_tf_drop(b->hp, "layer_prepostprocess_dropout"));
    for (int i = 0; i < mdl_hp_int(b->hp, "num_encoder_layers"); i++) {
        struct mdl_image_place place = {.type = mdl_tf_string(b->hp, "enc_attention_type"),
                                        .layer = layer,
                                        .number = i,
                                        .height = b->problem->source.height,
                                        .encodes = true};

        gr_layer(b->g, i + 1);
        snprintf(layer, sizeof layer, "%s/body/encoder_layer_%d", b->model, i);
        x = run_layer(b, x, &place, NULL, NULL);
    }
    gr_layer(b->g, 0);
    scope_of(layer, b, "body");
    return before(b, x, layer, 0);
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
    int64_t source[] = {B, mdl_pixels_length(&b->problem->source)};
    struct gr_tensor *x, *memory = NULL;

    if (is_mixture(b->hp)) {
        out->pixels = gr_floats(b->g, 3, pixels);
        x = embed_pixels(b, out->pixels);
    } else {
        out->targets = gr_ids(b->g, 2, values);
        x = embed_values(b, out->targets);
    }
    if (has_encoder(b)) {
        out->inputs = gr_ids(b->g, 2, source);
        memory = encode(b, out->inputs);
    } else if (is_conditional(b->hp)) {
        out->inputs = gr_ids(b->g, 2, labels);
        x = add_class(b, x, out->inputs);
    }
    x = nn_dropout_drop(b->g, x, mdl_tf_drop(b->hp, "layer_prepostprocess_dropout"));
    top(b, layers(b, x, memory, NULL), want_logits, out);
}

/* The same for one position, of which all is said from outside. */
static void build_step(const struct mdl_build *b, struct mdl_pixel_step *step)
{
    int64_t L = positions(b->hp, &b->problem->pixels);
    int64_t one[] = {step->rows, 1}, pixel[] = {step->rows, 1, COLOURS};
    struct nn_embed e = {.parts = 1, .scale = sqrt((double) mdl_hp_int(b->hp, "hidden_size"))};
    struct gr_tensor *x; /* (rows, 1, D) */

    step->block = mdl_image_keeps_all(b->hp) ? L : mdl_hp_int(b->hp, "block_length");
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
    step->logits = nn_convert(b->g, logits_of(b, layers(b, x, NULL, step)), DEV_FLOAT32);
}

/* ---- refusals ---- */

static enum t2_status check_positions(const char *name, const struct mdl_hparams *hp,
                                      const struct mdl_image *image, struct t2_err *err)
{
    if (!mdl_tf_is(hp, "pos", "emb") || (mdl_hp_int(hp, "max_length") >= image->height &&
                                         mdl_hp_int(hp, "max_length") >= columns(hp, image)))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "model '%s': pos=emb learns max_length=%d vectors of each axis, and a row of "
                   "the images has %d positions",
                   name, (int) mdl_hp_int(hp, "max_length"), (int) columns(hp, image));
}

static enum t2_status check_problem(const char *name, const struct mdl_hparams *hp,
                                    const struct mdl_problem *problem, struct t2_err *err)
{
    const struct mdl_image *image = &problem->pixels;

    if (image->height < 1 || problem->targets_vocab != LEVELS || problem->source.height > 0)
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
    return check_positions(name, hp, image, err);
}

static enum t2_status check_numbers(const char *name, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    enum { LARGEST = 1 << 20, WIDEST = 64, MOST_MIXTURES = 1000 };
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rules[] = {{"hidden_size", 1, LARGEST},
                 {"filter_size", 1, LARGEST},
                 {"num_heads", 1, LARGEST},
                 {"block_length", 1, LARGEST},
                 {"block_width", 1, LARGEST},
                 {"max_length", 1, INT32_MAX},
                 {"attention_key_channels", 0, LARGEST},
                 {"attention_value_channels", 0, LARGEST},
                 {"num_hidden_layers", 1, MDL_MAX_LAYERS},
                 {"num_encoder_layers", 0, MDL_MAX_LAYERS},
                 {"num_decoder_layers", 0, MDL_MAX_LAYERS},
                 {"q_filter_width", 1, WIDEST},
                 {"kv_filter_width", 1, WIDEST},
                 {"num_mixtures", 1, MOST_MIXTURES}};
    int64_t K, V, heads;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int64_t value = rules[i].least;

        if (mdl_hp_has(hp, rules[i].hparam))
            value = mdl_hp_int(hp, rules[i].hparam);
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

static enum t2_status check_choices(const char *name, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    static const struct {
        const char *hparam, *allowed[3];
    } rules[] = {{"likelihood", {"cat", "dmol"}},
                 {"pos", {"timing", "emb"}},
                 {"ffn_layer", {"conv_hidden_relu", "dense_relu_dense"}},
                 {"norm_type", {"layer"}},
                 {"multiply_embedding_mode", {"sqrt_depth"}},
                 {"activation_dtype", {"float32", "bfloat16", "float16"}},
                 {"weight_dtype", {"float32", "bfloat16"}}};
    const char *pre = mdl_tf_string(hp, "layer_preprocess_sequence");
    const char *post = mdl_tf_string(hp, "layer_postprocess_sequence");

    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        const char *const *a = rules[r].allowed;
        const char *value =
            mdl_hp_has(hp, rules[r].hparam) ? mdl_hp_string(hp, rules[r].hparam) : a[0];
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
    if (mdl_hp_bool(hp, "local_and_global_att"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: local_and_global_att is not supported (supported: false)", name);
    return mdl_image_check_attention(name, hp, err);
}

static enum t2_status check_drawing(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const drawn[] = {"local_1d", "rel_local_1d", "dilated", "local_2d"};
    const char *type = mdl_tf_string(hp, "dec_attention_type");
    bool fine = false;

    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        fine |= strcmp(type, drawn[i]) == 0;
    if (!fine)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "images are drawn with dec_attention_type=local_1d, rel_local_1d, dilated "
                       "and local_2d, not with %s",
                       type);
    if (mdl_hp_int(hp, "q_filter_width") == 1 && mdl_hp_int(hp, "kv_filter_width") == 1)
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "images are not drawn with q_filter_width or kv_filter_width above 1");
}

static enum t2_status check_own(const char *name, const char *own_set, const char *const *needed,
                                const struct mdl_hparams *hp, struct t2_err *err)
{
    for (int i = 0; needed[i]; i++)
        if (!mdl_hp_has(hp, needed[i]))
            return mdl_fail_key(name, hp, needed[i], own_set, err);
    T2_TRY(check_choices(name, hp, err));
    return check_numbers(name, hp, err);
}

/* ---- drawing ---- */

static int64_t place(const struct mdl_hparams *hp, const struct mdl_image *image, int64_t n)
{
    return mdl_image_place(hp, columns(hp, image), n);
}

static int64_t fed(const struct mdl_hparams *hp, const struct mdl_image *image, int64_t n)
{
    return mdl_image_fed(hp, columns(hp, image), n);
}

static void seen(const struct mdl_hparams *hp, const struct mdl_image *image, int layer,
                 const int64_t *places, int64_t n, int32_t *to)
{
    mdl_image_seen(hp, columns(hp, image), layer, places, n, to);
}

/* Blocks are whole ones: what stands beyond the edge is seen in training. */
static enum t2_status check_drawn_image(const struct mdl_hparams *hp, const struct mdl_image *image,
                                        struct t2_err *err)
{
    int64_t query[2];

    if (!mdl_image_by_blocks(hp))
        return T2_OK;
    mdl_image_query_shape(hp, query);
    if (image->height % query[0] == 0 && columns(hp, image) % query[1] == 0)
        return T2_OK;
    return t2_fail(
        err, T2_EUNSUPPORTED,
        "images of %d rows of %d positions are not drawn by blocks of query_shape=[%d,%d]"
        ", which do not divide them",
        image->height, (int) columns(hp, image), (int) query[0], (int) query[1]);
}

/* ---- the models ---- */

static const char name_1d[] = "imagetransformer", own_1d[] = "imagetransformer_cifar10_base";
static const char name_2d[] = "imagetransformer2d", own_2d[] = "imagetransformer2d_base";
static const char name_img2img[] = "img2img_transformer", own_img2img[] = "img2img_transformer_b3";

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const needed[] = {"likelihood",     "unconditional",      "block_length",
                                         "q_filter_width", "dec_attention_type", NULL};

    T2_TRY(check_own(name_1d, own_1d, needed, hp, err));
    return check_problem(name_1d, hp, problem, err);
}

static const char *const needed_2d[] = {"query_shape",   "memory_flange",      "enc_attention_type",
                                        "unconditional", "dec_attention_type", NULL};

static enum t2_status check_2d(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                               struct t2_err *err)
{
    T2_TRY(check_own(name_2d, own_2d, needed_2d, hp, err));
    return check_problem(name_2d, hp, problem, err);
}

static enum t2_status check_img2img(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    struct t2_err *err)
{
    const struct mdl_image *image = &problem->pixels, *source = &problem->source;

    T2_TRY(check_own(name_img2img, own_img2img, needed_2d, hp, err));
    if (source->height < 1 || image->height < 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' makes images of smaller ones: it needs a problem of them, such "
                       "as img2img_cifar10",
                       name_img2img);
    if (source->height > image->height || columns(hp, source) > columns(hp, image))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s': the image that is read is larger than the one that is made",
                       name_img2img);
    if (mdl_hp_int(hp, "num_encoder_layers") + mdl_tf_decoder_layers(hp) > MDL_MAX_LAYERS)
        return t2_fail(err, T2_EUNSUPPORTED, "%s: more than %d layers", name_img2img,
                       (int) MDL_MAX_LAYERS);
    return check_positions(name_img2img, hp, image, err);
}

static bool reads_inputs(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

const struct mdl_kind mdl_image_transformer = {.name = name_1d,
                                               .own_set = own_1d,
                                               .check = check,
                                               .build = build,
                                               .reads_labels = is_conditional,
                                               .build_pixel_step = build_step,
                                               .pixel_place = place,
                                               .pixel_fed = fed,
                                               .pixel_seen = seen,
                                               .check_decoding = check_drawing,
                                               .check_drawn_image = check_drawn_image,
                                               .image_positions = positions,
                                               .image_columns = columns};

const struct mdl_kind mdl_image_transformer_2d = {.name = name_2d,
                                                  .own_set = own_2d,
                                                  .check = check_2d,
                                                  .build = build,
                                                  .reads_labels = is_conditional,
                                                  .build_pixel_step = build_step,
                                                  .pixel_place = place,
                                                  .pixel_fed = fed,
                                                  .pixel_seen = seen,
                                                  .check_decoding = check_drawing,
                                                  .check_drawn_image = check_drawn_image,
                                                  .image_positions = positions,
                                                  .image_columns = columns};

const struct mdl_kind mdl_img2img_transformer = {.name = name_img2img,
                                                 .own_set = own_img2img,
                                                 .check = check_img2img,
                                                 .build = build,
                                                 .reads_labels = reads_inputs,
                                                 .image_positions = positions,
                                                 .image_columns = columns};
