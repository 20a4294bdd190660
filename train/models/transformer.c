/*
 * train/models/transformer.c - the Transformer of Tensor2Tensor: a page of operator calls.
 *
 * models/transformer.py, layers/transformer_layers.py, layers/common_attention.py; spec t2t-trainer.md
 * §3.  Variables have the original's names.  Encoder-decoder with inputs, decoder alone without.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "train/models/kind.h"
#include "train/ops/attention.h"
#include "train/ops/embed.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"
#include "train/ops/xent.h"

enum { NAME_BYTES = 160, FULL_NAME_BYTES = 2 * NAME_BYTES, SPACES = 32 };

/* ---- sizes ---- */

static int64_t or_else(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

static int32_t n_encoder_layers(const struct mdl_hparams *hp)
{
    return (int32_t) or_else(mdl_hp_int(hp, "num_encoder_layers"),
                             mdl_hp_int(hp, "num_hidden_layers"));
}

static int32_t n_decoder_layers(const struct mdl_hparams *hp)
{
    return (int32_t) or_else(mdl_hp_int(hp, "num_decoder_layers"),
                             mdl_hp_int(hp, "num_hidden_layers"));
}

static void channels(const struct mdl_hparams *hp, int64_t *k, int64_t *v)
{
    *k = or_else(mdl_hp_int(hp, "attention_key_channels"), mdl_hp_int(hp, "hidden_size"));
    *v = or_else(mdl_hp_int(hp, "attention_value_channels"), mdl_hp_int(hp, "hidden_size"));
}

static int64_t rounded_vocab(const struct mdl_build *b, int32_t vocab)
{
    int64_t divisor = mdl_hp_int(b->hp, "vocab_divisor");

    return (vocab + divisor - 1) / divisor * divisor;
}

/* ---- variables ---- */

static struct gr_tensor *kernel(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t rows, int64_t cols)
{
    char full[2 * FULL_NAME_BYTES];
    int64_t dims[] = {rows, cols};

    snprintf(full, sizeof full, "%s/%s", scope, name);
    return gr_param(b->g, full, 2, dims, 0, GR_INIT_DEFAULT, 0.0);
}

static struct gr_tensor *vector(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t n, enum gr_init init)
{
    char full[2 * FULL_NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s", scope, name);
    return gr_param(b->g, full, 1, &n, 0, init, 0.0);
}

enum table_use { INPUT_EMBEDDING, TARGET_EMBEDDING, SOFTMAX };

/* The table of one use: shared by all, by both embeddings, or its own (§3.2). */
static struct gr_tensor *symbol_table(const struct mdl_build *b, enum table_use use)
{
    static const char *const own[] = {"input_emb", "target_emb", "softmax"};
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    bool same_vocab =
        !b->problem->has_inputs || b->problem->inputs_vocab == b->problem->targets_vocab;
    bool all = mdl_hp_bool(b->hp, "shared_embedding_and_softmax_weights") && same_vocab;
    bool embeddings = mdl_hp_bool(b->hp, "shared_embedding") && same_vocab && use != SOFTMAX;
    int32_t vocab = use == INPUT_EMBEDDING ? b->problem->inputs_vocab : b->problem->targets_vocab;
    int64_t dims[] = {rounded_vocab(b, vocab), hidden};
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "transformer/symbol_modality_%lld_%lld/%s/weights",
             (long long) dims[0], (long long) hidden, all || embeddings ? "shared" : own[use]);
    return gr_param(b->g, name, 2, dims, (int) mdl_hp_int(b->hp, "symbol_modality_num_shards"),
                    GR_INIT_NORMAL, pow((double) hidden, -0.5));
}

/* ---- what stands before and after a sub-layer (§3.4) ---- */

static struct gr_tensor *normalise(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *scope, const char *where)
{
    int64_t n = x->dims[x->rank - 1];
    char full[FULL_NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s/layer_norm", scope, where);
    return nn_layer_norm(b->g, x, vector(b, full, "layer_norm_scale", n, GR_INIT_ONES),
                         vector(b, full, "layer_norm_bias", n, GR_INIT_ZEROS),
                         mdl_hp_float(b->hp, "norm_epsilon"));
}

static double prepost_dropout(const struct mdl_build *b)
{
    return mdl_hp_float(b->hp, "layer_prepostprocess_dropout");
}

/* Python's None, which reads as "None", and the text "none" both mean nothing. */
static const char *string_or_empty(const struct mdl_hparams *hp, const char *hparam)
{
    const char *s = mdl_hp_string(hp, hparam);

    return strcmp(s, "none") == 0 || strcmp(s, "None") == 0 ? "" : s;
}

static const char *sequence(const struct mdl_build *b, const char *hparam)
{
    return string_or_empty(b->hp, hparam);
}

static struct gr_tensor *before(const struct mdl_build *b, struct gr_tensor *x, const char *scope)
{
    for (const char *c = sequence(b, "layer_preprocess_sequence"); *c; ++c)
        x = *c == 'n' ? normalise(b, x, scope, "layer_prepostprocess")
                      : nn_dropout(b->g, x, prepost_dropout(b));
    return x;
}

/* "da" is one operator.  row_ids: rows that the pad remover leaves out of a feed-forward layer. */
static struct gr_tensor *after(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *y,
                               struct gr_tensor *row_ids, const char *scope)
{
    for (const char *c = sequence(b, "layer_postprocess_sequence"); *c; ++c) {
        if (c[0] == 'd' && c[1] == 'a') {
            y = nn_residual(b->g, x, y, row_ids, prepost_dropout(b));
            ++c;
        } else if (*c == 'a') {
            y = nn_residual(b->g, x, y, row_ids, 0.0);
        } else if (*c == 'd') {
            y = nn_dropout(b->g, y, prepost_dropout(b));
        } else {
            y = normalise(b, y, scope, "layer_postprocess");
        }
    }
    return y;
}

/* A stack ends with one more "before": a norm only where layers begin with one. */
static struct gr_tensor *end_of_stack(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *scope)
{
    return before(b, x, scope);
}

/* ---- sub-layers ---- */

/* The scope of a sub-layer's multi-head attention. */
static void attention_scope(char scope[FULL_NAME_BYTES], const char *sublayer)
{
    snprintf(scope, FULL_NAME_BYTES, "%s/multihead_attention", sublayer);
}

static struct gr_tensor *project(const struct mdl_build *b, struct gr_tensor *x,
                                 const char *sublayer, const char *name, int64_t n)
{
    char scope[FULL_NAME_BYTES];

    attention_scope(scope, sublayer);
    return nn_linear(b->g, x, kernel(b, scope, name, x->dims[x->rank - 1], n), NULL, false, 0.0);
}

/* Queries x against keys and values that are there already; then the output transform. */
static struct gr_tensor *attend(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *k,
                                struct gr_tensor *v, struct gr_tensor *key_ids, bool causal,
                                bool cached, int64_t q_per_key, const char *sublayer)
{
    int64_t key_channels, value_channels, heads = mdl_hp_int(b->hp, "num_heads");
    struct nn_attention a = {.heads = heads,
                             .key_ids = key_ids,
                             .causal = causal,
                             .cached = cached,
                             .q_per_key = q_per_key,
                             .dropout = mdl_hp_float(b->hp, "attention_dropout")};
    struct gr_tensor *out;

    channels(b->hp, &key_channels, &value_channels);
    a.scale = pow((double) key_channels / (double) heads, -0.5);
    out = nn_attention(b->g, project(b, x, sublayer, "q/kernel", key_channels), k, v, &a);
    return project(b, out, sublayer, "output_transform/kernel", mdl_hp_int(b->hp, "hidden_size"));
}

/* Self- or encoder-decoder attention in teacher-forced graphs. */
static struct gr_tensor *attention(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *memory, struct gr_tensor *key_ids, bool causal,
                                   const char *sublayer)
{
    int64_t key_channels, value_channels;
    struct gr_tensor *k, *v;

    channels(b->hp, &key_channels, &value_channels);
    k = project(b, memory, sublayer, "k/kernel", key_channels);
    v = project(b, memory, sublayer, "v/kernel", value_channels);
    return attend(b, x, k, v, key_ids, causal, false, 1, sublayer);
}

static struct gr_tensor *feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    struct gr_tensor *h;

    h = nn_linear(b->g, x, kernel(b, sublayer, "conv1/kernel", hidden, filter),
                  vector(b, sublayer, "conv1/bias", filter, GR_INIT_ZEROS), true,
                  mdl_hp_float(b->hp, "relu_dropout"));
    return nn_linear(b->g, h, kernel(b, sublayer, "conv2/kernel", filter, hidden),
                     vector(b, sublayer, "conv2/bias", hidden, GR_INIT_ZEROS), false, 0.0);
}

/* ---- embeddings (§3.2, §3.3) ---- */

static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids, bool decoder,
                               bool shift_right, bool at_position)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    const char *pos = string_or_empty(b->hp, "pos");
    bool scaled = strcmp(string_or_empty(b->hp, "multiply_embedding_mode"), "sqrt_depth") == 0;
    struct nn_embed e = {.ids = ids,
                         .table = symbol_table(b, decoder ? TARGET_EMBEDDING : INPUT_EMBEDDING),
                         .scale = scaled ? sqrt((double) hidden) : 1.0,
                         .shift_right = shift_right,
                         .at_position = at_position,
                         .dropout = prepost_dropout(b)};

    if (!decoder && mdl_hp_bool(b->hp, "use_target_space_embedding")) {
        e.extra_table =
            kernel(b, "transformer/body/target_space_embedding", "kernel", SPACES, hidden);
        e.extra_row = b->problem->target_space_id;
    }
    if (strcmp(pos, "timing") == 0) {
        int64_t dims[] = {b->tables->n_positions, hidden};

        e.positions = gr_const(b->g, 2, dims, b->tables->timing);
    } else if (strcmp(pos, "emb") == 0) {
        e.positions =
            kernel(b, "transformer/body",
                   decoder ? "targets_positional_embedding" : "inputs_positional_embedding",
                   mdl_hp_int(b->hp, "max_length"), hidden);
    }
    return nn_embed(b->g, &e);
}

/* ---- stacks ---- */

static void sublayer_name(char name[NAME_BYTES], const char *stack, int layer, const char *what)
{
    snprintf(name, NAME_BYTES, "transformer/body/%s/layer_%d/%s", stack, layer, what);
}

static struct gr_tensor *encoder(const struct mdl_build *b, struct gr_tensor *inputs)
{
    struct gr_tensor *x = embed(b, inputs, false, false, false);
    bool causal = mdl_hp_bool(b->hp, "unidirectional_encoder");
    struct gr_tensor *pad_rows = mdl_hp_bool(b->hp, "use_pad_remover") ? inputs : NULL;
    char name[NAME_BYTES];

    for (int layer = 0; layer < n_encoder_layers(b->hp); ++layer) {
        struct gr_tensor *y;

        gr_layer(b->g, 1 + layer);
        sublayer_name(name, "encoder", layer, "self_attention");
        y = before(b, x, name);
        x = after(b, x, attention(b, y, y, causal ? NULL : inputs, causal, name), NULL, name);
        sublayer_name(name, "encoder", layer, "ffn");
        x = after(b, x, feed_forward(b, before(b, x, name), name), pad_rows, name);
    }
    gr_layer(b->g, 0);
    return end_of_stack(b, x, "transformer/body/encoder");
}

static struct gr_tensor *decoder(const struct mdl_build *b, struct gr_tensor *targets,
                                 struct gr_tensor *encoded, struct gr_tensor *inputs)
{
    struct gr_tensor *x = embed(b, targets, true, true, false);
    char name[NAME_BYTES];

    for (int layer = 0; layer < n_decoder_layers(b->hp); ++layer) {
        struct gr_tensor *y;

        gr_layer(b->g, 1 + MDL_MAX_LAYERS + layer);
        sublayer_name(name, "decoder", layer, "self_attention");
        y = before(b, x, name);
        x = after(b, x, attention(b, y, y, NULL, true, name), NULL, name);
        if (encoded) {
            sublayer_name(name, "decoder", layer, "encdec_attention");
            y = before(b, x, name);
            x = after(b, x, attention(b, y, encoded, inputs, false, name), NULL, name);
        }
        sublayer_name(name, "decoder", layer, "ffn");
        x = after(b, x, feed_forward(b, before(b, x, name), name), NULL, name);
    }
    gr_layer(b->g, 0);
    return end_of_stack(b, x, "transformer/body/decoder");
}

static struct gr_tensor *ids_tensor(const struct mdl_build *b, int32_t batch, int32_t length)
{
    int64_t dims[] = {batch, length};

    return gr_ids(b->g, 2, dims);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct gr_tensor *encoded = NULL, *decoded;

    out->targets = ids_tensor(b, shape->batch, shape->targets_length);
    if (b->problem->has_inputs) {
        out->inputs = ids_tensor(b, shape->batch, shape->inputs_length);
        encoded = encoder(b, out->inputs);
    }
    decoded = decoder(b, out->targets, encoded, out->inputs);
    if (want_logits)
        out->logits = nn_logits(b->g, decoded, symbol_table(b, SOFTMAX));
    else
        out->loss = nn_xent(b->g, decoded, symbol_table(b, SOFTMAX), out->targets,
                            mdl_hp_float(b->hp, "label_smoothing"), &out->row_stats);
}

/* ---- step by step ---- */

static void build_encode(const struct mdl_build *b, int32_t batch, int32_t inputs_length,
                         struct mdl_graph *out, struct mdl_memory *memory)
{
    int64_t key_channels, value_channels;
    struct gr_tensor *encoded;
    char name[NAME_BYTES];

    channels(b->hp, &key_channels, &value_channels);
    out->inputs = ids_tensor(b, batch, inputs_length);
    encoded = encoder(b, out->inputs);
    memory->n_layers = n_decoder_layers(b->hp);
    for (int layer = 0; layer < memory->n_layers; ++layer) {
        sublayer_name(name, "decoder", layer, "encdec_attention");
        memory->k[layer] = project(b, encoded, name, "k/kernel", key_channels);
        memory->v[layer] = project(b, encoded, name, "v/kernel", value_channels);
    }
}

/* A tensor of another graph as a constant of this one. */
static struct gr_tensor *import(const struct mdl_build *b, const struct gr_tensor *t)
{
    return gr_const(b->g, t->rank, t->dims, t->value);
}

static struct gr_tensor *cached_self_attention(const struct mdl_build *b, struct mdl_step *s,
                                               int layer, struct gr_tensor *x, const char *name)
{
    int64_t key_channels, value_channels;

    channels(b->hp, &key_channels, &value_channels);
    {
        int64_t k_dims[] = {s->rows, s->max_length, key_channels};
        int64_t v_dims[] = {s->rows, s->max_length, value_channels};

        s->k_tensors[layer] = gr_const(b->g, 3, k_dims, s->k_cache[layer]);
        s->v_tensors[layer] = gr_const(b->g, 3, v_dims, s->v_cache[layer]);
    }
    return attend(b, x,
                  nn_cache_put(b->g, project(b, x, name, "k/kernel", key_channels),
                               s->k_tensors[layer]),
                  nn_cache_put(b->g, project(b, x, name, "v/kernel", value_channels),
                               s->v_tensors[layer]),
                  NULL, false, true, 1, name);
}

static void build_step(const struct mdl_build *b, struct mdl_step *s, struct mdl_graph *out)
{
    struct gr_tensor *x;
    char name[NAME_BYTES];

    out->targets = ids_tensor(b, s->rows, 1);
    if (s->memory)
        s->memory_inputs = ids_tensor(b, s->rows / s->beam, s->inputs_length);
    x = embed(b, out->targets, true, false, true);
    for (int layer = 0; layer < n_decoder_layers(b->hp); ++layer) {
        sublayer_name(name, "decoder", layer, "self_attention");
        x = after(b, x, cached_self_attention(b, s, layer, before(b, x, name), name), NULL, name);
        if (s->memory) {
            sublayer_name(name, "decoder", layer, "encdec_attention");
            x = after(b, x,
                      attend(b, before(b, x, name), import(b, s->memory->k[layer]),
                             import(b, s->memory->v[layer]), s->memory_inputs, false, false,
                             s->beam, name),
                      NULL, name);
        }
        sublayer_name(name, "decoder", layer, "ffn");
        x = after(b, x, feed_forward(b, before(b, x, name), name), NULL, name);
    }
    x = end_of_stack(b, x, "transformer/body/decoder");
    out->logits = nn_logits(b->g, x, symbol_table(b, SOFTMAX));
}

/* ---- what it does not do ---- */

struct string_rule {
    const char *hparam, *allowed[2], *help;
};

static enum t2_status check_strings(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const struct string_rule rules[] = {
        {"self_attention_type", {"dot_product"}, "dot_product"},
        {"ffn_layer", {"dense_relu_dense", "conv_hidden_relu"}, "dense_relu_dense"},
        {"norm_type", {"layer"}, "layer"},
        {"prepend_mode", {""}, "none"},
        {"activation_dtype", {"float32"}, "float32"},
        {"weight_dtype", {"float32"}, "float32"},
        {"position_features", {""}, "none"},
    };

    const char *pos = string_or_empty(hp, "pos");

    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; ++r) {
        const char *value = string_or_empty(hp, rules[r].hparam);
        bool fine = false;

        for (int i = 0; i < 2 && rules[r].allowed[i]; ++i)
            fine |= strcmp(value, rules[r].allowed[i]) == 0;
        if (!fine)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%s is not supported (supported: %s)", rules[r].hparam,
                           value, rules[r].help);
    }
    if (*pos && strcmp(pos, "timing") != 0 && strcmp(pos, "emb") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: pos=%s is not supported (supported: timing, emb, none)", pos);
    return T2_OK;
}

static enum t2_status check_zeros(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const zeros[] = {"hard_attention_k",    "symbol_dropout",
                                        "gumbel_noise_weight", "scheduled_sampling_prob",
                                        "num_area_layers",     "split_targets_chunk_length"};
    static const char *const no[] = {"proximity_bias", "attention_variables_3d", "pack_dataset"};
    static const struct {
        const char *dims, *rate;
    } broadcasts[] = {{"layer_prepostprocess_dropout_broadcast_dims",
                       "layer_prepostprocess_dropout"},
                      {"attention_dropout_broadcast_dims", "attention_dropout"},
                      {"relu_dropout_broadcast_dims", "relu_dropout"}};

    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; ++i)
        if (mdl_hp_float(hp, zeros[i]) != 0.0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%g is not supported (supported: 0)", zeros[i],
                           mdl_hp_float(hp, zeros[i]));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; ++i)
        if (mdl_hp_bool(hp, no[i]))
            return t2_fail(err, T2_EUNSUPPORTED, "transformer: %s=true is not supported", no[i]);
    if (!mdl_hp_bool(hp, "causal_decoder_self_attention"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: causal_decoder_self_attention=false is not supported");
    for (size_t i = 0; i < sizeof broadcasts / sizeof broadcasts[0]; ++i)
        if (*string_or_empty(hp, broadcasts[i].dims) && mdl_hp_float(hp, broadcasts[i].rate) != 0.0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%s is not supported with %s > 0 (one mask per element "
                           "only)",
                           broadcasts[i].dims, mdl_hp_string(hp, broadcasts[i].dims),
                           broadcasts[i].rate);
    return T2_OK;
}

static enum t2_status check_sequences(const struct mdl_hparams *hp, struct t2_err *err)
{
    const char *pre = string_or_empty(hp, "layer_preprocess_sequence");
    const char *post = string_or_empty(hp, "layer_postprocess_sequence");

    if (strspn(pre, "nd") != strlen(pre))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: layer_preprocess_sequence=%s is not supported (n and d only)",
                       pre);
    if (strspn(post, "nda") != strlen(post))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: layer_postprocess_sequence=%s is not supported (n, d, a only)",
                       post);
    return T2_OK;
}

/* Ranges outside of which a number cannot be meant; both ends belong to them. */
static enum t2_status check_ranges(const struct mdl_hparams *hp, struct t2_err *err)
{
    enum { LARGEST = 1 << 20, MOST_SHARDS = 4096 };
    static const struct {
        const char *hparam;
        int64_t least, most;
    } integers[] = {{"hidden_size", 1, LARGEST},
                    {"filter_size", 1, LARGEST},
                    {"num_heads", 1, LARGEST},
                    {"vocab_divisor", 1, LARGEST},
                    {"attention_key_channels", 0, LARGEST},
                    {"attention_value_channels", 0, LARGEST},
                    {"max_length", 0, INT32_MAX},
                    {"num_hidden_layers", 1, MDL_MAX_LAYERS},
                    {"num_encoder_layers", 0, MDL_MAX_LAYERS},
                    {"num_decoder_layers", 0, MDL_MAX_LAYERS},
                    {"symbol_modality_num_shards", 1, MOST_SHARDS}};
    static const char *const rates[] = {"layer_prepostprocess_dropout", "attention_dropout",
                                        "relu_dropout", "label_smoothing"};

    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; ++i) {
        int64_t value = mdl_hp_int(hp, integers[i].hparam);

        if (value < integers[i].least || value > integers[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "transformer: %s=%" PRId64 " must lie between %" PRId64 " and %" PRId64,
                           integers[i].hparam, value, integers[i].least, integers[i].most);
    }
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        double value = mdl_hp_float(hp, rates[i]);

        if (!(value >= 0.0 && value < 1.0))
            return t2_fail(err, T2_EUSAGE, "transformer: %s=%g must be at least 0 and below 1",
                           rates[i], value);
    }
    if (!(mdl_hp_float(hp, "norm_epsilon") >= 0.0))
        return t2_fail(err, T2_EUSAGE, "transformer: norm_epsilon=%g must not be negative",
                       mdl_hp_float(hp, "norm_epsilon"));
    if (strcmp(string_or_empty(hp, "pos"), "emb") == 0 && mdl_hp_int(hp, "max_length") < 1)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: pos=emb needs max_length, the number of positions");
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    int64_t k, v, heads = mdl_hp_int(hp, "num_heads");

    T2_TRY(check_ranges(hp, err));
    channels(hp, &k, &v);
    if (k % heads || v % heads)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: key and value channels (%lld, %lld) must be divisible by "
                       "num_heads=%lld",
                       (long long) k, (long long) v, (long long) heads);
    if (problem->target_space_id < 0 || problem->target_space_id >= SPACES)
        return t2_fail(err, T2_EUSAGE, "transformer: target space %d is not below %d",
                       problem->target_space_id, SPACES);
    T2_TRY(check_strings(hp, err));
    T2_TRY(check_zeros(hp, err));
    return check_sequences(hp, err);
}

const struct mdl_kind mdl_transformer = {
    .name = "transformer",
    .check = check,
    .build = build,
    .build_encode = build_encode,
    .build_step = build_step,
    .n_decoder_layers = n_decoder_layers,
    .cache_channels = channels,
};
