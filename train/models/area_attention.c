/*
 * train/models/area_attention.c - attention to areas, ranges of neighbouring positions.
 *
 * The kernels of attention know nothing of areas: they are more keys, in an order in which those
 * that a position adds come behind all before it (struct dev_areas).  So a cache of areas grows by
 * the same number of rows with every position, and what areas a query sees is a matter of ids.
 */
#include "train/models/area_attention.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/ops/cast.h"
#include "train/ops/conv.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/linear.h"
#include "train/ops/slices.h"

enum { MOST_AREAS = 1024 };

static const char key_mode[] = "area_key_mode", value_mode[] = "area_value_mode";

/* ---- what the hparams ask for ---- */

static bool has_areas(const struct mdl_hparams *hp)
{
    return mdl_hp_int(hp, "num_area_layers") > 0 &&
           (mdl_hp_int(hp, "max_area_width") > 1 || mdl_hp_int(hp, "max_area_height") > 1);
}

bool mdl_area_layer(const struct mdl_hparams *hp, int32_t layer, bool self)
{
    return has_areas(hp) && layer < mdl_hp_int(hp, "num_area_layers") &&
           (!self || mdl_tf_is(hp, "self_attention_type", "dot_product"));
}

static struct nn_areas areas_of(const struct mdl_hparams *hp, const char *height)
{
    return (struct nn_areas){.height = mdl_hp_int(hp, height),
                             .most_height = mdl_hp_int(hp, "max_area_height"),
                             .most_width = mdl_hp_int(hp, "max_area_width")};
}

struct nn_areas mdl_encoder_areas(const struct mdl_hparams *hp)
{
    return areas_of(hp, "memory_height");
}

/* The original's decoder takes the one for the other. */
struct nn_areas mdl_decoder_areas(const struct mdl_hparams *hp)
{
    return areas_of(hp, "max_area_height");
}

static int64_t n_at_position(const struct nn_areas *a)
{
    return a->most_height * a->most_width;
}

/* ---- keys and values ---- */

/* What keys are made of: of all areas of x (B, L, C), or of those alone that end with its last
 * position. */
struct source {
    const struct mdl_build *b;
    struct gr_tensor *x;
    const struct nn_areas *of;
    int64_t heads;
    bool newest;
};

/* (B, A, C), or of heads (B, A, heads, C / heads). */
static struct gr_tensor *values_of(const struct source *s, enum dev_area_kind kind, bool by_heads)
{
    struct gr_graph *g = s->b->g;
    int64_t each = n_at_position(s->of);
    struct gr_tensor *y =
        nn_area_values(g, s->x, s->of, kind, by_heads && !s->newest ? s->heads : 0);
    int64_t dims[] = {s->x->dims[0], each, s->heads, s->x->dims[2] / s->heads};

    if (!s->newest)
        return y;
    y = nn_slice_positions(g, y, (s->x->dims[1] - 1) * each, each, 1);
    return by_heads ? nn_reshape(g, y, 4, dims) : y;
}

/* A table (n, D) of rows that are D / 2 wide, as 4 axes: row i, then j, of (n_i, n_j). */
static struct gr_tensor *half_of_sizes(const struct mdl_build *b, struct gr_tensor *table,
                                       const int64_t dims[4], bool is_height)
{
    struct gr_graph *g = b->g;
    int64_t one_row[] = {1, table->n};

    table = nn_repeat(g, is_height ? table : nn_reshape(g, table, 2, one_row),
                      is_height ? dims[2] : dims[1]);
    return nn_reshape(g, table, 4, dims);
}

/* What a model has learned of the sizes of areas, (B, A, heads, D). */
static struct gr_tensor *sizes_of(const struct source *s, const char *scope)
{
    const struct mdl_build *b = s->b;
    struct gr_graph *g = b->g;
    int64_t D = s->x->dims[2] / s->heads, each = n_at_position(s->of), B = s->x->dims[0];
    int64_t positions = s->newest ? 1 : s->x->dims[1];
    int64_t half[] = {1, s->of->most_height, s->of->most_width, D / 2}, whole[] = {each, D};
    int64_t row[] = {1, each * s->heads * D}, all[] = {B, positions * each, s->heads, D};
    struct gr_tensor *sides[2], *sizes;

    sizes = mdl_tf_kernel(b, scope, "area_height_emb", s->of->most_height, D / 2);
    sides[0] = half_of_sizes(b, sizes, half, true);
    sizes = mdl_tf_kernel(b, scope, "area_width_emb", s->of->most_width, D / 2);
    sides[1] = half_of_sizes(b, sizes, half, false);
    sizes = nn_reshape(g, nn_concat_channels(g, sides, 2), 2, whole);
    sizes = nn_reshape(g, nn_repeat(g, sizes, s->heads), 2, row);
    return nn_reshape(g, nn_repeat(g, sizes, B * positions), 4, all);
}

/* x (B, A, heads, n D) -> (B, A, heads, D) */
static struct gr_tensor *two_layers(const struct mdl_build *b, struct gr_tensor *x, int64_t D,
                                    const char *scope)
{
    struct gr_tensor *w = mdl_tf_kernel(b, scope, "dense/kernel", x->dims[3], D);
    struct gr_tensor *bias = mdl_tf_vector(b, scope, "dense/bias", D, GR_INIT_ZEROS);
    struct gr_tensor *h = nn_linear(b->g, x, w, bias, true, 0.0);

    w = mdl_tf_kernel(b, scope, "dense_1/kernel", D, D);
    bias = mdl_tf_vector(b, scope, "dense_1/bias", D, GR_INIT_ZEROS);
    return nn_linear(b->g, h, w, bias, false, 0.0);
}

/* What the modes "sample..." take of the positions. */
static struct gr_tensor *sample_of(const struct source *s, bool by_heads)
{
    struct gr_graph *g = s->b->g;
    struct gr_tensor *mean = values_of(s, DEV_AREA_MEAN, by_heads);

    if (!g->training)
        return mean;
    return nn_add_normal(g, mean, values_of(s, DEV_AREA_DEVIATION, by_heads),
                         gr_next_dropout_site(g));
}

static struct gr_tensor *keys_of(const struct source *s, const char *scope)
{
    struct gr_graph *g = s->b->g;
    const struct mdl_hparams *hp = s->b->hp;
    struct gr_tensor *parts[3], *x;
    int64_t dims[3];

    if (mdl_tf_is(hp, key_mode, "mean") || mdl_tf_is(hp, key_mode, "max"))
        return values_of(s, mdl_tf_is(hp, key_mode, "max") ? DEV_AREA_MAX : DEV_AREA_MEAN, false);
    if (mdl_tf_is(hp, key_mode, "sample"))
        return sample_of(s, false);
    parts[1] = sizes_of(s, scope);
    if (mdl_tf_is(hp, key_mode, "sample_concat")) {
        parts[0] = sample_of(s, true);
        x = nn_concat_channels(g, parts, 2);
    } else if (mdl_tf_is(hp, key_mode, "sample_sum")) {
        parts[0] = sample_of(s, true);
        x = nn_add(g, parts[1], parts[0]);
    } else if (mdl_tf_is(hp, key_mode, "max_concat")) {
        parts[0] = values_of(s, DEV_AREA_MAX, true);
        x = nn_concat_channels(g, parts, 2);
    } else if (mdl_tf_is(hp, key_mode, "concat")) {
        parts[2] = parts[1];
        parts[0] = values_of(s, DEV_AREA_MEAN, true);
        parts[1] = values_of(s, DEV_AREA_DEVIATION, true);
        x = nn_concat_channels(g, parts, 3);
    } else {
        parts[0] = values_of(s, DEV_AREA_MEAN, true);
        parts[2] = values_of(s, DEV_AREA_DEVIATION, true);
        x = nn_add(g, nn_add(g, parts[1], parts[0]), parts[2]);
    }
    x = two_layers(s->b, x, parts[0]->dims[3], scope);
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    dims[2] = s->x->dims[2];
    return nn_reshape(g, x, 3, dims);
}

static enum dev_area_kind value_kind(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, value_mode, "mean")  ? DEV_AREA_MEAN
           : mdl_tf_is(hp, value_mode, "max") ? DEV_AREA_MAX
                                              : DEV_AREA_SUM;
}

struct gr_tensor *mdl_area_keys(const struct mdl_build *b, struct gr_tensor *k,
                                const struct nn_areas *areas, int64_t heads, const char *scope)
{
    return keys_of(&(struct source){.b = b, .x = k, .of = areas, .heads = heads}, scope);
}

struct gr_tensor *mdl_area_values(const struct mdl_build *b, struct gr_tensor *v,
                                  const struct nn_areas *areas)
{
    return nn_area_values(b->g, v, areas, value_kind(b->hp), 0);
}

static void combined_scope(char scope[2 * MDL_TF_FULL_NAME_BYTES], const char *sublayer)
{
    snprintf(scope, 2 * MDL_TF_FULL_NAME_BYTES,
             "%s/multihead_attention/dot_product_area_attention/combine_area_features", sublayer);
}

struct gr_tensor *mdl_tf_area_keys(const struct mdl_build *b, struct gr_tensor *k,
                                   const struct nn_areas *areas, const char *sublayer)
{
    char scope[2 * MDL_TF_FULL_NAME_BYTES];

    combined_scope(scope, sublayer);
    return mdl_area_keys(b, k, areas, mdl_hp_int(b->hp, "num_heads"), scope);
}

/* ---- masks ---- */

struct nn_attention mdl_area_masks(struct gr_graph *g, const struct nn_attention *masks,
                                   const struct nn_areas *areas, int64_t B, int64_t Lq, int64_t Lk)
{
    static const struct nn_areas single = {1, 1, 1};
    struct nn_attention a = {.q_segments = masks->q_segments};

    if (masks->k_segments)
        a.k_segments = nn_area_ids(g, B, Lk, masks->k_segments, areas, DEV_AREA_SAME);
    if (masks->key_ids)
        a.key_ids = nn_area_ids(g, B, Lk, masks->key_ids, areas, DEV_AREA_FILLED);
    if (masks->k_levels) {
        a.q_levels = masks->q_levels;
        a.k_levels = nn_area_ids(g, B, Lk, masks->k_levels, areas, DEV_AREA_GREATEST);
    } else if (masks->causal) {
        a.q_levels = nn_area_ids(g, B, Lq, NULL, &single, DEV_AREA_LAST);
        a.k_levels = nn_area_ids(g, B, Lk, NULL, areas, DEV_AREA_LAST);
    } else if (!a.key_ids) {
        a.key_ids = nn_area_ids(g, B, Lk, NULL, areas, DEV_AREA_THERE);
    }
    return a;
}

/* ---- in training ---- */

struct gr_tensor *mdl_tf_area_attention(const struct mdl_build *b, struct gr_tensor *x,
                                        struct gr_tensor *memory, const struct nn_attention *masks,
                                        const struct nn_areas *areas, const char *sublayer)
{
    struct gr_tensor *k = mdl_tf_project(b, memory, sublayer, 'k'); /* (B, Lk, K) */
    struct gr_tensor *v = mdl_tf_project(b, memory, sublayer, 'v'); /* (B, Lk, V) */

    k = mdl_tf_area_keys(b, k, areas, sublayer); /* (B, A, K) */
    v = mdl_area_values(b, v, areas);            /* (B, A, V) */
    return mdl_tf_attend(b, x, k, v, *masks, false, sublayer);
}

/* ---- step by step ---- */

/* x (rows, 1, C) joins a cache of positions; the last most_width of the hypothesis, (rows,
 * most_width, C), 0 where there are none yet. */
static struct gr_tensor *last_positions(const struct mdl_build *b, struct mdl_step *s,
                                        int32_t layer, struct gr_tensor *x, enum mdl_cache cache,
                                        int64_t n)
{
    int64_t dims[] = {s->rows, s->max_length, x->dims[2]}, window[] = {s->rows, n + 1, x->dims[2]};
    struct nn_unfold last = {.taps = n + 1, /* tap 0 is the position, as the last one is */
                             .first = -n,
                             .scale = 1.0,
                             .cached = true,
                             .cache_index = s->cache_index};
    struct gr_tensor *taps;

    s->caches[cache][layer] = gr_cache(b->g, 3, dims, NULL);
    taps = nn_unfold(b->g, nn_cache_put(b->g, x, s->caches[cache][layer]), &last);
    return nn_slice_positions(b->g, nn_reshape(b->g, taps, 3, window), 1, n, 1);
}

/* x (rows, most_width, C) joins a cache of areas. */
static struct gr_tensor *cached(const struct mdl_build *b, struct mdl_step *s, int32_t layer,
                                struct gr_tensor *x, enum mdl_cache cache)
{
    int64_t dims[] = {s->rows, s->max_length * x->dims[1], x->dims[2]};

    s->caches[cache][layer] = gr_cache(b->g, 3, dims, NULL);
    return nn_cache_put(b->g, x, s->caches[cache][layer]);
}

struct gr_tensor *mdl_tf_cached_areas(const struct mdl_build *b, struct mdl_step *s, int32_t layer,
                                      struct gr_tensor *x, struct gr_tensor **index,
                                      const char *sublayer)
{
    const struct nn_areas of = mdl_decoder_areas(b->hp);
    int64_t n = of.most_width;
    struct source keys = {.b = b,
                          .x = last_positions(b, s, layer, mdl_tf_project(b, x, sublayer, 'k'),
                                              MDL_CACHE_AREA_K, n),
                          .of = &of,
                          .heads = mdl_hp_int(b->hp, "num_heads"),
                          .newest = true};
    struct source values = keys;
    struct nn_attention a = {.cached = true, .step_keys = n};
    struct gr_tensor *k, *v;
    char scope[2 * MDL_TF_FULL_NAME_BYTES];

    T2_ASSERT(of.most_height == 1); /* mdl_tf_check_decoding */
    values.x =
        last_positions(b, s, layer, mdl_tf_project(b, x, sublayer, 'v'), MDL_CACHE_AREA_V, n);
    combined_scope(scope, sublayer);
    k = cached(b, s, layer, keys_of(&keys, scope), MDL_CACHE_K);
    v = cached(b, s, layer, values_of(&values, value_kind(b->hp), false), MDL_CACHE_V);
    if (s->origins && !*index)
        *index = nn_cache_index(b->g, s->origins, s->max_length * n, n);
    a.cache_index = *index;
    a.key_ids = nn_area_ids(b->g, s->rows, s->max_length, NULL, &of, DEV_AREA_THERE);
    return mdl_tf_attend(b, x, k, v, a, false, sublayer);
}

/* ---- refusals ---- */

static enum t2_status check_mode(const struct mdl_hparams *hp, const char *name,
                                 const char *const *known, const char *help, struct t2_err *err)
{
    const char *value = mdl_hp_string(hp, name);

    for (; *known; known++)
        if (strcmp(value, *known) == 0)
            return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "area attention: %s=%s is not supported (supported: %s)",
                   name, value, help);
}

enum t2_status mdl_area_check_modes(const struct mdl_hparams *hp, int64_t depth, struct t2_err *err)
{
    static const char *const keys[] = {"mean",   "max",           "concat",     "max_concat", "sum",
                                       "sample", "sample_concat", "sample_sum", NULL};
    static const char *const values[] = {"mean", "max", "sum", NULL};

    T2_TRY(check_mode(hp, key_mode, keys,
                      "mean, max, concat, max_concat, sum, sample, sample_concat, sample_sum",
                      err));
    T2_TRY(check_mode(hp, value_mode, values, "mean, max, sum", err));
    if (depth % 2 && !mdl_tf_is(hp, key_mode, "mean") && !mdl_tf_is(hp, key_mode, "max") &&
        !mdl_tf_is(hp, key_mode, "sample"))
        return t2_fail(err, T2_EUSAGE,
                       "area attention: area_key_mode=%s needs an even number of key channels for "
                       "each head, not %" PRId64,
                       mdl_hp_string(hp, key_mode), depth);
    return T2_OK;
}

enum t2_status mdl_area_check(const char *model, const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const sizes[] = {"max_area_width", "max_area_height", "memory_height"};
    int64_t k, v, heads = mdl_hp_int(hp, "num_heads");

    if (mdl_hp_int(hp, "num_area_layers") <= 0)
        return T2_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (mdl_hp_int(hp, sizes[i]) < 1 || mdl_hp_int(hp, sizes[i]) > MOST_AREAS)
            return t2_fail(err, T2_EUSAGE, "%s: %s=%" PRId64 " must lie between 1 and %d", model,
                           sizes[i], mdl_hp_int(hp, sizes[i]), MOST_AREAS);
    if (!has_areas(hp))
        return T2_OK;
    if (mdl_hp_int(hp, "max_area_width") * mdl_hp_int(hp, "max_area_height") > MOST_AREAS)
        return t2_fail(err, T2_EUSAGE, "%s: max_area_width times max_area_height is above %d",
                       model, MOST_AREAS);
    mdl_tf_channels(hp, &k, &v);
    T2_TRY(mdl_area_check_modes(hp, k / heads, err));
    if (mdl_hp_bool(hp, "proximity_bias") || mdl_hp_int(hp, "hard_attention_k") > 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: area attention (num_area_layers) is not supported with "
                       "proximity_bias=true or hard_attention_k above 0",
                       model);
    return T2_OK;
}

enum t2_status mdl_area_check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    const struct mdl_shape *shape, struct t2_err *err)
{
    int64_t inputs = problem->has_inputs ? shape->inputs_length : 0, encoder, decoder;

    if (!has_areas(hp))
        return T2_OK;
    encoder = mdl_encoder_areas(hp).height;
    decoder = mdl_decoder_areas(hp).height;
    if (inputs % encoder == 0 &&
        (problem->class_labels || (inputs % decoder == 0 && shape->targets_length % decoder == 0)))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "area attention with max_area_height=%" PRId64 ", memory_height=%" PRId64
                   " takes inputs and targets of whole multiples of both, not %d and %d ids "
                   "(Tensor2Tensor fails there, too)",
                   decoder, encoder, (int) inputs, (int) shape->targets_length);
}
