/*
 * train/models/transformer.c - the Transformer of Tensor2Tensor (Vaswani et al. 2017): a page of
 * operator calls.
 *
 * models/transformer.py; spec t2t-trainer.md §3.  Variables have the original's names.
 * Encoder-decoder with inputs, decoder alone without.  The layers are in transformer_layers.c and
 * transformer_ffn.c.  With D = hidden_size and the default sequences "n" before and "da" after a
 * sub-layer:
 *
 *   x = dropout(sqrt(D) table[ids] [+ target space] + timing)               (B, L, D)
 *   encoder layer:  x += dropout(self_attention(norm(x)))
 *                   x += dropout(ffn(norm(x)))
 *   decoder layer:  x += dropout(causal_self_attention(norm(x)))
 *                   x += dropout(attention(norm(x), encoded))
 *                   x += dropout(ffn(norm(x)))
 *   each stack ends with a norm;  logits = x softmax_table^T                (B, L, V)
 *
 * The decoder reads the targets shifted right by one position.  Each layer is a layer of the graph
 * (gr_layer), so --remat=layer computes it again in the backward pass.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "train/models/area_attention.h"
#include "train/models/attention_kinds.h"
#include "train/models/evolved_layers.h"
#include "train/models/prepend.h"
#include "train/models/shortlist.h"
#include "train/models/speech_bottom.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/attention.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/linear.h"
#include "train/ops/mark_rows.h"
#include "train/ops/residual.h"

/* ---- tables of symbols (§3.2) ---- */

/* The original rounds the table, not the vocabulary: ids never reach the last rows, the softmax
 * does. */
static int64_t rounded_vocab(const struct mdl_build *b, int32_t vocab)
{
    int64_t divisor = mdl_hp_int(b->hp, "vocab_divisor");

    return (vocab + divisor - 1) / divisor * divisor;
}

/* The table (V,D) of inputs, targets or softmax, with V rounded up to vocab_divisor.  Which of them
 * are one variable follows shared_embedding_and_softmax_weights and shared_embedding, as T2TModel's
 * modalities decide it: only where both sides have one vocabulary, or as many classes as the inputs
 * have ids, which has no other effect than the name. */
struct gr_tensor *mdl_tf_symbols(const struct mdl_build *b, enum mdl_tf_table use)
{
    return mdl_tf_symbols_of(b, use, mdl_hp_int(b->hp, "hidden_size"));
}

struct gr_tensor *mdl_tf_symbols_of(const struct mdl_build *b, enum mdl_tf_table use, int64_t width)
{
    static const char *const own[] = {"input_emb", "target_emb", "softmax"};
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    bool same_vocab = b->problem->target == MDL_TARGET_IDS &&
                      (!b->problem->has_inputs || b->problem->speech ||
                       b->problem->inputs_vocab == b->problem->targets_vocab);
    bool all = mdl_hp_bool(b->hp, "shared_embedding_and_softmax_weights") && same_vocab;
    bool embeddings = mdl_hp_bool(b->hp, "shared_embedding") && same_vocab && use != MDL_TF_SOFTMAX;
    int32_t vocab = use == MDL_TF_INPUTS ? b->problem->inputs_vocab : b->problem->targets_vocab;
    int64_t dims[] = {rounded_vocab(b, vocab), width};
    char name[MDL_TF_NAME_BYTES];

    snprintf(name, sizeof name, "%s/symbol_modality_%lld_%lld/%s/weights", b->model,
             (long long) dims[0], (long long) hidden, all || embeddings ? "shared" : own[use]);
    return gr_param(b->g, name, 2, dims, (int) mdl_hp_int(b->hp, "symbol_modality_num_shards"),
                    GR_INIT_NORMAL, pow((double) width, -0.5));
}

/* ---- embeddings (§3.2, §3.3) ---- */

/* ids (B,L) -> (B,L,D): transformer_prepare_encoder and _decoder.  position_ids: of packed rows,
 * else NULL. */
static struct gr_tensor *embed(const struct mdl_build *b, struct gr_tensor *ids,
                               struct gr_tensor *position_ids, bool decoder, bool shift_right,
                               bool at_position)
{
    char body[MDL_TF_NAME_BYTES];
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    const char *pos = mdl_tf_string(b->hp, "pos");
    bool scaled = strcmp(mdl_tf_string(b->hp, "multiply_embedding_mode"), "sqrt_depth") == 0;
    struct nn_embed e = {.ids = ids,
                         .table = mdl_tf_symbols(b, decoder ? MDL_TF_TARGETS : MDL_TF_INPUTS),
                         .scale = scaled ? sqrt((double) hidden) : 1.0,
                         .shift_right = shift_right,
                         .position_ids = position_ids,
                         .at_position = at_position,
                         .dropout = mdl_hp_float(b->hp, "layer_prepostprocess_dropout")};

    snprintf(body, sizeof body, "%s/body", b->model);
    if (!decoder && mdl_hp_bool(b->hp, "use_target_space_embedding")) {
        e.extra_table =
            mdl_tf_kernel(b, body, "target_space_embedding/kernel", MDL_TF_SPACES, hidden);
        e.extra_row = b->problem->target_space_id;
    }
    /* without position_features: 0, 1, 2, ... also in packed rows */
    if (strcmp(pos, "timing_from_features") == 0)
        e.position_ids = NULL;
    if (t2_starts_with(pos, "timing")) {
        int64_t dims[] = {b->tables->n_positions, hidden};

        e.positions = gr_table(b->g, 2, dims, &b->tables->timing);
    } else if (strcmp(pos, "emb") == 0) {
        e.positions =
            mdl_tf_kernel(b, body,
                          decoder ? "targets_positional_embedding" : "inputs_positional_embedding",
                          mdl_hp_int(b->hp, "max_length"), hidden);
    }
    return nn_embed(b->g, &e);
}

/* Features of speech -> (B,L,D), and g->inputs.  The bottom's result takes the place of embedded
 * ids; what is added to it is an embedding that counts its ids nothing. */
static struct gr_tensor *embed_speech(const struct mdl_build *b, struct mdl_graph *g)
{
    struct gr_tensor *x = mdl_speech_bottom(b, g->images), *added;
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), dims[] = {b->tables->n_positions, hidden};
    struct nn_embed e = {.table = gr_table(b->g, 2, dims, &b->tables->timing), .scale = 0.0};
    char body[MDL_TF_NAME_BYTES];

    g->inputs = nn_mark_rows(b->g, x);
    e.ids = g->inputs;
    e.positions = e.table;
    snprintf(body, sizeof body, "%s/body", b->model);
    if (mdl_hp_bool(b->hp, "use_target_space_embedding")) {
        e.extra_table =
            mdl_tf_kernel(b, body, "target_space_embedding/kernel", MDL_TF_SPACES, hidden);
        e.extra_row = b->problem->target_space_id;
    }
    added = nn_embed(b->g, &e);
    return nn_dropout(b->g, nn_add(b->g, x, added),
                      mdl_hp_float(b->hp, "layer_prepostprocess_dropout"));
}

/* ---- stacks ---- */

/* A stack ends with one more "before": a norm only where layers begin with one. */
static struct gr_tensor *end_of_stack(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *stack)
{
    char name[MDL_TF_NAME_BYTES];

    if (mdl_is_moe(b))
        snprintf(name, sizeof name, "%s", b->model);
    else if (mdl_is_revnet(b) && strcmp(stack, "encoder") == 0)
        snprintf(name, sizeof name, "%s/body", b->model);
    else
        snprintf(name, sizeof name, "%s/body/%s", b->model, stack);
    gr_layer(b->g, 0);
    return mdl_tf_before(b, x, name);
}

/* Masks of the encoder's self-attention (transformer_prepare_encoder). */
static struct nn_attention encoder_masks(const struct mdl_build *b, const struct mdl_graph *g)
{
    struct nn_attention m = {.proximity = mdl_hp_bool(b->hp, "proximity_bias")};

    if (mdl_hp_bool(b->hp, "unidirectional_encoder"))
        m.causal = true;
    else if (g->inputs_segmentation)
        m.q_segments = m.k_segments = g->inputs_segmentation;
    else
        m.key_ids = g->inputs;
    return m;
}

/* Masks of the decoder's self-attention (transformer_prepare_decoder). */
static struct nn_attention decoder_masks(const struct mdl_build *b, const struct mdl_graph *g)
{
    struct nn_attention m = {.proximity = mdl_hp_bool(b->hp, "proximity_bias")};

    if (!mdl_hp_bool(b->hp, "causal_decoder_self_attention"))
        m.key_ids = g->targets;
    else if (g->levels)
        m.q_levels = m.k_levels = g->levels;
    else
        m.causal = true;
    m.q_segments = m.k_segments = g->targets_segmentation;
    if (g->recalled)
        m.key_ids = g->recalled;
    return m;
}

/*
 * Masks of the attention to the encoder: padding of the inputs, or other segments of a packed row.
 */
static struct nn_attention memory_masks(const struct mdl_graph *g)
{
    struct nn_attention m = {0};

    if (g->inputs_segmentation && g->targets_segmentation) {
        m.q_segments = g->targets_segmentation;
        m.k_segments = g->inputs_segmentation;
    } else {
        m.key_ids = g->inputs;
    }
    return m;
}

/* use_pad_remover takes padding rows out before the feed-forward layer and puts zeros back; here
 * the residual sum leaves those rows alone (row_ids), which gives the same values. */
static struct gr_tensor *encoder(const struct mdl_build *b, struct mdl_graph *g)
{
    struct gr_tensor *x = b->problem->speech
                              ? embed_speech(b, g)
                              : embed(b, g->inputs, g->inputs_position, false, false, false);
    struct gr_tensor *row_ids = g->inputs_segmentation ? g->inputs_segmentation : g->inputs;
    struct gr_tensor *removed = NULL; /* (B, L) ids or segments */
    struct mdl_tf_place place = {.row_ids = row_ids};
    struct nn_attention masks = encoder_masks(b, g), area_masks = {0};
    struct nn_areas areas = {0};
    struct mdl_ut_halting halting = {0};
    char name[MDL_TF_NAME_BYTES];

    if (mdl_is_revnet(b))
        return end_of_stack(b, mdl_rev_encoder(b, x, &masks), "encoder");
    if (mdl_hp_bool(b->hp, "use_pad_remover") && mdl_tf_is_dense(b->hp))
        removed = row_ids;
    if (mdl_area_layer(b->hp, 0, true)) {
        areas = mdl_encoder_areas(b->hp);
        area_masks = mdl_area_masks(b->g, &masks, &areas, x->dims[0], x->dims[1], x->dims[1]);
    }
    for (int layer = 0; layer < mdl_tf_layers(b, false); layer++) {
        struct gr_tensor *y;

        gr_layer(b->g, 1 + layer);
        if (mdl_is_evolved(b)) {
            x = mdl_et_encoder_layer(b, x, row_ids, &masks, layer);
            continue;
        }
        x = mdl_tf_enter_layer(b, x, "encoder", layer, false, &halting);
        mdl_tf_sublayer(b, name, "encoder", layer, "self_attention");
        y = mdl_tf_before(b, x, name);
        y = mdl_area_layer(b->hp, layer, true)
                ? mdl_tf_area_attention(b, y, y, &area_masks, &areas, name)
                : mdl_tf_attention(b, y, y, &masks, name);
        x = mdl_tf_after(b, x, y, NULL, name);
        mdl_tf_sublayer(b, name, "encoder", layer, "ffn");
        y = mdl_tf_before(b, x, name);
        x = mdl_tf_after(b, x, mdl_tf_feed_forward(b, y, &place, name), removed, name);
        x = mdl_tf_leave_layer(b, x, layer, &halting, g);
    }
    return end_of_stack(b, x, "encoder");
}

/* What the decoder's layers see of the targets and of the encoder's output, by positions and, where
 * a layer attends to areas, by these. */
struct decoder_masks {
    struct nn_attention own, memory, own_areas, memory_areas;
    struct nn_areas areas;
};

static struct decoder_masks masks_of_decoder(const struct mdl_build *b, const struct mdl_graph *g,
                                             const struct gr_tensor *x,
                                             const struct gr_tensor *encoded)
{
    struct decoder_masks m = {.own = decoder_masks(b, g), .memory = memory_masks(g)};
    int64_t B = x->dims[0], L = x->dims[1];

    if (!mdl_area_layer(b->hp, 0, false))
        return m;
    m.areas = mdl_decoder_areas(b->hp);
    if (mdl_area_layer(b->hp, 0, true))
        m.own_areas = mdl_area_masks(b->g, &m.own, &m.areas, B, L, L);
    if (encoded)
        m.memory_areas = mdl_area_masks(b->g, &m.memory, &m.areas, B, L, encoded->dims[1]);
    return m;
}

static struct gr_tensor *self_attention(const struct mdl_build *b, const struct mdl_graph *g,
                                        struct gr_tensor *x, const struct decoder_masks *m,
                                        int32_t layer, const char *name)
{
    if (g->recalled)
        return mdl_tf_recalling_attention(b, x, &m->own, layer, name);
    return mdl_area_layer(b->hp, layer, true)
               ? mdl_tf_area_attention(b, x, x, &m->own_areas, &m->areas, name)
               : mdl_tf_attention(b, x, x, &m->own, name);
}

static struct gr_tensor *decoder(const struct mdl_build *b, struct mdl_graph *g,
                                 struct gr_tensor *encoded)
{
    struct gr_tensor *x = embed(b, g->targets, g->targets_position, true, true, false);
    struct mdl_tf_place place = {.decoder = true, .row_ids = g->targets_segmentation};
    struct decoder_masks masks = masks_of_decoder(b, g, x, encoded);
    struct mdl_ut_halting halting = {0};
    struct mdl_et_decoder evolved = {g->targets_segmentation, &masks.own, &masks.memory, encoded};
    char name[MDL_TF_NAME_BYTES];

    if (mdl_is_revnet(b))
        return end_of_stack(b, mdl_rev_decoder(b, x, encoded, &masks.memory), "decoder");
    for (int layer = 0; layer < mdl_tf_layers(b, true); layer++) {
        struct gr_tensor *y;

        gr_layer(b->g, 1 + MDL_MAX_LAYERS + layer);
        if (mdl_is_evolved(b)) {
            x = mdl_et_decoder_layer(b, x, &evolved, layer);
            continue;
        }
        x = mdl_tf_enter_layer(b, x, "decoder", layer, false, &halting);
        mdl_tf_sublayer(b, name, "decoder", layer, "self_attention");
        y = mdl_tf_before(b, x, name);
        x = mdl_tf_after(b, x, self_attention(b, g, y, &masks, layer, name), NULL, name);
        if (encoded) {
            mdl_tf_sublayer(b, name, "decoder", layer, "encdec_attention");
            y = mdl_tf_before(b, x, name);
            y = mdl_area_layer(b->hp, layer, false)
                    ? mdl_tf_area_attention(b, y, encoded, &masks.memory_areas, &masks.areas, name)
                    : mdl_tf_attention(b, y, encoded, &masks.memory, name);
            x = mdl_tf_after(b, x, y, NULL, name);
        }
        mdl_tf_sublayer(b, name, "decoder", layer, "ffn");
        y = mdl_tf_before(b, x, name);
        x = mdl_tf_after(b, x, mdl_tf_feed_forward(b, y, &place, name), NULL, name);
        x = mdl_tf_leave_layer(b, x, layer, &halting, g);
    }
    return end_of_stack(b, x, "decoder");
}

/* ---- teacher-forced ---- */

static struct gr_tensor *ids_tensor(const struct mdl_build *b, int32_t batch, int32_t length)
{
    int64_t dims[] = {batch, length};

    return gr_ids(b->g, 2, dims);
}

static struct gr_tensor *features_tensor(const struct mdl_build *b, int32_t batch,
                                         int32_t positions)
{
    int64_t dims[] = {batch, mdl_speech_rows(positions), b->problem->image.width,
                      b->problem->image.channels};

    return gr_floats(b->g, 4, dims);
}

/* With symbol_dropout the targets that are embedded differ from those that are predicted. */
static bool drops_symbols(const struct mdl_build *b)
{
    return mdl_hp_float(b->hp, "symbol_dropout") > 0.0;
}

/* The inputs of the graph, each (batch, length): ids, and of packed rows segment and position. */
static void add_ids(const struct mdl_build *b, const struct mdl_shape *s, struct mdl_graph *out)
{
    bool full = mdl_tf_is(b->hp, "prepend_mode", "prepend_inputs_full_attention");

    out->targets = ids_tensor(b, s->batch, s->targets_length);
    if (s->packed) {
        out->targets_segmentation = ids_tensor(b, s->batch, s->targets_length);
        out->targets_position = ids_tensor(b, s->batch, s->targets_length);
    }
    if (mdl_prepend_has_labels(b->hp) || drops_symbols(b))
        out->labels = ids_tensor(b, s->batch, s->targets_length);
    if (full)
        out->levels = ids_tensor(b, s->batch, s->targets_length);
    if (mdl_tf_memory_items(b) > 0)
        out->recalled = ids_tensor(b, s->batch, mdl_tf_memory_items(b) + s->targets_length);
    if (b->problem->speech)
        out->images = features_tensor(b, s->batch, s->inputs_length);
    if (!b->problem->has_inputs || b->problem->speech)
        return;
    out->inputs = ids_tensor(b, s->batch, s->inputs_length);
    if (s->packed) {
        out->inputs_segmentation = ids_tensor(b, s->batch, s->inputs_length);
        out->inputs_position = ids_tensor(b, s->batch, s->inputs_length);
    }
}

void mdl_tf_drop_symbols(const struct mdl_build *b, const struct mdl_graph *out)
{
    double rate = mdl_hp_float(b->hp, "symbol_dropout");

    if (!b->g->training || rate <= 0.0)
        return;
    if (out->inputs)
        nn_drop_ids(b->g, out->inputs, rate, 0);
    if (out->targets && !b->problem->class_labels) /* a class is no symbol */
        nn_drop_ids(b->g, out->targets, rate, 1);
}

/* Teacher-forced: all positions at once, for training, evaluation and scoring. */
void mdl_tf_build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct gr_tensor *encoded = NULL, *decoded; /* (B, Li, D), (B, Lt, D) */

    add_ids(b, shape, out);
    mdl_tf_drop_symbols(b, out);
    if (b->problem->has_inputs)
        encoded = encoder(b, out);
    decoded = decoder(b, out, encoded);
    mdl_symbol_loss(b, decoded, mdl_tf_symbols(b, MDL_TF_SOFTMAX), want_logits, out);
}

enum t2_status mdl_tf_check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    if (problem->has_inputs && !shape->packed && mdl_hp_bool(hp, "proximity_bias") &&
        !mdl_hp_bool(hp, "unidirectional_encoder"))
        return t2_fail(
            err, T2_EUNSUPPORTED,
            "transformer: proximity_bias=true works with packed inputs or without inputs "
            "only (Tensor2Tensor fails there, too)");
    return mdl_area_check_shape(hp, problem, shape, err);
}

/* ---- step by step ---- */

/* Decoding, once per batch: the encoder, and for each decoder layer the keys and values of its
 * output, (B, Li, k channels) and (B, Li, v channels), which every step reads. */
void mdl_tf_build_encode(const struct mdl_build *b, int32_t batch, int32_t inputs_length,
                         struct mdl_graph *out, struct mdl_memory *memory)
{
    struct nn_areas areas = {0};
    struct gr_tensor *encoded; /* (B, Li, D) */
    char name[MDL_TF_NAME_BYTES];

    if (b->problem->speech)
        out->images = features_tensor(b, batch, inputs_length);
    else
        out->inputs = ids_tensor(b, batch, inputs_length);
    encoded = encoder(b, out);
    memory->n_layers = mdl_tf_layers(b, true);
    for (int layer = 0; layer < memory->n_layers; layer++) {
        int32_t alike = mdl_tf_first_alike(b, layer);

        if (alike < layer) {
            memory->k[layer] = memory->k[alike];
            memory->v[layer] = memory->v[alike];
            continue;
        }
        mdl_tf_sublayer(b, name, "decoder", layer, "encdec_attention");
        memory->k[layer] = mdl_tf_project(b, encoded, name, 'k');
        memory->v[layer] = mdl_tf_project(b, encoded, name, 'v');
        if (!mdl_area_layer(b->hp, layer, false))
            continue;
        areas = mdl_decoder_areas(b->hp);
        memory->k[layer] = mdl_tf_area_keys(b, memory->k[layer], &areas, name);
        memory->v[layer] = mdl_area_values(b, memory->v[layer], &areas);
    }
}

/* A tensor of another graph as a constant of this one. */
static struct gr_tensor *import(const struct mdl_build *b, const struct gr_tensor *t)
{
    return gr_cache(b->g, t->rank, t->dims, NULL);
}

/* (rows, max_length, channels), rows = batch * beam. */
static struct gr_tensor *cache_of(const struct mdl_build *b, const struct mdl_step *s,
                                  int64_t channels)
{
    int64_t dims[] = {s->rows, s->max_length, channels};

    return gr_cache(b->g, 3, dims, NULL);
}

/* x (rows,1,D): its key and value go to row `position` of the caches, and the query sees rows 0 ..
 * position of those that the hypothesis continues. */
static struct gr_tensor *cached_self_attention(const struct mdl_build *b, struct mdl_step *s,
                                               int layer, struct gr_tensor *x, const char *name)
{
    struct nn_attention a = {.cached = true,
                             .cache_index = s->cache_index,
                             .proximity = mdl_hp_bool(b->hp, "proximity_bias")};
    struct gr_tensor *k = mdl_tf_project(b, x, name, 'k'), *v = mdl_tf_project(b, x, name, 'v');

    s->caches[MDL_CACHE_K][layer] = cache_of(b, s, k->dims[2]);
    s->caches[MDL_CACHE_V][layer] = cache_of(b, s, v->dims[2]);
    return mdl_tf_attend(b, x, nn_cache_put(b->g, k, s->caches[MDL_CACHE_K][layer]),
                         nn_cache_put(b->g, v, s->caches[MDL_CACHE_V][layer]), a, true, name);
}

static struct gr_tensor *memory_attention(const struct mdl_build *b, struct mdl_step *s, int layer,
                                          struct gr_tensor *x, const char *name)
{
    struct nn_attention a = {.key_ids = s->memory_inputs};

    if (mdl_area_layer(b->hp, layer, false)) {
        struct nn_areas areas = mdl_decoder_areas(b->hp);

        a.key_ids = nn_area_ids(b->g, s->rows / s->beam, s->inputs_length, s->memory_inputs, &areas,
                                DEV_AREA_FILLED);
    }
    a.q_per_key = s->beam;
    s->memory_k[layer] = import(b, s->memory->k[layer]);
    s->memory_v[layer] = import(b, s->memory->v[layer]);
    return mdl_tf_attend(b, x, s->memory_k[layer], s->memory_v[layer], a, false, name);
}

/* Decoding, one position: out->targets (rows,1) are the ids chosen last, logits (rows,1,V). */
void mdl_tf_build_step(const struct mdl_build *b, struct mdl_step *s, struct mdl_graph *out)
{
    int64_t ffn_channels = mdl_tf_ffn_cache(b->hp);
    struct mdl_ut_halting halting = {0};
    struct gr_tensor *x, *y, *area_index = NULL;
    char name[MDL_TF_NAME_BYTES];

    out->targets = ids_tensor(b, s->rows, 1);
    if (s->memory)
        s->memory_inputs = ids_tensor(b, s->rows / s->beam, s->inputs_length);
    x = embed(b, out->targets, NULL, true, false, true);
    for (int layer = 0; layer < mdl_tf_layers(b, true); layer++) {
        struct mdl_tf_place place = {.decoder = true, .cache_index = s->cache_index};

        x = mdl_tf_enter_layer(b, x, "decoder", layer, true, &halting);
        mdl_tf_sublayer(b, name, "decoder", layer, "self_attention");
        y = mdl_tf_before(b, x, name);
        y = mdl_area_layer(b->hp, layer, true)
                ? mdl_tf_cached_areas(b, s, layer, y, &area_index, name)
                : cached_self_attention(b, s, layer, y, name);
        x = mdl_tf_after(b, x, y, NULL, name);
        if (s->memory) {
            mdl_tf_sublayer(b, name, "decoder", layer, "encdec_attention");
            y = mdl_tf_before(b, x, name);
            x = mdl_tf_after(b, x, memory_attention(b, s, layer, y, name), NULL, name);
        }
        mdl_tf_sublayer(b, name, "decoder", layer, "ffn");
        if (ffn_channels)
            place.cache = s->caches[MDL_CACHE_F][layer] = cache_of(b, s, ffn_channels);
        y = mdl_tf_before(b, x, name);
        x = mdl_tf_after(b, x, mdl_tf_feed_forward(b, y, &place, name), NULL, name);
        x = mdl_tf_leave_layer(b, x, layer, &halting, NULL);
    }
    x = end_of_stack(b, x, "decoder");
    out->logits = mdl_step_logits(b, s, x, mdl_tf_symbols(b, MDL_TF_SOFTMAX));
}

/* The original decodes as if every position were the first, so that nothing good comes of it. */
enum t2_status mdl_tf_check_decoding(const struct mdl_hparams *hp, struct t2_err *err)
{
    if (mdl_tf_is(hp, "ffn_layer", "conv_hidden_relu_with_sepconv"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: ffn_layer=conv_hidden_relu_with_sepconv can be trained and "
                       "evaluated, but not decoded");
    if (mdl_area_layer(hp, 0, false) && mdl_hp_int(hp, "max_area_height") > 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: max_area_height above 1 can be trained and evaluated, but not "
                       "decoded, where a text is no grid before its end");
    return T2_OK;
}

void mdl_tf_cache_channels(const struct mdl_hparams *hp, int32_t layer,
                           int64_t channels[MDL_N_CACHES])
{
    int64_t k, v, width;

    mdl_tf_channels(hp, &k, &v);
    channels[MDL_CACHE_F] = mdl_tf_ffn_cache(hp);
    channels[MDL_CACHE_K] = k;
    channels[MDL_CACHE_V] = v;
    if (!mdl_area_layer(hp, layer, true))
        return;
    width = mdl_decoder_areas(hp).most_width;
    channels[MDL_CACHE_K] *= width;
    channels[MDL_CACHE_V] *= width;
    channels[MDL_CACHE_AREA_K] = k;
    channels[MDL_CACHE_AREA_V] = v;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    return mdl_tf_check("transformer", hp, problem, err);
}

const struct mdl_kind mdl_transformer = {
    .name = "transformer",
    .own_set = "transformer_base",
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .check_decoding = mdl_tf_check_decoding,
    .build_encode = mdl_tf_build_encode,
    .build_step = mdl_tf_build_step,
    .n_decoder_layers = mdl_tf_decoder_layers,
    .cache_channels = mdl_tf_cache_channels,
};

/* The original's model that computes nothing but scores when it is asked to predict; its
 * checkpoints are the Transformer's. */
static enum t2_status check_scoring(const struct mdl_hparams *hp, struct t2_err *err)
{
    (void) hp;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "transformer_scorer scores texts that are there (--score_file) and makes none; "
                   "--model=transformer decodes the same checkpoints");
}

const struct mdl_kind mdl_transformer_scorer = {
    .name = "transformer_scorer",
    .own_set = "transformer_base",
    .variables = "transformer",
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .check_decoding = check_scoring,
};

/* ---- transformer_encoder: a class label for a text ---- */

/* The encoder's output, averaged over all positions, padding too, then a dense layer
 * (class_label_top). */
void mdl_tf_build_classifier(const struct mdl_build *b, const struct mdl_shape *shape,
                             bool want_logits, struct mdl_graph *out)
{
    mdl_class_targets(b, shape, out);
    out->inputs = ids_tensor(b, shape->batch, shape->inputs_length);
    mdl_text_class_top(b, nn_mean_positions(b->g, encoder(b, out)), want_logits, out);
}

static enum t2_status check_classifier(const struct mdl_hparams *hp,
                                       const struct mdl_problem *problem, struct t2_err *err)
{
    if (!problem->has_inputs || !problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer_encoder needs a problem with inputs whose targets are class "
                       "labels");
    return mdl_tf_check("transformer_encoder", hp, problem, err);
}

enum t2_status mdl_tf_check_classifier_shape(const struct mdl_hparams *hp,
                                             const struct mdl_problem *problem,
                                             const struct mdl_shape *shape, struct t2_err *err)
{
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer_encoder takes one text per row, not packed data");
    return mdl_tf_check_shape(hp, problem, shape, err);
}

const struct mdl_kind mdl_transformer_encoder = {
    .name = "transformer_encoder",
    .own_set = "transformer_base",
    .check = check_classifier,
    .check_shape = mdl_tf_check_classifier_shape,
    .build = mdl_tf_build_classifier,
};
