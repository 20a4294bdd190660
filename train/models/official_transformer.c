/*
 * train/models/official_transformer.c - the Transformer of TensorFlow's official models.
 *
 * official/nlp/transformer/transformer.py of tf-models-official 2.2.2; spec official-transformer.md
 * §7, §10.  Variables have the original's names (Keras numbers layers of one class through the
 * model).  The computation is T2T's pre-norm Transformer (formulas in transformer.c) without target
 * space and pad remover; names, initial values and the size of the table differ.
 *
 * Where its flags and parameters are (originals on the left):
 *   --param_set=tiny|base|big             --hparams_set=official_transformer_tiny|base|big
 *   the sets for several GPUs             official_transformer_base_multi_gpu,
 *                                         official_transformer_big_multi_gpu
 *   --batch_size, default_batch_size      batch_size, in tokens
 *   --max_length                          max_length
 *   --static_batch                        static_batch (input/scheme.h)
 *   --use_ctl                             use_ctl: from what number rates are counted
 *                                         (optim/schedule.h)
 *   --train_steps, --steps_between_evals  the trainer's --train_steps, --local_eval_frequency
 *   vocab_size                            vocab_size; 0 takes the size of the data's vocabulary
 *   layer_postprocess_dropout             layer_prepostprocess_dropout
 *   learning_rate                         learning_rate_constant
 *   beam_size, alpha, extra_decode_length beam_size, alpha, extra_length of --decode_hparams
 *     (extra_length is 50 when not given)
 * Without effect in the original, so not here: initializer_gain, learning_rate_decay_rate,
 * allow_ffn_pad.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/kind.h"
#include "train/models/model_keys.h"
#include "train/models/shortlist.h"
#include "train/models/symbol_loss.h"
#include "train/ops/attention.h"
#include "train/ops/embed.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"

enum { SCOPE_BYTES = 224, NAME_BYTES = SCOPE_BYTES + 64 };

static const double norm_epsilon = 1e-6;
#define ROOT "transformer_v2/Transformer/"

/* ---- sizes ---- */

static int32_t n_layers(const struct mdl_hparams *hp)
{
    return (int32_t) mdl_hp_int(hp, "num_hidden_layers");
}

/* Rows of the table; not rounded, unlike T2T's. */
static int64_t vocab_size(const struct mdl_hparams *hp, const struct mdl_problem *problem)
{
    int64_t size = mdl_hp_int(hp, "vocab_size");

    return size ? size : problem->targets_vocab;
}

/* ---- variables ---- */

/* "<scope>/<name>", "<scope>/<name>_1", …: a class's layers in the order in which they are made. */
static void numbered(char scope[SCOPE_BYTES], const char *in, const char *name, int number)
{
    T2_ASSERT(strlen(in) <= 150 && strlen(name) <= 40);
    if (number)
        snprintf(scope, SCOPE_BYTES, "%.150s/%.40s_%d", in, name, number);
    else
        snprintf(scope, SCOPE_BYTES, "%.150s/%.40s", in, name);
}

static struct gr_tensor *variable(const struct mdl_build *b, const char *scope, const char *name,
                                  int rank, const int64_t *dims, enum gr_init init, double gain)
{
    char full[NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s", scope, name);
    return gr_param(b->g, full, rank, dims, 0, init, gain);
}

static struct gr_tensor *vector(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t n, enum gr_init init)
{
    return variable(b, scope, name, 1, &n, init, 0.0);
}

/* Half the width of Glorot's uniform distribution. */
static double glorot(int64_t in, int64_t out)
{
    return sqrt(6.0 / (double) (in + out));
}

static struct gr_tensor *symbol_table(const struct mdl_build *b)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    int64_t dims[] = {vocab_size(b->hp, b->problem), hidden};

    return variable(b, ROOT "encode/embedding_shared_weights", "embedding_and_softmax/weights", 2,
                    dims, GR_INIT_NORMAL, pow((double) hidden, -0.5));
}

/* ---- sub-layers ---- */

enum part { SELF_ATTENTION, ENCDEC_ATTENTION, FEED_FORWARD };

struct sublayer {
    char norm[SCOPE_BYTES], layer[SCOPE_BYTES];
};

/* Scopes of a sub-layer's norm and of its layer.  Keras numbers the layers of one class in the
 * order in which they are created: 2 wrappers per encoder layer, then 3 per decoder layer. */
static struct sublayer sublayer(const struct mdl_build *b, bool decoder, int layer, enum part part)
{
    static const char *const folders[] = {"self_attention", "encdec_attention", "ffn"};
    static const char *const classes[] = {"self_attention", "attention", "feed_forward_network"};
    int n = n_layers(b->hp), before = 2 * layer + (part == FEED_FORWARD);
    char folder[SCOPE_BYTES / 2], wrapper[SCOPE_BYTES];
    struct sublayer s;

    if (decoder)
        before = 2 * n + 3 * layer + (int) part;
    snprintf(folder, sizeof folder, ROOT "%s/layer_%d/%s",
             decoder ? "decode/decoder_stack" : "encode/encoder_stack", layer, folders[part]);
    numbered(wrapper, folder, "pre_post_processing_wrapper", before);
    /* the norm at the end of a stack is made first */
    numbered(s.norm, wrapper, "layer_normalization", before + (decoder ? 2 : 1));
    numbered(s.layer, wrapper, classes[part],
             decoder && part != ENCDEC_ATTENTION ? n + layer : layer);
    return s;
}

static struct gr_tensor *normalise(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *scope)
{
    int64_t n = x->dims[x->rank - 1];

    return nn_layer_norm(b->g, x, vector(b, scope, "gamma", n, GR_INIT_ONES),
                         vector(b, scope, "beta", n, GR_INIT_ZEROS), norm_epsilon);
}

static struct gr_tensor *end_of_stack(const struct mdl_build *b, struct gr_tensor *x, bool decoder)
{
    char scope[SCOPE_BYTES];

    gr_layer(b->g, 0);
    numbered(scope, decoder ? ROOT "decode/decoder_stack" : ROOT "encode/encoder_stack",
             "layer_normalization", decoder ? 2 * n_layers(b->hp) + 1 : 0);
    return normalise(b, x, scope);
}

static struct gr_tensor *add(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *y)
{
    return nn_residual(b->g, x, y, NULL, mdl_hp_float(b->hp, "layer_prepostprocess_dropout"));
}

/* query, key, value: (hidden, heads, hidden / heads). */
static struct gr_tensor *project(const struct mdl_build *b, struct gr_tensor *x,
                                 const struct sublayer *s, const char *kernel)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), heads = mdl_hp_int(b->hp, "num_heads");
    int64_t dims[] = {hidden, heads, hidden / heads};

    return nn_linear(b->g, x,
                     variable(b, s->layer, kernel, 3, dims, GR_INIT_UNIFORM,
                              glorot(hidden, hidden)),
                     NULL, false, 0.0);
}

static struct gr_tensor *attend(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *k,
                                struct gr_tensor *v, struct nn_attention a,
                                const struct sublayer *s)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), heads = mdl_hp_int(b->hp, "num_heads");
    int64_t dims[] = {heads, hidden / heads, hidden};
    struct gr_tensor *out; /* (B, Lq, D) */

    a.heads = heads;
    a.q_per_key = a.q_per_key ? a.q_per_key : 1;
    a.dropout = mdl_hp_float(b->hp, "attention_dropout");
    a.scale = pow((double) hidden / (double) heads, -0.5);
    out = nn_attention(b->g, project(b, x, s, "query/kernel"), k, v, &a);
    return nn_linear(b->g, out,
                     variable(b, s->layer, "output_transform/kernel", 3, dims, GR_INIT_UNIFORM,
                              glorot(hidden, hidden)),
                     NULL, false, 0.0);
}

/* x + attention of the normalised x to memory (NULL: to itself). */
static struct gr_tensor *attention(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *memory, struct nn_attention masks,
                                   struct sublayer s)
{
    struct gr_tensor *y = normalise(b, x, s.norm), *from = memory ? memory : y;
    struct gr_tensor *k = project(b, from, &s, "key/kernel");   /* (B, Lk, D) */
    struct gr_tensor *v = project(b, from, &s, "value/kernel"); /* (B, Lk, D) */

    return add(b, x, attend(b, y, k, v, masks, &s));
}

static struct gr_tensor *feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      struct sublayer s)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    int64_t in[] = {hidden, filter}, out[] = {filter, hidden};
    double width = glorot(hidden, filter);
    struct gr_tensor *y = normalise(b, x, s.norm); /* (B, L, D) */

    y = nn_linear(b->g, y,
                  variable(b, s.layer, "filter_layer/kernel", 2, in, GR_INIT_UNIFORM, width),
                  vector(b, s.layer, "filter_layer/bias", filter, GR_INIT_ZEROS), true,
                  mdl_hp_float(b->hp, "relu_dropout"));
    y = nn_linear(b->g, y,
                  variable(b, s.layer, "output_layer/kernel", 2, out, GR_INIT_UNIFORM, width),
                  vector(b, s.layer, "output_layer/bias", hidden, GR_INIT_ZEROS), false, 0.0);
    return add(b, x, y);
}

/* ---- stacks ---- */

static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids, bool shift_right,
                               bool at_position)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), dims[] = {b->tables->n_positions, hidden};
    struct nn_embed e = {.ids = ids,
                         .table = symbol_table(b),
                         .scale = sqrt((double) hidden),
                         .shift_right = shift_right,
                         .positions = gr_table(b->g, 2, dims, &b->tables->timing),
                         .at_position = at_position,
                         .dropout = mdl_hp_float(b->hp, "layer_prepostprocess_dropout")};

    return nn_embed(b->g, &e);
}

static struct gr_tensor *encoder(const struct mdl_build *b, struct gr_tensor *inputs)
{
    struct gr_tensor *x = embed(b, inputs, false, false); /* (B, Li, D) */
    struct nn_attention masks = {.key_ids = inputs};

    for (int layer = 0; layer < n_layers(b->hp); layer++) {
        gr_layer(b->g, 1 + layer);
        x = attention(b, x, NULL, masks, sublayer(b, false, layer, SELF_ATTENTION));
        x = feed_forward(b, x, sublayer(b, false, layer, FEED_FORWARD));
    }
    return end_of_stack(b, x, false);
}

static struct gr_tensor *decoder(const struct mdl_build *b, const struct mdl_graph *g,
                                 struct gr_tensor *encoded)
{
    struct gr_tensor *x = embed(b, g->targets, true, false); /* (B, Lt, D) */
    struct nn_attention self = {.causal = true}, memory = {.key_ids = g->inputs};

    for (int layer = 0; layer < n_layers(b->hp); layer++) {
        gr_layer(b->g, 1 + MDL_MAX_LAYERS + layer);
        x = attention(b, x, NULL, self, sublayer(b, true, layer, SELF_ATTENTION));
        x = attention(b, x, encoded, memory, sublayer(b, true, layer, ENCDEC_ATTENTION));
        x = feed_forward(b, x, sublayer(b, true, layer, FEED_FORWARD));
    }
    return end_of_stack(b, x, true);
}

static struct gr_tensor *ids_tensor(const struct mdl_build *b, int32_t batch, int32_t length)
{
    int64_t dims[] = {batch, length};

    return gr_ids(b->g, 2, dims);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct gr_tensor *x;

    out->targets = ids_tensor(b, shape->batch, shape->targets_length);
    out->inputs = ids_tensor(b, shape->batch, shape->inputs_length);
    x = decoder(b, out, encoder(b, out->inputs));
    mdl_symbol_loss(b, x, symbol_table(b), want_logits, out);
}

/* ---- step by step ---- */

static void build_encode(const struct mdl_build *b, int32_t batch, int32_t inputs_length,
                         struct mdl_graph *out, struct mdl_memory *memory)
{
    struct gr_tensor *encoded; /* (B, Li, D) */

    out->inputs = ids_tensor(b, batch, inputs_length);
    encoded = encoder(b, out->inputs);
    memory->n_layers = n_layers(b->hp);
    for (int layer = 0; layer < memory->n_layers; layer++) {
        struct sublayer s = sublayer(b, true, layer, ENCDEC_ATTENTION);

        memory->k[layer] = project(b, encoded, &s, "key/kernel");
        memory->v[layer] = project(b, encoded, &s, "value/kernel");
    }
}

static struct gr_tensor *cached_attention(const struct mdl_build *b, struct mdl_step *s, int layer,
                                          struct gr_tensor *x)
{
    struct sublayer at = sublayer(b, true, layer, SELF_ATTENTION);
    int64_t dims[] = {s->rows, s->max_length, mdl_hp_int(b->hp, "hidden_size")};
    struct nn_attention a = {.cached = true, .cache_index = s->cache_index};
    struct gr_tensor *y = normalise(b, x, at.norm);
    struct gr_tensor *k = project(b, y, &at, "key/kernel");   /* (rows, 1, D) */
    struct gr_tensor *v = project(b, y, &at, "value/kernel"); /* (rows, 1, D) */

    s->caches[MDL_CACHE_K][layer] = gr_cache(b->g, 3, dims, NULL);
    s->caches[MDL_CACHE_V][layer] = gr_cache(b->g, 3, dims, NULL);
    k = nn_cache_put(b->g, k, s->caches[MDL_CACHE_K][layer]);
    v = nn_cache_put(b->g, v, s->caches[MDL_CACHE_V][layer]);
    return add(b, x, attend(b, y, k, v, a, &at));
}

/* A tensor of another graph as a constant of this one. */
static struct gr_tensor *import(const struct mdl_build *b, const struct gr_tensor *t)
{
    return gr_cache(b->g, t->rank, t->dims, NULL);
}

static struct gr_tensor *memory_attention(const struct mdl_build *b, struct mdl_step *s, int layer,
                                          struct gr_tensor *x)
{
    struct nn_attention a = {.key_ids = s->memory_inputs, .q_per_key = s->beam};
    struct sublayer at = sublayer(b, true, layer, ENCDEC_ATTENTION);
    struct gr_tensor *y = normalise(b, x, at.norm);

    s->memory_k[layer] = import(b, s->memory->k[layer]);
    s->memory_v[layer] = import(b, s->memory->v[layer]);
    return add(b, x, attend(b, y, s->memory_k[layer], s->memory_v[layer], a, &at));
}

static void build_step(const struct mdl_build *b, struct mdl_step *s, struct mdl_graph *out)
{
    struct gr_tensor *x;

    out->targets = ids_tensor(b, s->rows, 1);
    s->memory_inputs = ids_tensor(b, s->rows / s->beam, s->inputs_length);
    x = embed(b, out->targets, false, true);
    for (int layer = 0; layer < n_layers(b->hp); layer++) {
        x = cached_attention(b, s, layer, x);
        x = memory_attention(b, s, layer, x);
        x = feed_forward(b, x, sublayer(b, true, layer, FEED_FORWARD));
    }
    out->logits = mdl_step_logits(b, s, end_of_stack(b, x, true), symbol_table(b));
}

static void cache_channels(const struct mdl_hparams *hp, int32_t layer,
                           int64_t channels[MDL_N_CACHES])
{
    (void) layer;
    channels[MDL_CACHE_K] = channels[MDL_CACHE_V] = mdl_hp_int(hp, "hidden_size");
}

/* ---- refusals ---- */

static enum t2_status check_keys(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const ours[] = {"vocab_size",   "filter_size",
                                       "num_heads",    "attention_dropout",
                                       "relu_dropout", "static_batch",
                                       "use_ctl"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!mdl_hp_has(hp, ours[i]))
            return mdl_fail_key("official_transformer", hp, ours[i], "official_transformer_base",
                                err);
    return T2_OK;
}

static enum t2_status check_ranges(const struct mdl_hparams *hp, struct t2_err *err)
{
    enum { LARGEST = 1 << 24 };
    static const struct {
        const char *hparam;
        int64_t least, most;
    } integers[] = {{"hidden_size", 4, LARGEST},
                    {"filter_size", 1, LARGEST},
                    {"num_heads", 1, LARGEST},
                    {"vocab_size", 0, INT32_MAX / 2},
                    {"num_hidden_layers", 1, MDL_MAX_LAYERS}};
    static const char *const rates[] = {"layer_prepostprocess_dropout", "attention_dropout",
                                        "relu_dropout", "label_smoothing"};

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t value = mdl_hp_int(hp, integers[i].hparam);

        if (value < integers[i].least || value > integers[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "official_transformer: %s=%" PRId64 " must lie between %" PRId64
                           " and %" PRId64,
                           integers[i].hparam, value, integers[i].least, integers[i].most);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double value = mdl_hp_float(hp, rates[i]);

        if (!(value >= 0.0 && value < 1.0))
            return t2_fail(err, T2_EUSAGE,
                           "official_transformer: %s=%g must be at least 0 and below 1", rates[i],
                           value);
    }
    if (mdl_hp_int(hp, "hidden_size") % mdl_hp_int(hp, "num_heads") ||
        mdl_hp_int(hp, "hidden_size") % 2)
        return t2_fail(err, T2_EUSAGE,
                       "official_transformer: hidden_size=%" PRId64
                       " must be even and divisible by num_heads=%" PRId64,
                       mdl_hp_int(hp, "hidden_size"), mdl_hp_int(hp, "num_heads"));
    return T2_OK;
}

/* Hparams that every set of the program has and this model leaves no choice in. */
static enum t2_status check_fixed(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const texts[][2] = {{"layer_preprocess_sequence", "n"},
                                           {"layer_postprocess_sequence", "da"},
                                           {"layer_prepostprocess_dropout_broadcast_dims", ""},
                                           {"norm_type", "layer"},
                                           {"initializer", "xavier"},
                                           {"multiply_embedding_mode", "sqrt_depth"},
                                           {"prepend_mode", "none"},
                                           {"activation_dtype", "float32"},
                                           {"weight_dtype", "float32"}};
    static const struct {
        const char *hparam;
        double value;
    } numbers[] = {{"norm_epsilon", 1e-6},
                   {"initializer_gain", 1.0},
                   {"vocab_divisor", 1.0},
                   {"symbol_modality_num_shards", 1.0},
                   {"symbol_dropout", 0.0},
                   {"max_relative_position", 0.0},
                   {"scheduled_sampling_prob", 0.0},
                   {"split_targets_chunk_length", 0.0},
                   {"min_length", 0.0},
                   {"min_length_bucket", 8.0},
                   {"length_bucket_step", 1.1}};
    static const struct {
        const char *hparam;
        bool value;
    } switches[] = {{"shared_embedding_and_softmax_weights", true},
                    {"use_fixed_batch_size", false}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(mdl_hp_string(hp, texts[i][0]), texts[i][1]) != 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "official_transformer: %s is always '%s', not '%s'; model transformer "
                           "has a choice",
                           texts[i][0], texts[i][1], mdl_hp_string(hp, texts[i][0]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (mdl_hp_float(hp, numbers[i].hparam) != numbers[i].value)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "official_transformer: %s is always %g, not %g; model transformer has "
                           "a choice",
                           numbers[i].hparam, numbers[i].value,
                           mdl_hp_float(hp, numbers[i].hparam));
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (mdl_hp_bool(hp, switches[i].hparam) != switches[i].value)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "official_transformer: %s is always %s; model transformer has a choice",
                           switches[i].hparam, switches[i].value ? "true" : "false");
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    T2_TRY(check_keys(hp, err));
    T2_TRY(check_ranges(hp, err));
    T2_TRY(check_fixed(hp, err));
    if (!problem->has_inputs || problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "official_transformer translates: it needs a problem with inputs and "
                       "targets of text");
    if (problem->inputs_vocab != problem->targets_vocab)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "official_transformer has one vocabulary for inputs and targets; the "
                       "problem has two, of %d and %d",
                       problem->inputs_vocab, problem->targets_vocab);
    if (vocab_size(hp, problem) < problem->targets_vocab)
        return t2_fail(err, T2_EUSAGE,
                       "official_transformer: vocab_size=%" PRId64
                       " is less than the %d entries of the vocabulary; with vocab_size=0 it is "
                       "the vocabulary's size",
                       vocab_size(hp, problem), problem->targets_vocab);
    return T2_OK;
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp, (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "official_transformer: packed data is not supported; use shards of a "
                       "problem that does not pack, or model transformer");
    return T2_OK;
}

const struct mdl_kind mdl_official_transformer = {
    .name = "official_transformer",
    .own_set = "official_transformer_base",
    .check = check,
    .check_shape = check_shape,
    .build = build,
    .build_encode = build_encode,
    .build_step = build_step,
    .n_decoder_layers = n_layers,
    .cache_channels = cache_channels,
    .official_search = true,
};
