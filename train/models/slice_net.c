/*
 * train/models/slice_net.c - Tensor2Tensor's SliceNet (Kaiser, Gomez, Chollet 2017): images or
 * texts to texts, or to classes, through sub-separable convolutions and attention.
 *
 * models/slicenet.py of release 1.15.7.  Tensors are (B,L,1,D); an image of H x W pixels has H W
 * positions, row by row.
 *   image:    norm(conv3x3(x)) of all pixels
 *   encoded = stack(x + timing), of num_hidden_layers and half as many more, padded on both sides
 *   classes:  the mean of encoded, and class logits
 *   t       = targets shifted right, in front of them the embedding of their space
 *   x       = block([attention(t), t]), of one unit of separability 4
 *   logits  = stack(x, with attention to encoded, padded on the left) table^T
 * As in the original attention sees what lies behind the inputs of a text, zeros, so that these
 * depend on the length of the longest of their batch; while decoding it is hidden, which is what
 * the original gives of a text alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/models/cnn_parts.h"
#include "train/models/model_keys.h"
#include "train/models/slice_net_parts.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/axes.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/fill.h"
#include "train/ops/image_layout.h"
#include "train/ops/mark_rows.h"
#include "train/ops/slices.h"

enum { MULTIPLE = 16, PIXEL_TAPS = 3 };

static const char body[] = "slice_net/body/slicenet";
static const double norm_epsilon = 1e-6; /* common_layers.layer_norm's, whatever the hparams say */

static int64_t encoder_layers(const struct mdl_hparams *hp)
{
    return mdl_hp_int(hp, "num_hidden_layers") * 3 / 2;
}

/* ---- inputs ---- */

static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids,
                               enum mdl_tf_table use)
{
    bool scaled = mdl_tf_is(b->hp, "multiply_embedding_mode", "sqrt_depth");
    struct nn_embed e = {.ids = ids,
                         .table = mdl_tf_symbols(b, use),
                         .scale = scaled ? sqrt((double) mdl_hp_int(b->hp, "hidden_size")) : 1.0};

    return nn_embed(b->g, &e);
}

/* (B,H,W,C) -> (B, H W, D) */
static struct gr_tensor *see(const struct mdl_build *b, struct gr_tensor *images)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), C = images->dims[3];
    int64_t kernel[] = {PIXEL_TAPS, PIXEL_TAPS, C, D};
    int64_t rows[] = {images->dims[0], images->dims[1] * images->dims[2], D};
    const struct nn_conv2d how = {.padding = NN_SAME};
    char scope[MDL_SLICE_NAME_BYTES];
    struct gr_tensor *x = images;

    if (C != D) {
        snprintf(scope, sizeof scope, "%s/conv_block/conv_block_0_single", body);
        x = nn_conv2d(b->g, x, mdl_tf_variable(b, scope, "kernel", 4, kernel, GR_INIT_DEFAULT, 0.0),
                      NULL, &how);
        snprintf(scope, sizeof scope, "%s/conv_block/conv_block_norm_0", body);
        x = mdl_slice_norm(b, x, scope, norm_epsilon);
    }
    return nn_reshape(b->g, x, 3, rows);
}

/* A row of zeros, in a text padding, is hidden from convolutions. */
static struct gr_tensor *encode(const struct mdl_build *b, const struct mdl_graph *out)
{
    char scope[MDL_SLICE_NAME_BYTES];
    struct mdl_slice_stack stack = {.scope = scope,
                                    .layers = encoder_layers(b->hp),
                                    .first_layer = 1,
                                    .padding = NN_SAME};
    struct gr_tensor *x = out->images ? see(b, out->images) : embed(b, out->inputs, MDL_TF_INPUTS);

    snprintf(scope, sizeof scope, "%s/encoder", body);
    stack.mask = out->images ? nn_mark_rows(b->g, x) : out->inputs;
    x = mdl_slice_add_timing(b, x);
    x = nn_reshape(b->g, x, 4, (int64_t[]){x->dims[0], x->dims[1], 1, x->dims[2]});
    return mdl_slice_stack(b, x, &stack);
}

/* ---- targets ---- */

/* (B,1,D): the row of the targets' space; ids of zeros are embedded as nothing, and it is added. */
static struct gr_tensor *space_row(const struct mdl_build *b, int64_t B)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size"), dims[] = {B, 1, D};
    struct gr_tensor *spaces =
        mdl_tf_kernel(b, body, "target_space_embedding/kernel", MDL_TF_SPACES, D);
    struct nn_embed e = {.ids = nn_mark_rows(b->g, nn_zeros(b->g, 3, dims)),
                         .table = spaces,
                         .scale = 0.0,
                         .extra_table = spaces,
                         .extra_row = b->problem->target_space_id};

    return nn_embed(b->g, &e);
}

/* Targets moved by one, the row of their space in front: (B,L,1,D). */
static struct gr_tensor *shifted_targets(const struct mdl_build *b, struct gr_tensor *ids)
{
    int64_t B = ids->dims[0], L = ids->dims[1];
    struct gr_tensor *x = embed(b, ids, MDL_TF_TARGETS), *parts[2]; /* (B,1,D), (B, L - 1, D) */

    parts[0] = space_row(b, B);
    if (L > 1) {
        parts[1] = nn_slice_positions(b->g, x, 0, L - 1, 1);
        x = nn_join_positions(b->g, parts, 2, B);
    } else { /* the table has a gradient, too: zero */
        x = nn_add(b->g, parts[0], nn_scale(b->g, x, 0.0));
    }
    return nn_reshape(b->g, x, 4, (int64_t[]){B, L, 1, x->dims[2]});
}

static struct gr_tensor *decode(const struct mdl_build *b, const struct mdl_slice_memory *memory,
                                struct gr_tensor *ids)
{
    char merge[MDL_SLICE_NAME_BYTES], scope[MDL_SLICE_NAME_BYTES];
    struct mdl_slice_block merged = {.scope = merge,
                                     .n_units = 1,
                                     .units = {{mdl_hp_int(b->hp, "kernel_height"), 1,
                                                MDL_SLICE_MERGED}},
                                     .padding = NN_LEFT};
    const struct mdl_slice_stack stack = {.scope = scope,
                                          .layers = mdl_hp_int(b->hp, "num_hidden_layers"),
                                          .first_layer = 1 + (int) encoder_layers(b->hp),
                                          .padding = NN_LEFT,
                                          .memory = memory};
    struct gr_tensor *both[2]; /* (B, L, 1, D) each */

    snprintf(merge, sizeof merge, "%s/targets_merge", body);
    snprintf(scope, sizeof scope, "%s/decoder", body);
    both[1] = shifted_targets(b, ids);
    both[0] = mdl_slice_attention(b, both[1], memory, body);
    return mdl_slice_stack(b, mdl_slice_block(b, nn_concat_channels(b->g, both, 2), &merged),
                           &stack);
}

/* ---- whole graphs ---- */

static void add_inputs(const struct mdl_build *b, const struct mdl_shape *s, struct mdl_graph *out)
{
    int64_t image[] = {s->batch, b->problem->image.height, b->problem->image.width,
                       b->problem->image.channels};
    int64_t inputs[] = {s->batch, s->inputs_length}, targets[] = {s->batch, s->targets_length};

    if (b->problem->class_labels && image[1] > 0) {
        mdl_cnn_inputs(b, s, out);
        return;
    }
    if (image[1] > 0)
        out->images = gr_floats(b->g, 4, image);
    else
        out->inputs = gr_ids(b->g, 2, inputs);
    if (b->problem->class_labels) {
        mdl_class_targets(b, s, out);
        return;
    }
    out->targets = gr_ids(b->g, 2, targets);
    if (mdl_hp_float(b->hp, "symbol_dropout") > 0.0) /* what is embedded is not what is predicted */
        out->labels = gr_ids(b->g, 2, targets);
}

/* The original has the table of the targets' spaces all the same, and decays it: its gradient is
 * zero. */
static void classify(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                     struct mdl_graph *out)
{
    int64_t B = x->dims[0], D = x->dims[3], rows[] = {B, x->dims[1], D}, means[] = {B, D};

    x = nn_mean_positions(b->g, nn_reshape(b->g, x, 3, rows)); /* (B, 1, D) */
    x = nn_add(b->g, x, nn_scale(b->g, space_row(b, B), 0.0));
    if (out->images)
        mdl_cnn_class_top(b, nn_reshape(b->g, x, 2, means), want_logits, out);
    else
        mdl_text_class_top(b, x, want_logits, out);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_slice_memory memory = {.encoded = NULL};

    add_inputs(b, shape, out);
    mdl_tf_drop_symbols(b, out);
    memory.encoded = encode(b, out);
    if (b->problem->class_labels) {
        classify(b, memory.encoded, want_logits, out);
        return;
    }
    if (b->decodes)
        memory.ids = out->inputs;
    mdl_symbol_loss(b, decode(b, &memory, out->targets), mdl_tf_symbols(b, MDL_TF_SOFTMAX),
                    want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    bool images = problem->image.height > 0;

    if (problem->speech || problem->table || problem->sentences ||
        problem->target != MDL_TARGET_IDS || problem->pixels.height > 0 ||
        (!images && !problem->has_inputs))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "slice_net needs a problem of images or texts as inputs, and texts or class "
                       "labels as targets");
    if (!mdl_hp_has(hp, "kernel_scheme"))
        return mdl_fail_key("slice_net", hp, "kernel_scheme", "slicenet_1", err);
    if (mdl_tf_string(hp, "prepend_mode")[0])
        return t2_fail(err, T2_EUNSUPPORTED, "slice_net: prepend_mode is not supported");
    return mdl_slice_check(hp, !problem->class_labels, err);
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp;
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED, "slice_net takes one text per row, not packed data");
    return T2_OK;
}

const struct mdl_kind mdl_slice_net = {.name = "slice_net",
                                       .own_set = "slicenet_1",
                                       .describes_images = true,
                                       .timescales = MDL_SLICE_TIMESCALES,
                                       .check = check,
                                       .check_shape = check_shape,
                                       .build = build,
                                       .prefix_multiple = MULTIPLE};
