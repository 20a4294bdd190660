/*
 * train/models/lstm_seq2seq.c - Tensor2Tensor's LSTM from sequence to sequence (Sutskever et al.
 * 2014), with an encoder of one direction or of both.
 *
 * models/lstm.py of release 1.15.7, lstm_seq2seq_internal and lstm_seq2seq_internal_bid_encoder.
 * With L = num_hidden_layers and H = hidden_size:
 *   encoder:  L layers over the inputs, from the last to the first; their last states are where the
 *             decoder's layers begin
 *   of both directions: L more from the first to the last, which do not see the others; the states
 *             of a layer are joined, and the decoder's are 2 H wide
 *   decoder:  L layers over the targets, shifted right by one position; logits = y softmax_table^T
 * Without inputs the decoder begins with zeros.  Rows are as long as they have ids that are not 0,
 * and one.
 *
 * It is decoded from the whole prefix at every step, as the original does (prefix_search.h).
 */
#include "train/models/lstm_parts.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/ops/lstm.h"

enum { MULTIPLE = 8 };

static const char one_way[] = "lstm_seq2seq", two_ways[] = "lstm_seq2seq_bidirectional_encoder";
static const char own_set[] = "lstm_seq2seq";

static bool is_two_ways(const struct mdl_build *b)
{
    return b->model == two_ways;
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t targets[] = {shape->batch, shape->targets_length};
    int64_t inputs[] = {shape->batch, shape->inputs_length};
    int64_t H = mdl_hp_int(b->hp, "hidden_size");
    bool both = is_two_ways(b);
    struct gr_tensor *states[MDL_LSTM_MOST_LAYERS] = {0}, *last[MDL_LSTM_MOST_LAYERS], *table, *y;
    struct mdl_lstm_stack decoder = {.scope = both ? "lstm_seq2seq_bid_encoder/decoder/rnn"
                                                   : "lstm_seq2seq/decoder/rnn",
                                     .hidden = both ? 2 * H : H};

    out->targets = gr_ids(b->g, 2, targets);
    if (b->problem->has_inputs)
        out->inputs = gr_ids(b->g, 2, inputs);
    if (mdl_hp_float(b->hp, "symbol_dropout") > 0.0) /* what is embedded is not what is predicted */
        out->labels = gr_ids(b->g, 2, targets);
    mdl_tf_drop_symbols(b, out);
    if (out->inputs) {
        (void) mdl_lstm_encode(b,
                               both ? "lstm_seq2seq_bid_encoder/encoder" : "lstm_seq2seq/encoder",
                               both, mdl_lstm_embed(b, out->inputs, false), out->inputs, states);
        decoder.initial = states;
    }
    /* of the targets shifted right, whose first position is one more */
    decoder.lengths = nn_lengths(b->g, out->targets, shape->targets_length - 1, 1);
    /* (B, T, H) or (B, T, 2H) */
    y = mdl_lstm_layers(b, mdl_lstm_embed(b, out->targets, true), &decoder, last);
    table = mdl_tf_symbols_of(b, MDL_TF_SOFTMAX, decoder.hidden);
    mdl_symbol_loss(b, y, table, want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check_of(const char *model, const struct mdl_hparams *hp,
                               const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem of texts", model);
    if (model == two_ways && mdl_hp_bool(hp, "shared_embedding_and_softmax_weights") &&
        (!problem->has_inputs || problem->inputs_vocab == problem->targets_vocab))
        return t2_fail(err, T2_EUSAGE,
                       "%s: shared_embedding_and_softmax_weights=true does not fit, as the decoder "
                       "is twice as wide as the embeddings",
                       model);
    return mdl_lstm_check(model, hp, problem, err);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    return check_of(one_way, hp, problem, err);
}

static enum t2_status check_two_ways(const struct mdl_hparams *hp,
                                     const struct mdl_problem *problem, struct t2_err *err)
{
    return check_of(two_ways, hp, problem, err);
}

const struct mdl_kind mdl_lstm_seq2seq = {
    .name = one_way,
    .own_set = own_set,
    .check = check,
    .check_shape = mdl_lstm_check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};

const struct mdl_kind mdl_lstm_seq2seq_bidirectional_encoder = {
    .name = two_ways,
    .own_set = own_set,
    .check = check_two_ways,
    .check_shape = mdl_lstm_check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};
