/*
 * train/models/lstm_encoder.c - Tensor2Tensor's LSTM encoder alone: class labels of texts.
 *
 * models/lstm.py of release 1.15.7, LSTMEncoder: the layers of lstm_seq2seq's encoder, from the
 * last position to the first; the mean over all positions, padding's zeros too, and a dense layer.
 */
#include "train/models/lstm_parts.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"

static const char model[] = "lstm_encoder";

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t inputs[] = {shape->batch, shape->inputs_length};
    struct gr_tensor *states[MDL_LSTM_MOST_LAYERS], *x;

    mdl_class_targets(b, shape, out);
    out->inputs = gr_ids(b->g, 2, inputs);
    mdl_tf_drop_symbols(b, out);
    x = mdl_lstm_encode(b, "encoder", false, mdl_lstm_embed(b, out->inputs, false), out->inputs,
                        states); /* (B, L, H) */
    mdl_text_class_top(b, nn_mean_positions(b->g, nn_convert(b->g, x, b->g->type)), want_logits,
                       out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    if (!problem->has_inputs || !problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs a problem with inputs whose targets are class labels", model);
    return mdl_lstm_check(model, hp, problem, err);
}

const struct mdl_kind mdl_lstm_encoder = {
    .name = model,
    .own_set = "lstm_seq2seq",
    .check = check,
    .check_shape = mdl_lstm_check_shape,
    .build = build,
};
