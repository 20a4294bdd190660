/*
 * train/models/lstm_parts.c - what Tensor2Tensor's LSTM models have in common.
 */
#include "train/models/lstm_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/models/transformer_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/lstm.h"
#include "train/ops/residual.h"

/* ---- layers ---- */

void mdl_lstm_cell(const struct mdl_build *b, const char *scope, int64_t l, int64_t I, int64_t H,
                   struct gr_tensor **kernel, struct gr_tensor **bias)
{
    char name[MDL_TF_FULL_NAME_BYTES];

    snprintf(name, sizeof name, "%s/body/%s/multi_rnn_cell/cell_%" PRId64 "/lstm_cell", b->model,
             scope, l);
    *kernel = mdl_tf_kernel(b, name, "kernel", I + H, 4 * H);
    *bias = mdl_tf_vector(b, name, "bias", 4 * H, GR_INIT_ZEROS);
}

struct gr_tensor *mdl_lstm_layers(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_lstm_stack *s, struct gr_tensor **states)
{
    for (int64_t l = 0; l < mdl_hp_int(b->hp, "num_hidden_layers"); l++) {
        struct nn_lstm how = {.lengths = s->lengths,
                              .reverse = s->reverse,
                              .initial = s->initial ? s->initial[l] : NULL};

        mdl_lstm_cell(b, s->scope, l, x->dims[2], s->hidden, &how.w, &how.bias);
        x = nn_dropout(b->g, x, mdl_hp_float(b->hp, "dropout"));
        x = nn_lstm(b->g, x, &how, &states[l]);
    }
    return x;
}

/* ---- encoders ---- */

/* Two tensors (A,B,H) side by side, (A,B,2H). */
static struct gr_tensor *join(const struct mdl_build *b, struct gr_tensor *forward,
                              struct gr_tensor *backward)
{
    const int64_t *d = forward->dims;
    const int64_t four[] = {1, d[0], d[1], d[2]}, three[] = {d[0], d[1], 2 * d[2]};
    struct gr_tensor *both[] = {nn_reshape(b->g, forward, 4, four),
                                nn_reshape(b->g, backward, 4, four)};

    return nn_reshape(b->g, nn_concat_channels(b->g, both, 2), 3, three);
}

struct gr_tensor *mdl_lstm_encode(const struct mdl_build *b, const char *scope, bool both_ways,
                                  struct gr_tensor *x, struct gr_tensor *ids,
                                  struct gr_tensor **states)
{
    char name[MDL_TF_NAME_BYTES];
    struct gr_tensor *lengths = nn_lengths(b->g, ids, ids->dims[1], 0), *y;
    struct gr_tensor *backward[MDL_LSTM_MOST_LAYERS];
    struct mdl_lstm_stack s = {.scope = name,
                               .lengths = lengths,
                               .reverse = true,
                               .hidden = mdl_hp_int(b->hp, "hidden_size")};

    snprintf(name, sizeof name, "%s/%s", scope, both_ways ? "bidirectional_rnn/bw" : "rnn");
    y = mdl_lstm_layers(b, x, &s, both_ways ? backward : states);
    if (!both_ways)
        return y;
    snprintf(name, sizeof name, "%s/bidirectional_rnn/fw", scope);
    s.reverse = false;
    x = mdl_lstm_layers(b, x, &s, states);
    for (int64_t l = 0; l < mdl_hp_int(b->hp, "num_hidden_layers"); l++)
        states[l] = join(b, states[l], backward[l]);
    return join(b, x, y);
}

struct gr_tensor *mdl_lstm_embed(const struct mdl_build *b, struct gr_tensor *ids, bool targets)
{
    bool scaled = mdl_tf_is(b->hp, "multiply_embedding_mode", "sqrt_depth");
    struct nn_embed e = {.ids = ids,
                         .table = mdl_tf_symbols(b, targets ? MDL_TF_TARGETS : MDL_TF_INPUTS),
                         .scale = scaled ? sqrt((double) mdl_hp_int(b->hp, "hidden_size")) : 1.0,
                         .shift_right = targets};

    return nn_embed(b->g, &e);
}

/* ---- refusals ---- */

static enum t2_status check_numbers(const char *model, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rows[] = {{"hidden_size", 1, 1 << 16},
                {"num_hidden_layers", 1, MDL_LSTM_MOST_LAYERS},
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

enum t2_status mdl_lstm_check(const char *model, const struct mdl_hparams *hp,
                              const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->speech || problem->image.height > 0)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem of texts", model);
    if (mdl_tf_string(hp, "prepend_mode")[0])
        return t2_fail(err, T2_EUNSUPPORTED, "%s: prepend_mode is not supported", model);
    if (mdl_tf_is(hp, "initializer", "orthogonal"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: initializer=orthogonal is not supported (nor is it in the original)",
                       model);
    return check_numbers(model, hp, err);
}

enum t2_status mdl_lstm_check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp;
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "lstm_seq2seq takes one text per row, not packed data");
    return T2_OK;
}
