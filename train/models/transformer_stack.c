/*
 * train/models/transformer_stack.c - which layers a stack of a Transformer has, what their
 * variables are called, and what is added in front of one.
 *
 * The Transformer has layer_0, layer_1, ….  The Universal Transformer (Dehghani et al. 2018;
 * models/research/universal_transformer_util.py, universal_transformer_layer and step_preprocess)
 * has num_rec_steps times the same num_inrecurrence_layers layers, which share their variables; in
 * front of step s it adds, where the hparams say so,
 *   x += timing  and  x += sqrt(D) layer_embedding[s], or x += timing[s] (sinusoid)
 * and with mix_with_transformer it has num_mixedin_layers layers of their own before or after the
 * steps.  Layers are numbered in the order in which they compute.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "train/models/attention_kinds.h"
#include "train/models/transformer_parts.h"
#include "train/ops/axes.h"
#include "train/ops/cast.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/image_layout.h"
#include "train/ops/mark_rows.h"

static bool is_universal(const struct mdl_build *b)
{
    return t2_starts_with(b->model, "universal_transformer");
}

/* ---- the layers of a Universal Transformer ---- */

enum part { BEFORE, STEPS, AFTER };

struct place {
    enum part part;
    int32_t number; /* of the layer in its part; of a step's layers */
    int32_t step;   /* of STEPS */
};

/* mix_with_transformer is None, which is no text, or names one or both sides. */
static bool mixes(const struct mdl_hparams *hp, const char *side)
{
    return mdl_hp_type_of(hp, "mix_with_transformer") == MDL_HP_STRING &&
           strstr(mdl_hp_string(hp, "mix_with_transformer"), side);
}

static int64_t n_before(const struct mdl_hparams *hp)
{
    return mixes(hp, "before_ut") ? mdl_hp_int(hp, "num_mixedin_layers") : 0;
}

static int64_t n_after(const struct mdl_hparams *hp)
{
    return mixes(hp, "after_ut") ? mdl_hp_int(hp, "num_mixedin_layers") : 0;
}

static int64_t n_steps(const struct mdl_hparams *hp)
{
    return mdl_hp_int(hp, mdl_ut_is_adaptive(hp) ? "act_max_steps" : "num_rec_steps");
}

int32_t mdl_ut_layers(const struct mdl_hparams *hp)
{
    return (int32_t) (n_before(hp) + n_after(hp) +
                      n_steps(hp) * mdl_hp_int(hp, "num_inrecurrence_layers"));
}

static struct place place_of(const struct mdl_hparams *hp, int layer)
{
    int32_t before = (int32_t) n_before(hp),
            each = (int32_t) mdl_hp_int(hp, "num_inrecurrence_layers");
    int32_t steps = (int32_t) n_steps(hp);

    if (layer < before)
        return (struct place){BEFORE, layer, 0};
    layer -= before;
    if (layer >= steps * each)
        return (struct place){AFTER, layer - steps * each, 0};
    return (struct place){STEPS, layer % each, layer / each};
}

static void stack_scope(const struct mdl_build *b, char scope[MDL_TF_NAME_BYTES], const char *stack)
{
    snprintf(scope, MDL_TF_NAME_BYTES, "%s/body/%s/universal_transformer_%s", b->model, stack,
             mdl_hp_string(b->hp, "recurrence_type"));
}

/* ---- signals ---- */

/* x (B,L,D) plus what an embedding of nothing gives: timing, one row of a table, or both. */
static struct gr_tensor *add_signals(const struct mdl_build *b, struct gr_tensor *x, bool timing,
                                     struct gr_tensor *rows, int32_t row, bool at_position)
{
    int64_t dims[] = {b->tables->n_positions, mdl_hp_int(b->hp, "hidden_size")};
    struct gr_tensor *table = gr_table(b->g, 2, dims, &b->tables->timing);
    struct nn_embed e = {.ids = nn_mark_rows(b->g, x),
                         .table = table,
                         .scale = 0.0,
                         .extra_table = rows,
                         .extra_row = row,
                         .positions = timing ? table : NULL,
                         .at_position = at_position};

    return nn_add(b->g, x, nn_embed(b->g, &e));
}

/* A row for each step: learned, (steps,1,1,D) in the original, or of the timing signal. */
static struct gr_tensor *step_rows(const struct mdl_build *b, const char *stack)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), steps = n_steps(b->hp);
    int64_t four[] = {steps, 1, 1, hidden}, two[] = {b->tables->n_positions, hidden};
    double root = sqrt((double) hidden);
    char scope[MDL_TF_NAME_BYTES];
    struct gr_tensor *rows; /* (steps, D) */

    if (mdl_tf_is(b->hp, "step_timing_signal_type", "sinusoid"))
        return gr_table(b->g, 2, two, &b->tables->timing);
    stack_scope(b, scope, stack);
    two[0] = steps;
    rows = mdl_tf_variable(b, scope, "layer_embedding", 4, four, GR_INIT_NORMAL, 1.0 / root);
    return nn_convert(b->g, nn_scale(b->g, nn_reshape(b->g, rows, 2, two), root), DEV_FLOAT32);
}

/* ---- of either model ---- */

int32_t mdl_tf_layers(const struct mdl_build *b, bool decoder)
{
    if (is_universal(b))
        return mdl_ut_layers(b->hp);
    if (mdl_is_moe(b))
        return mdl_moe_layers(b->hp);
    return decoder ? mdl_tf_decoder_layers(b->hp) : mdl_tf_encoder_layers(b->hp);
}

int32_t mdl_tf_first_alike(const struct mdl_build *b, int32_t layer)
{
    struct place place;

    if (!is_universal(b))
        return layer;
    place = place_of(b->hp, layer);
    return place.part == STEPS ? (int32_t) n_before(b->hp) + place.number : layer;
}

void mdl_tf_sublayer(const struct mdl_build *b, char name[MDL_TF_NAME_BYTES], const char *stack,
                     int32_t layer, const char *what)
{
    static const char *const parts[] = {"before_ut_layer", "rec_layer", "after_ut_layer"};
    char scope[MDL_TF_NAME_BYTES];
    struct place place;

    if (mdl_is_moe(b)) {
        bool attention = strcmp(what, "self_attention") == 0;

        snprintf(name, MDL_TF_NAME_BYTES, "%s/layer_%d/%s%s", b->model, layer,
                 attention ? "attention_" : what, attention ? mdl_moe_attention(b->hp, layer) : "");
        return;
    }
    if (!is_universal(b)) {
        snprintf(name, MDL_TF_NAME_BYTES, "%s/body/%s/layer_%d/%s", b->model, stack, layer, what);
        return;
    }
    place = place_of(b->hp, layer);
    stack_scope(b, scope, stack);
    snprintf(name, MDL_TF_NAME_BYTES, "%.90s/%s_%d/%s", scope, parts[place.part], place.number,
             what);
}

struct gr_tensor *mdl_tf_enter_layer(const struct mdl_build *b, struct gr_tensor *x,
                                     const char *stack, int32_t layer, bool at_position,
                                     struct mdl_ut_halting *halting)
{
    struct gr_tensor *rows = NULL; /* (steps, D) */
    struct place place;
    bool timing;

    if (!is_universal(b))
        return x;
    place = place_of(b->hp, layer);
    if (place.number > 0)
        return x;
    timing = mdl_hp_bool(b->hp, "add_position_timing_signal");
    if (place.part == STEPS && mdl_hp_bool(b->hp, "add_step_timing_signal"))
        rows = step_rows(b, stack);
    x = timing || rows ? add_signals(b, x, timing, rows, place.step, at_position) : x;
    if (place.part == STEPS && mdl_ut_is_adaptive(b->hp))
        mdl_ut_begin_step(b, x, stack, halting);
    return x;
}

struct gr_tensor *mdl_tf_leave_layer(const struct mdl_build *b, struct gr_tensor *x, int32_t layer,
                                     struct mdl_ut_halting *halting, struct mdl_graph *out)
{
    struct place place;

    if (!is_universal(b) || !mdl_ut_is_adaptive(b->hp))
        return x;
    place = place_of(b->hp, layer);
    if (place.part != STEPS || place.number + 1 < mdl_hp_int(b->hp, "num_inrecurrence_layers"))
        return x;
    mdl_ut_end_step(b, x, halting);
    return place.step + 1 < n_steps(b->hp) ? x : mdl_ut_result(b, halting, out);
}
