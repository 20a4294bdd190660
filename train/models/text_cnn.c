/*
 * train/models/text_cnn.c - Tensor2Tensor's convolutions of several widths over a text (Kim 2014):
 * class labels.
 *
 * models/text_cnn.py of release 1.15.7.  With embedded ids x (B,L,D) and for each k of filter_sizes
 *   y_k = maximum over positions 0 .. L - k of relu(x[l .. l + k - 1] W_k + b_k)   num_filters
 * numbers the class is a dense layer of dropout([y_2; y_3; …]).  Padding's zeros take part.  A
 * batch of texts shorter than k has one position, with zeros behind its end; the original fails.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/models/lstm_parts.h"
#include "train/models/model_keys.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/conv.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/linear.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

enum { MOST_WIDTHS = GR_MAX_INPUTS, MOST_WIDTH = 256, MOST_FILTERS = 1 << 16 };

static const char model[] = "text_cnn", own_set[] = "text_cnn_base";

/* The original makes them as tf.Variable, which no initializer of hparams reaches, and which have
 * the graph's name scopes in their names. */
static const double deviation = 0.1, first_bias = 0.1;

/* x (B,L,D) -> (B,1,1,num_filters) */
static struct gr_tensor *widest(const struct mdl_build *b, struct gr_tensor *x, int64_t width)
{
    int64_t D = x->dims[2], n = mdl_hp_int(b->hp, "num_filters"), kernel[] = {width, D, 1, n};
    int64_t L = x->dims[1] >= width ? x->dims[1] - width + 1 : 1, column[] = {x->dims[0], L, 1, n};
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *w, *bias;

    snprintf(scope, sizeof scope, "%s/parallel_0_4/%s/%s/body/conv-maxpool-%" PRId64, model, model,
             model, width);
    w = mdl_tf_variable(b, scope, "W", 4, kernel, GR_INIT_TRUNCATED_NORMAL, deviation);
    bias = mdl_tf_variable(b, scope, "b", 1, &n, GR_INIT_CONSTANT, first_bias);
    x = nn_unfold(b->g, x, &(struct nn_unfold){.taps = width, .scale = 1.0}); /* (B,L,width*D) */
    x = nn_linear(b->g, x, w, bias, true, 0.0);
    if (L < x->dims[1])
        x = nn_slice_positions(b->g, x, 0, L, 1);
    /* one window over all positions */
    return nn_max_pool(b->g, nn_reshape(b->g, x, 4, column), L, L, NN_SAME);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t inputs[] = {shape->batch, shape->inputs_length};
    size_t n_widths;
    const int64_t *widths = mdl_hp_ints(b->hp, "filter_sizes", &n_widths);
    int64_t all[] = {shape->batch, 1, (int64_t) n_widths * mdl_hp_int(b->hp, "num_filters")};
    struct gr_tensor *x, *y[MOST_WIDTHS];

    mdl_class_targets(b, shape, out);
    out->inputs = gr_ids(b->g, 2, inputs);
    mdl_tf_drop_symbols(b, out);
    x = mdl_lstm_embed(b, out->inputs, false); /* (B, L, D) */
    for (size_t i = 0; i < n_widths; i++)
        y[i] = widest(b, x, widths[i]);
    x = n_widths > 1 ? nn_concat_channels(b->g, y, (int) n_widths) : y[0];
    x = nn_dropout(b->g, nn_reshape(b->g, x, 3, all), mdl_hp_float(b->hp, "output_dropout"));
    mdl_text_class_top(b, x, want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    size_t n_widths;
    const int64_t *widths;
    int64_t n;

    if (!problem->has_inputs || !problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs a problem with inputs whose targets are class labels", model);
    T2_TRY(mdl_check_keys_of(model, hp, own_set, err));
    n = mdl_hp_int(hp, "num_filters");
    widths = mdl_hp_ints(hp, "filter_sizes", &n_widths);
    if (n < 1 || n > MOST_FILTERS || n_widths < 1 || n_widths > MOST_WIDTHS)
        return t2_fail(err, T2_EUSAGE,
                       "%s: num_filters must lie between 1 and %d, and filter_sizes have 1 to %d "
                       "numbers",
                       model, MOST_FILTERS, MOST_WIDTHS);
    for (size_t i = 0; i < n_widths; i++) {
        if (widths[i] < 1 || widths[i] > MOST_WIDTH)
            return t2_fail(err, T2_EUSAGE,
                           "%s: filter_sizes must lie between 1 and %d, not %" PRId64, model,
                           MOST_WIDTH, widths[i]);
        for (size_t earlier = 0; earlier < i; earlier++)
            if (widths[earlier] == widths[i])
                return t2_fail(err, T2_EUSAGE, "%s: filter_sizes has %" PRId64 " twice", model,
                               widths[i]);
    }
    return mdl_lstm_check(model, hp, problem, err);
}

const struct mdl_kind mdl_text_cnn = {
    .name = model,
    .own_set = own_set,
    .check = check,
    .check_shape = mdl_lstm_check_shape,
    .build = build,
};
