/*
 * train/models/byte_net.c - Tensor2Tensor's ByteNet (Kalchbrenner et al. 2016): texts through
 * dilated convolutions.
 *
 * models/bytenet.py, conv_block of layers/common_layers.py; spec t2t-trainer.md §5.3.  Positions
 * are the height of images of width 1, so tensors are (B,L,1,D).
 *   unit k:   norm(conv(relu(x))), kernel_height taps, 2^k positions apart, no bias
 *   stack:    num_block_repeat times x += dropout(units 0, 1, … (norm(x)))
 *   encoded = stack(embedded inputs), padded on both sides
 *   x = stack(unit 0([encoded, targets shifted right])), padded on the left;  logits = x table^T
 * Output position l sees encoded position l, so inputs and targets are padded to one length, half
 * as much again as the inputs; there is no attention between them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/models/model_keys.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/ops/conv2d.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/residual.h"

enum { MULTIPLE = 50, MOST_DILATIONS = 20 };

/* The length of both sides: the inputs' and half of it, or the targets', rounded up to MULTIPLE. */
static int64_t padded_length(const struct mdl_shape *s)
{
    int64_t inputs = s->inputs_length + s->inputs_length / 2;
    int64_t longest = inputs > s->targets_length ? inputs : s->targets_length;

    return (longest + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

/* Graphs are cached by the padded length, so many shapes share one. */
static void round_shape(struct mdl_shape *s)
{
    s->targets_length = (int32_t) padded_length(s);
    s->inputs_length = 1;
}

static struct gr_tensor *norm(const struct mdl_build *b, struct gr_tensor *x, const char *scope)
{
    int64_t n = x->dims[x->rank - 1];

    return nn_layer_norm(b->g, x, mdl_tf_vector(b, scope, "layer_norm_scale", n, GR_INIT_ONES),
                         mdl_tf_vector(b, scope, "layer_norm_bias", n, GR_INIT_ZEROS), 1e-6);
}

/* Unit `number` of a conv_block: ReLU, convolution without bias, layer normalisation. */
static struct gr_tensor *unit(const struct mdl_build *b, struct gr_tensor *x, const char *block,
                              int number, enum nn_padding padding)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    int64_t dims[] = {mdl_hp_int(b->hp, "kernel_height"), 1, x->dims[3], hidden};
    struct nn_conv2d how = {.stride = 1, .dilation = (int64_t) 1 << number, .padding = padding};
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *kernel; /* (taps, 1, C, D) */

    snprintf(scope, sizeof scope, "%s/conv_block_%d_single", block, number);
    kernel = mdl_tf_variable(b, scope, "kernel", 4, dims, GR_INIT_DEFAULT, 0.0);
    x = nn_conv2d(b->g, nn_relu(b->g, x), kernel, NULL, &how);
    snprintf(scope, sizeof scope, "%s/conv_block_norm_%d", block, number);
    return norm(b, x, scope);
}

/* residual_dilated_conv; the layers of the graph (gr_layer) are numbered from `layer` on. */
static struct gr_tensor *stack(const struct mdl_build *b, struct gr_tensor *x, const char *name,
                               enum nn_padding padding, int layer)
{
    int64_t repeats = mdl_hp_int(b->hp, "num_block_repeat");
    int64_t dilations = mdl_hp_int(b->hp, "num_hidden_layers");
    char scope[MDL_TF_NAME_BYTES / 2], inner[MDL_TF_NAME_BYTES];

    for (int64_t i = 0; i < repeats; i++) {
        struct gr_tensor *y;

        gr_layer(b->g, layer + (int) i);
        snprintf(scope, sizeof scope, "%s/body/bytenet/%s/repeat_%" PRId64, b->model, name, i);
        snprintf(inner, sizeof inner, "%s/lnorm", scope);
        y = norm(b, x, inner);
        snprintf(inner, sizeof inner, "%s/residual_conv", scope);
        for (int k = 0; k < (int) dilations; k++)
            y = unit(b, y, inner, k, padding);
        x = nn_residual(b->g, x, y, NULL, mdl_hp_float(b->hp, "dropout"));
    }
    gr_layer(b->g, 0);
    return x;
}

static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids, bool targets)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    int64_t dims[] = {ids->dims[0], ids->dims[1], 1, hidden};
    bool scaled = mdl_tf_is(b->hp, "multiply_embedding_mode", "sqrt_depth");
    struct nn_embed e = {.ids = ids,
                         .table = mdl_tf_symbols(b, targets ? MDL_TF_TARGETS : MDL_TF_INPUTS),
                         .scale = scaled ? sqrt((double) hidden) : 1.0,
                         .shift_right = targets};

    return nn_reshape(b->g, nn_embed(b->g, &e), 4, dims);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t ids[] = {shape->batch, padded_length(shape)};
    int repeats = (int) mdl_hp_int(b->hp, "num_block_repeat");
    struct gr_tensor *both[2], *x; /* (B, L, 1, D) each */
    char start[MDL_TF_NAME_BYTES];

    out->inputs = gr_ids(b->g, 2, ids);
    out->targets = gr_ids(b->g, 2, ids);
    if (mdl_hp_float(b->hp, "symbol_dropout") > 0.0) /* what is embedded is not what is predicted */
        out->labels = gr_ids(b->g, 2, ids);
    mdl_tf_drop_symbols(b, out);
    both[0] = stack(b, embed(b, out->inputs, false), "encoder", NN_SAME, 1);
    both[1] = embed(b, out->targets, true);
    snprintf(start, sizeof start, "%s/body/bytenet/conv_block", b->model);
    x = unit(b, nn_concat_channels(b->g, both, 2), start, 0, NN_LEFT);
    x = stack(b, x, "decoder", NN_LEFT, 1 + repeats);
    mdl_symbol_loss(b, x, mdl_tf_symbols(b, MDL_TF_SOFTMAX), want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check_numbers(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rows[] = {{"hidden_size", 1, 1 << 20},
                {"num_block_repeat", 1, 1000},
                {"num_hidden_layers", 1, MOST_DILATIONS},
                {"kernel_height", 1, 1001},
                {"kernel_width", 1, 1},
                {"vocab_divisor", 1, 1 << 20},
                {"symbol_modality_num_shards", 1, 64}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = mdl_hp_int(hp, rows[i].hparam);

        if (value < rows[i].least || value > rows[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "byte_net: %s=%" PRId64 " must lie between %" PRId64 " and %" PRId64,
                           rows[i].hparam, value, rows[i].least, rows[i].most);
    }
    if (mdl_hp_int(hp, "kernel_height") % 2 == 0)
        return t2_fail(err, T2_EUSAGE, "byte_net: kernel_height=%" PRId64 " must be odd",
                       mdl_hp_int(hp, "kernel_height"));
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    if (!problem->has_inputs || problem->class_labels || problem->image.height > 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "byte_net needs a problem of text with inputs and targets");
    if (!mdl_hp_has(hp, "num_block_repeat"))
        return mdl_fail_key("byte_net", hp, "num_block_repeat", "bytenet_base", err);
    if (mdl_tf_string(hp, "prepend_mode")[0])
        return t2_fail(err, T2_EUNSUPPORTED, "byte_net: prepend_mode is not supported");
    return check_numbers(hp, err);
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp;
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED, "byte_net takes one text per row, not packed data");
    return T2_OK;
}

const struct mdl_kind mdl_byte_net = {.name = "byte_net",
                                      .own_set = "bytenet_base",
                                      .check = check,
                                      .check_shape = check_shape,
                                      .round_shape = round_shape,
                                      .build = build,
                                      .prefix_multiple = MULTIPLE};
