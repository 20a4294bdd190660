/*
 * train/models/lstm_attention.c - Tensor2Tensor's LSTM from sequence to sequence with attention to
 * the encoder's outputs (Bahdanau et al. 2014, Luong et al. 2015).
 *
 * models/lstm.py of release 1.15.7, lstm_seq2seq_internal_attention and the same of the
 * bidirectional encoder; the decoder is tf.contrib.seq2seq.AttentionWrapper.  The encoder is that
 * of lstm_seq2seq.  With memory m (B,L,E), its outputs, and keys k = m W_memory (B,L,N), N the
 * decoder's hidden size, a step t of the decoder is h = LSTM layers of [x_t; a_(t-1)], a_(-1) = 0
 *   for each of the heads i:
 *     luong:     e_l = h . k_l
 *     bahdanau:  e_l = v_i . tanh(k_l + h W_query)
 *     a_(t,i) = [h; sum over l of softmax(e)_l m_l] A_i,   a_t = [a_(t,0); a_(t,1); …]
 * and gives a_t; of several heads through a dense layer.
 * Padding of the inputs takes part in the softmax, with keys and memory of 0, as in the original:
 * it gives no lengths to the attention; it is decoded as if each text were alone, without padding.
 * With max_area_width above 1 keys and memory are those of areas (area_attention.h), and those with
 * padding are left out.
 * Luong's heads have one softmax, as nothing in it differs.
 *
 * A graph has the nodes of each step; attention is ops/attention.h with one query: bahdanau's e_l
 * are keys of one channel, which meet a query of 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/models/area_attention.h"
#include "train/models/lstm_parts.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/ops/attention.h"
#include "train/ops/cast.h"
#include "train/ops/elementwise.h"
#include "train/ops/fill.h"
#include "train/ops/image_layout.h"
#include "train/ops/linear.h"
#include "train/ops/lstm.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

enum { MULTIPLE = 8, MOST_HEADS = 8, MOST_TARGETS = 4096 };

static const char one_way[] = "lstm_seq2seq_attention";
static const char two_ways[] = "lstm_seq2seq_attention_bidirectional_encoder";
static const char own_set[] = "lstm_luong_attention";

/* The decoder while its steps are built. */
struct decoder {
    const struct mdl_build *b;
    const char *scope; /* "lstm_seq2seq_attention" below the body */
    struct gr_tensor *inputs, *targets;
    int64_t B, N, n_layers, heads, size; /* N: hidden size; size: of a head's attention */
    bool additive;                       /* bahdanau */
    struct gr_tensor *memory, *keys, *query;
    struct gr_tensor *seen; /* ids of what is attended to, 0 where nothing is; NULL: all of it */
    struct gr_tensor *v[MOST_HEADS], *attention[MOST_HEADS];
    struct gr_tensor *kernel[MDL_LSTM_MOST_LAYERS], *bias[MDL_LSTM_MOST_LAYERS];
    struct gr_tensor *states[MDL_LSTM_MOST_LAYERS]; /* (2, B, N), in front of the step */
};

/* "<model>/body/<scope>/<name>[_<i>]" */
static void name_of(const struct decoder *d, const char *name, int64_t i,
                    char full[MDL_TF_FULL_NAME_BYTES])
{
    char number[24] = "";

    if (i > 0)
        snprintf(number, sizeof number, "_%" PRId64, i);
    snprintf(full, MDL_TF_FULL_NAME_BYTES, "%s/body/%s/%s%s", d->b->model, d->scope, name, number);
}

static void make_variables(struct decoder *d, int64_t width)
{
    char scope[MDL_TF_FULL_NAME_BYTES], cells[MDL_TF_NAME_BYTES];
    int64_t E = d->memory->dims[2];

    snprintf(cells, sizeof cells, "%s/decoder/rnn/attention_wrapper", d->scope);
    for (int64_t l = 0; l < d->n_layers; l++)
        mdl_lstm_cell(d->b, cells, l, l == 0 ? width + d->heads * d->size : d->N, d->N,
                      &d->kernel[l], &d->bias[l]);
    if (d->additive) {
        name_of(d, "decoder/rnn/attention_wrapper/bahdanau_attention/query_layer", 0, scope);
        d->query = mdl_tf_kernel(d->b, scope, "kernel", d->N, d->N);
    }
    for (int64_t i = 0; i < d->heads; i++) {
        name_of(d, "decoder/rnn/attention_wrapper/attention_layer", i, scope);
        d->attention[i] = mdl_tf_kernel(d->b, scope, "kernel", d->N + E, d->size);
        name_of(d, "decoder/rnn/attention_wrapper/bahdanau_attention", i, scope);
        if (d->additive)
            d->v[i] = mdl_tf_vector(d->b, scope, "attention_v", d->N, GR_INIT_DEFAULT);
    }
}

/* x[i] (B,1,C_i), no two the same -> (B,1,sum of C_i) */
static struct gr_tensor *side_by_side(const struct decoder *d, struct gr_tensor *const *x, int n)
{
    struct gr_tensor *images[MOST_HEADS], *y;
    int64_t dims[] = {d->B, 1, 0};

    if (n == 1)
        return x[0];
    for (int i = 0; i < n; i++) {
        int64_t image[] = {d->B, 1, 1, x[i]->dims[2]};

        images[i] = nn_reshape(d->b->g, x[i], 4, image);
        dims[2] += x[i]->dims[2];
    }
    y = nn_concat_channels(d->b->g, images, n);
    return nn_reshape(d->b->g, y, 3, dims);
}

/* e (B,L,1) of head i, h W_query as q (B,1,N) */
static struct gr_tensor *additive_scores(const struct decoder *d, struct gr_tensor *q, int64_t i)
{
    struct gr_graph *g = d->b->g;
    struct gr_tensor *sum = nn_add(g, d->keys, nn_repeat(g, q, d->keys->dims[1]));

    return nn_linear(g, nn_tanh(g, sum), d->v[i], NULL, false, 0.0);
}

/* h (B,1,N) -> the sum of the memory, (B,1,E) */
static struct gr_tensor *context_of(const struct decoder *d, struct gr_tensor *h, int64_t i)
{
    struct gr_graph *g = d->b->g;
    struct nn_attention how = {.heads = 1, .key_ids = d->seen, .scale = 1.0, .q_per_key = 1};
    int64_t one[] = {d->B, 1, 1};
    struct gr_tensor *q;

    if (!d->additive)
        return nn_attention(g, h, d->keys, d->memory, &how);
    q = nn_linear(g, h, d->query, NULL, false, 0.0);
    return nn_attention(g, nn_reshape(g, nn_filled(g, d->targets, -1), 3, one),
                        additive_scores(d, q, i), d->memory, &how);
}

/* a (B,1,heads * size) of h */
static struct gr_tensor *attend(const struct decoder *d, struct gr_tensor *h)
{
    struct gr_graph *g = d->b->g;
    struct gr_tensor *heads[MOST_HEADS], *both[2] = {h}, *joined = NULL;

    for (int64_t i = 0; i < d->heads; i++) {
        if (i == 0 || d->additive) {
            both[1] = context_of(d, h, i);
            joined = side_by_side(d, both, 2);
        }
        heads[i] = nn_linear(g, joined, d->attention[i], NULL, false, 0.0);
    }
    return side_by_side(d, heads, (int) d->heads);
}

/* One step of x (B,1,I), which is there in rows where `there` (B) is 1. */
static struct gr_tensor *step(struct decoder *d, struct gr_tensor *x, struct gr_tensor *there)
{
    for (int64_t l = 0; l < d->n_layers; l++) {
        struct nn_lstm how = {.w = d->kernel[l],
                              .bias = d->bias[l],
                              .lengths = there,
                              .initial = d->states[l]};

        x = nn_dropout(d->b->g, x, mdl_hp_float(d->b->hp, "dropout"));
        x = nn_convert(d->b->g, nn_lstm(d->b->g, x, &how, &d->states[l]), d->b->g->type);
    }
    return x;
}

/* y[0 .. n - 1] (B,1,C), each used once, -> (B,n,C); joins as many as a node can have. */
static struct gr_tensor *join_steps(const struct decoder *d, struct gr_tensor **y, int64_t n)
{
    while (n > 1) {
        int64_t made = 0;

        for (int64_t at = 0; at < n; at += GR_MAX_INPUTS) {
            int64_t some = n - at < GR_MAX_INPUTS ? n - at : GR_MAX_INPUTS;

            y[made++] = some == 1 ? y[at] : nn_join_positions(d->b->g, y + at, (int) some, d->B);
        }
        n = made;
    }
    return y[0];
}

/* Embedded targets, shifted right, x (B,T,I) -> (B,T,what the model gives). */
static struct gr_tensor *decode(struct decoder *d, struct gr_tensor *x)
{
    struct gr_graph *g = d->b->g;
    int64_t T = x->dims[1], zeros[] = {d->B, 1, d->heads * d->size};
    struct gr_tensor *a = nn_zeros(g, 3, zeros), *y, *w, *bias;
    struct gr_tensor **steps = gr_alloc(g, (size_t) T * sizeof *steps);
    char scope[MDL_TF_FULL_NAME_BYTES];

    for (int64_t t = 0; t < T; t++) {
        /* of the targets shifted right: position 0 is always there, t > 0 where t - 1 is one */
        struct gr_tensor *there = nn_filled(g, d->targets, t - 1);
        struct gr_tensor *input[] = {nn_slice_positions(g, x, t, 1, 1), a};

        a = attend(d, step(d, side_by_side(d, input, 2), there));
        steps[t] = nn_scale_rows(g, a, there, there);
    }
    y = join_steps(d, steps, T);
    if (d->heads == 1)
        return y;
    name_of(d, "decoder/dense", 0, scope);
    w = mdl_tf_kernel(d->b, scope, "kernel", y->dims[2], d->N);
    bias = mdl_tf_vector(d->b, scope, "bias", d->N, GR_INIT_ZEROS);
    return nn_linear(g, y, w, bias, false, 0.0);
}

static bool has_areas(const struct mdl_hparams *hp)
{
    return mdl_hp_int(hp, "max_area_width") > 1;
}

static void attend_to_areas(struct decoder *d)
{
    struct nn_areas areas = {.height = 1,
                             .most_height = 1,
                             .most_width = mdl_hp_int(d->b->hp, "max_area_width")};
    int64_t L = d->memory->dims[1];
    char scope[MDL_TF_FULL_NAME_BYTES];

    name_of(d, "decoder_encoder", 0, scope);
    d->keys = mdl_area_keys(d->b, d->keys, &areas, 1, scope);
    d->memory = mdl_area_values(d->b, d->memory, &areas);
    d->seen = nn_area_ids(d->b->g, d->B, L, d->inputs, &areas, DEV_AREA_FILLED);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t targets[] = {shape->batch, shape->targets_length};
    int64_t inputs[] = {shape->batch, shape->inputs_length};
    bool both = b->model == two_ways;
    struct decoder d = {.b = b,
                        .scope =
                            both ? "lstm_seq2seq_attention_bid_encoder" : "lstm_seq2seq_attention",
                        .B = shape->batch,
                        .N = mdl_hp_int(b->hp, "hidden_size") * (both ? 2 : 1),
                        .n_layers = mdl_hp_int(b->hp, "num_hidden_layers"),
                        .heads = mdl_hp_int(b->hp, "num_heads"),
                        .size = mdl_hp_int(b->hp, "attention_layer_size"),
                        .additive = mdl_tf_is(b->hp, "attention_mechanism", "bahdanau")};
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *x, *y;

    out->targets = gr_ids(b->g, 2, targets);
    out->inputs = gr_ids(b->g, 2, inputs);
    if (mdl_hp_float(b->hp, "symbol_dropout") > 0.0) /* what is embedded is not what is predicted */
        out->labels = gr_ids(b->g, 2, targets);
    mdl_tf_drop_symbols(b, out);
    d.inputs = out->inputs;
    d.targets = out->targets;
    snprintf(scope, sizeof scope, "%s/encoder", d.scope);
    d.memory = nn_convert(b->g,
                          mdl_lstm_encode(b, scope, both, mdl_lstm_embed(b, out->inputs, false),
                                          out->inputs, d.states),
                          b->g->type);
    name_of(&d, "memory_layer", 0, scope);
    d.keys = nn_linear(b->g, d.memory, mdl_tf_kernel(b, scope, "kernel", d.memory->dims[2], d.N),
                       NULL, false, 0.0);
    d.seen = b->decodes ? d.inputs : NULL;
    if (has_areas(b->hp))
        attend_to_areas(&d);
    x = mdl_lstm_embed(b, out->targets, true);
    make_variables(&d, x->dims[2]);
    y = decode(&d, x);
    mdl_symbol_loss(b, y, mdl_tf_symbols_of(b, MDL_TF_SOFTMAX, y->dims[2]), want_logits, out);
}

/* ---- refusals ---- */

/* The table of symbols is as wide as what the decoder gives, where it is shared. */
static enum t2_status check_shared(const char *model, const struct mdl_hparams *hp,
                                   const struct mdl_problem *problem, struct t2_err *err)
{
    int64_t hidden = mdl_hp_int(hp, "hidden_size"), heads = mdl_hp_int(hp, "num_heads");
    int64_t width = hidden * (model == two_ways ? 2 : 1);

    if (heads == 1)
        width = mdl_hp_int(hp, "attention_layer_size");
    if (width != hidden && mdl_hp_bool(hp, "shared_embedding_and_softmax_weights") &&
        problem->inputs_vocab == problem->targets_vocab)
        return t2_fail(err, T2_EUSAGE,
                       "%s: shared_embedding_and_softmax_weights=true does not fit, as the decoder "
                       "gives %" PRId64 " numbers and embeddings have %" PRId64,
                       model, width, hidden);
    return T2_OK;
}

static enum t2_status check_of(const char *model, const struct mdl_hparams *hp,
                               const struct mdl_problem *problem, struct t2_err *err)
{
    int64_t heads, size;

    if (!problem->has_inputs || problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem that makes texts of inputs",
                       model);
    T2_TRY(mdl_lstm_check(model, hp, problem, err));
    if (!mdl_hp_has(hp, "attention_mechanism"))
        return t2_fail(
            err, T2_EUSAGE,
            "%s reads hparam 'attention_mechanism', which hparams set '%s' has not; take "
            "one of its own, such as --hparams_set=%s",
            model, mdl_hparams_set_name(hp), own_set);
    heads = mdl_hp_int(hp, "num_heads");
    size = mdl_hp_int(hp, "attention_layer_size");
    if (!mdl_tf_is(hp, "attention_mechanism", "luong") &&
        !mdl_tf_is(hp, "attention_mechanism", "bahdanau"))
        return t2_fail(err, T2_EUSAGE, "%s: attention_mechanism is luong or bahdanau, not '%s'",
                       model, mdl_hp_string(hp, "attention_mechanism"));
    if (!mdl_hp_bool(hp, "output_attention"))
        return t2_fail(err, T2_EUNSUPPORTED, "%s: output_attention=false is not supported", model);
    if (has_areas(hp)) {
        T2_TRY(mdl_area_check_modes(hp, mdl_hp_int(hp, "hidden_size"), err));
        if (mdl_tf_is(hp, "area_value_mode", "max"))
            return t2_fail(err, T2_EUSAGE, "%s: area_value_mode is sum or mean, not max", model);
    }
    if (heads < 1 || heads > MOST_HEADS || size < 1 || size > 1 << 16)
        return t2_fail(err, T2_EUSAGE,
                       "%s: num_heads must lie between 1 and %d, attention_layer_size between 1 "
                       "and %d",
                       model, MOST_HEADS, 1 << 16);
    return check_shared(model, hp, problem, err);
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

/* Every position of the targets is some nodes of the graph. */
static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    if (shape->targets_length > MOST_TARGETS)
        return t2_fail(err, T2_EUNSUPPORTED, "%s takes targets of at most %d ids", one_way,
                       MOST_TARGETS);
    return mdl_lstm_check_shape(hp, problem, shape, err);
}

const struct mdl_kind mdl_lstm_seq2seq_attention = {
    .name = one_way,
    .own_set = own_set,
    .check = check,
    .check_shape = check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};

const struct mdl_kind mdl_lstm_seq2seq_attention_bidirectional_encoder = {
    .name = two_ways,
    .own_set = own_set,
    .check = check_two_ways,
    .check_shape = check_shape,
    .build = build,
    .prefix_multiple = MULTIPLE,
};
