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
 * Without inputs the decoder begins with zeros.  Dropout is that of each layer's input.  Positions
 * behind a row's length (ids that are not 0, and one) give zeros, as in tf.nn.dynamic_rnn.
 *
 * It is decoded from the whole prefix at every step, as the original does (prefix_search.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/lstm.h"
#include "train/ops/residual.h"

enum { MULTIPLE = 8, MOST_LAYERS = 32 };

static const char one_way[] = "lstm_seq2seq", two_ways[] = "lstm_seq2seq_bidirectional_encoder";
static const char own_set[] = "lstm_seq2seq";

static bool is_two_ways(const struct mdl_build *b)
{
    return b->model == two_ways;
}

/* ---- layers ---- */

/* The layers of one direction. */
struct stack {
    const char *scope; /* of the body */
    struct gr_tensor *lengths;
    bool reverse;
    int64_t hidden;
    struct gr_tensor *const *initial; /* (2, B, H) by layer; NULL: zeros */
};

/* x (B,T,I) -> (B,T,H); states[l] (2,B,H) are the last ones. */
static struct gr_tensor *layers(const struct mdl_build *b, struct gr_tensor *x,
                                const struct stack *s, struct gr_tensor **states)
{
    for (int64_t l = 0; l < mdl_hp_int(b->hp, "num_hidden_layers"); l++) {
        char scope[MDL_TF_FULL_NAME_BYTES];
        struct nn_lstm how = {.lengths = s->lengths,
                              .reverse = s->reverse,
                              .initial = s->initial ? s->initial[l] : NULL};

        snprintf(scope, sizeof scope, "%s/body/%s/%s/multi_rnn_cell/cell_%" PRId64 "/lstm_cell",
                 b->model, is_two_ways(b) ? "lstm_seq2seq_bid_encoder" : "lstm_seq2seq", s->scope,
                 l);
        how.w = mdl_tf_kernel(b, scope, "kernel", x->dims[2] + s->hidden, 4 * s->hidden);
        how.bias = mdl_tf_vector(b, scope, "bias", 4 * s->hidden, GR_INIT_ZEROS);
        x = nn_dropout(b->g, x, mdl_hp_float(b->hp, "dropout"));
        x = nn_lstm(b->g, x, &how, &states[l]);
    }
    return x;
}

/* Two states (2,B,H) side by side, (2,B,2H). */
static struct gr_tensor *join(const struct mdl_build *b, struct gr_tensor *forward,
                              struct gr_tensor *backward)
{
    int64_t B = forward->dims[1], H = forward->dims[2];
    const int64_t four[] = {1, 2, B, H}, three[] = {2, B, 2 * H};
    struct gr_tensor *both[] = {nn_reshape(b->g, forward, 4, four),
                                nn_reshape(b->g, backward, 4, four)};

    return nn_reshape(b->g, nn_concat_channels(b->g, both, 2), 3, three);
}

static void encode(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *ids,
                   struct gr_tensor **states)
{
    int64_t H = mdl_hp_int(b->hp, "hidden_size");
    struct gr_tensor *lengths = nn_lengths(b->g, ids, ids->dims[1], 0);
    struct gr_tensor *backward[MOST_LAYERS];
    struct stack s = {.scope = "encoder/rnn", .lengths = lengths, .reverse = true, .hidden = H};

    if (!is_two_ways(b)) {
        (void) layers(b, x, &s, states);
        return;
    }
    s.scope = "encoder/bidirectional_rnn/bw";
    (void) layers(b, x, &s, backward);
    s.scope = "encoder/bidirectional_rnn/fw";
    s.reverse = false;
    (void) layers(b, x, &s, states);
    for (int64_t l = 0; l < mdl_hp_int(b->hp, "num_hidden_layers"); l++)
        states[l] = join(b, states[l], backward[l]);
}

/* ---- the graph ---- */

static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids, bool targets)
{
    bool scaled = mdl_tf_is(b->hp, "multiply_embedding_mode", "sqrt_depth");
    struct nn_embed e = {.ids = ids,
                         .table = mdl_tf_symbols(b, targets ? MDL_TF_TARGETS : MDL_TF_INPUTS),
                         .scale = scaled ? sqrt((double) mdl_hp_int(b->hp, "hidden_size")) : 1.0,
                         .shift_right = targets};

    return nn_embed(b->g, &e);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t targets[] = {shape->batch, shape->targets_length};
    int64_t inputs[] = {shape->batch, shape->inputs_length};
    int64_t H = mdl_hp_int(b->hp, "hidden_size");
    struct gr_tensor *states[MOST_LAYERS] = {0}, *last[MOST_LAYERS], *table, *y;
    struct stack decoder = {.scope = "decoder/rnn", .hidden = is_two_ways(b) ? 2 * H : H};

    out->targets = gr_ids(b->g, 2, targets);
    if (b->problem->has_inputs)
        out->inputs = gr_ids(b->g, 2, inputs);
    if (mdl_hp_float(b->hp, "symbol_dropout") > 0.0) /* what is embedded is not what is predicted */
        out->labels = gr_ids(b->g, 2, targets);
    mdl_tf_drop_symbols(b, out);
    if (out->inputs) {
        encode(b, embed(b, out->inputs, false), out->inputs, states);
        decoder.initial = states;
    }
    /* of the targets shifted right, whose first position is one more */
    decoder.lengths = nn_lengths(b->g, out->targets, shape->targets_length - 1, 1);
    y = layers(b, embed(b, out->targets, true), &decoder, last); /* (B, T, H) or (B, T, 2H) */
    table = mdl_tf_symbols_of(b, MDL_TF_SOFTMAX, decoder.hidden);
    mdl_symbol_loss(b, y, table, want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check_numbers(const char *model, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rows[] = {{"hidden_size", 1, 1 << 16},
                {"num_hidden_layers", 1, MOST_LAYERS},
                {"vocab_divisor", 1, 1 << 20},
                {"symbol_modality_num_shards", 1, 64}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = mdl_hp_int(hp, rows[i].hparam);

        if (value < rows[i].least || value > rows[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "%s: %s=%" PRId64 " must lie between %" PRId64 " and %" PRId64, model,
                           rows[i].hparam, value, rows[i].least, rows[i].most);
    }
    return T2_OK;
}

static enum t2_status check_of(const char *model, const struct mdl_hparams *hp,
                               const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->class_labels || problem->speech || problem->image.height > 0)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem of texts", model);
    if (mdl_tf_string(hp, "prepend_mode")[0])
        return t2_fail(err, T2_EUNSUPPORTED, "%s: prepend_mode is not supported", model);
    if (mdl_tf_is(hp, "initializer", "orthogonal"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: initializer=orthogonal is not supported (nor is it in the original)",
                       model);
    if (model == two_ways && mdl_hp_bool(hp, "shared_embedding_and_softmax_weights") &&
        (!problem->has_inputs || problem->inputs_vocab == problem->targets_vocab))
        return t2_fail(err, T2_EUSAGE,
                       "%s: shared_embedding_and_softmax_weights=true does not fit, as the decoder "
                       "is twice as wide as the embeddings",
                       model);
    return check_numbers(model, hp, err);
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

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp;
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "lstm_seq2seq takes one text per row, not packed data");
    return T2_OK;
}

const struct mdl_kind mdl_lstm_seq2seq = {
    .name = one_way,
    .own_set = own_set,
    .check = check,
    .check_shape = check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};

const struct mdl_kind mdl_lstm_seq2seq_bidirectional_encoder = {
    .name = two_ways,
    .own_set = own_set,
    .check = check_two_ways,
    .check_shape = check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};
