/*
 * train/models/image_attention.c - see the header.
 *
 * Weights are dropped where the original drops them: relative, global and encoder-decoder
 * attention, whatever attention_dropout says of the others.
 */
#include "train/models/image_attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/models/local_attention.h"
#include "train/models/transformer_parts.h"
#include "train/ops/conv2d.h"
#include "train/ops/elementwise.h"
#include "train/ops/linear.h"

/* ---- which there are ---- */

enum sight { LOCAL_1D, RELATIVE, WIDE, BLOCK, DILATED, GLOBAL, LOCAL_2D, N_SIGHTS };

static const struct {
    const char *type, *scope;
    bool in_decoder, in_encoder, convolves, drops;
} sights[N_SIGHTS] = {
    [LOCAL_1D] = {"local_1d", "local_1d_self_att/self_attention", true, true, true, false},
    [RELATIVE] = {"rel_local_1d", "local_1d_self_att/self_attention", true, false, true, true},
    [WIDE] = {"local_1d_noncausal", "local_1d_self_att/self_attention", true, false, false, false},
    [BLOCK] = {"local_block", "local_within_block/local_within_block", true, false, true, false},
    [DILATED] = {"dilated", "masked_dilated_1d/self_attention", true, false, true, false},
    [GLOBAL] = {"global", "self_att/self_att", true, true, true, true},
    [LOCAL_2D] = {"local_2d", "local_2d_self_att/self_attention", true, false, false, false},
};

static enum sight sight_of(const char *type)
{
    for (int i = 0; i < N_SIGHTS; i++)
        if (strcmp(sights[i].type, type) == 0)
            return (enum sight) i;
    return N_SIGHTS;
}

bool mdl_image_by_blocks(const struct mdl_hparams *hp)
{
    enum sight sight = sight_of(mdl_tf_string(hp, "dec_attention_type"));

    return sight == LOCAL_2D || sight == BLOCK;
}

static void read_pair(const struct mdl_hparams *hp, const char *name, int64_t pair[2])
{
    size_t n;
    const int64_t *values = mdl_hp_ints(hp, name, &n);

    T2_ASSERT(n == 2);
    pair[0] = values[0];
    pair[1] = values[1];
}

void mdl_image_query_shape(const struct mdl_hparams *hp, int64_t query[2])
{
    read_pair(hp, "query_shape", query);
}

/* ---- queries, keys and values ---- */

/* Queries, keys or values (B, L, n): a dense layer, or a convolution that sees `width` positions up
 * to its own. */
static struct gr_tensor *project(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                 char which, int64_t n, int64_t width)
{
    int64_t B = x->dims[0], L = x->dims[1], D = x->dims[2];
    int64_t kernel[] = {width, 1, D, n}, image[] = {B, L, 1, D}, flat[] = {B, L, n};
    struct nn_conv2d conv = {.padding = NN_LEFT};
    char part[MDL_TF_FULL_NAME_BYTES];

    if (width == 1) {
        snprintf(part, sizeof part, "%c/kernel", which);
        return nn_linear(b->g, x, mdl_tf_kernel(b, scope, part, D, n), NULL, false, 0.0);
    }
    snprintf(part, sizeof part, "%s/%c_single", scope, which);
    x = nn_conv2d(b->g, nn_reshape(b->g, x, 4, image),
                  mdl_tf_variable(b, part, "kernel", 4, kernel, GR_INIT_DEFAULT, 0.0),
                  mdl_tf_vector(b, part, "bias", n, GR_INIT_ZEROS), &conv);
    return nn_reshape(b->g, x, 3, flat);
}

/* One position against what is kept of those that it sees. */
static struct gr_tensor *attend_cache(const struct mdl_build *b, struct gr_tensor *q,
                                      struct gr_tensor *k, struct gr_tensor *v,
                                      const struct nn_attention *how, struct mdl_pixel_step *step)
{
    int64_t k_dims[] = {step->rows, step->cache_rows, k->dims[2]};
    int64_t v_dims[] = {step->rows, step->cache_rows, v->dims[2]};
    struct nn_attention a = *how;
    int layer = step->n_layers++;

    a.cached = true;
    if (mdl_image_keeps_all(b->hp))
        a.key_ids = step->seen[layer] = gr_ids(b->g, 2, k_dims);
    step->k[layer] = gr_cache(b->g, 3, k_dims, NULL);
    step->v[layer] = gr_cache(b->g, 3, v_dims, NULL);
    return nn_attention(b->g, q, nn_cache_put(b->g, k, step->k[layer]),
                        nn_cache_put(b->g, v, step->v[layer]), &a);
}

static struct gr_tensor *output(const struct mdl_build *b, struct gr_tensor *x, const char *scope)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");

    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "output_transform/kernel", x->dims[2], D),
                     NULL, false, 0.0);
}

/* Heads and scale. */
static struct nn_attention heads_of(const struct mdl_build *b, bool drops)
{
    struct nn_attention how = {.heads = mdl_hp_int(b->hp, "num_heads"), .q_per_key = 1};
    int64_t K, V;

    mdl_tf_channels(b->hp, &K, &V);
    how.scale = pow((double) K / (double) how.heads, -0.5);
    how.dropout = drops ? mdl_hp_float(b->hp, "attention_dropout") : 0.0;
    return how;
}

/* 4 block_length rows for each head, of which those of two blocks are read; the original says so of
 * shared_rel, too, which it does not pass on. */
static void add_relative(const struct mdl_build *b, const char *scope, struct nn_attention *how)
{
    static const char name[] = "masked_relative_local_attention_1d/relative_embeddings";
    int64_t rows = 4 * mdl_hp_int(b->hp, "block_length"), K, V;
    int64_t dims[] = {how->heads, rows, 0};

    mdl_tf_channels(b->hp, &K, &V);
    dims[2] = K / how->heads;
    how->relative = DEV_RELATIVE_LEFT;
    how->relative_k =
        mdl_tf_variable(b, scope, name, 3, dims, GR_INIT_NORMAL, pow((double) dims[2], -0.5));
}

/* ---- the attentions ---- */

static struct gr_tensor *see_2d(const struct mdl_build *b, struct gr_tensor *q, struct gr_tensor *k,
                                struct gr_tensor *v, const struct nn_attention *how, int64_t height)
{
    struct mdl_reach reach = {0};

    mdl_image_query_shape(b->hp, reach.query);
    read_pair(b->hp, "memory_flange", reach.flange);
    return mdl_local_attention_2d(b->g, q, k, v, how, &reach, height);
}

/* Of a layer; the set img2img_transformer_dilated has them beside its hparams. */
static const int64_t *gap_sizes(const struct mdl_hparams *hp, size_t *n)
{
    static const int64_t of_img2img[] = {0, 16, 64, 0, 16, 64, 128, 0};

    if (mdl_hp_has(hp, "gap_sizes"))
        return mdl_hp_ints(hp, "gap_sizes", n);
    *n = sizeof of_img2img / sizeof *of_img2img;
    return of_img2img;
}

static struct gr_tensor *see_row(const struct mdl_build *b, struct gr_tensor *q,
                                 struct gr_tensor *k, struct gr_tensor *v,
                                 const struct nn_attention *how, enum sight sight, int number)
{
    struct mdl_reach reach = {.block = mdl_hp_int(b->hp, "block_length")};
    size_t n;

    switch (sight) {
    case WIDE:
        reach.width = mdl_hp_int(b->hp, "block_width");
        return mdl_wide_attention(b->g, q, k, v, how, &reach);
    case BLOCK:
        return mdl_block_attention(b->g, q, k, v, how, &reach);
    case DILATED:
        reach.memory = mdl_hp_int(b->hp, "block_width");
        reach.gap = gap_sizes(b->hp, &n)[number];
        reach.n_memories = mdl_hp_int(b->hp, "num_memory_blocks");
        return mdl_dilated_attention(b->g, q, k, v, how, &reach);
    case GLOBAL:
        return nn_attention(b->g, q, k, v, how);
    default:
        return mdl_local_attention(b->g, q, k, v, how, reach.block);
    }
}

struct gr_tensor *mdl_image_self_attention(const struct mdl_build *b, struct gr_tensor *x,
                                           const struct mdl_image_place *place,
                                           struct mdl_pixel_step *step)
{
    enum sight sight = sight_of(place->type);
    bool convolves = sights[sight].convolves && !place->encodes;
    int64_t q_width = convolves ? mdl_hp_int(b->hp, "q_filter_width") : 1;
    int64_t kv_width = convolves ? mdl_hp_int(b->hp, "kv_filter_width") : 1, K, V;
    struct nn_attention how = heads_of(b, sights[sight].drops);
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *q, *k, *v;

    mdl_tf_channels(b->hp, &K, &V);
    snprintf(scope, sizeof scope, "%s/%s", place->layer, sights[sight].scope);
    q = project(b, x, scope, 'q', K, q_width);
    k = project(b, x, scope, 'k', K, kv_width);
    v = project(b, x, scope, 'v', V, kv_width);
    if (sight == RELATIVE)
        add_relative(b, scope, &how);
    if (step)
        x = attend_cache(b, q, k, v, &how, step);
    else if (sight == LOCAL_2D)
        x = see_2d(b, q, k, v, &how, place->height);
    else /* the encoder's local attention sees both sides */
        x = see_row(b, q, k, v, &how, place->encodes && sight == LOCAL_1D ? WIDE : sight,
                    place->number);
    return output(b, x, scope);
}

struct gr_tensor *mdl_image_attend_memory(const struct mdl_build *b, struct gr_tensor *x,
                                          struct gr_tensor *memory, const char *layer)
{
    struct nn_attention how = heads_of(b, true);
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *q, *k, *v;
    int64_t K, V;

    mdl_tf_channels(b->hp, &K, &V);
    snprintf(scope, sizeof scope, "%s/encdec_attention/encdec_attention", layer);
    q = project(b, x, scope, 'q', K, 1);
    k = project(b, memory, scope, 'k', K, 1);
    v = project(b, memory, scope, 'v', V, 1);
    return output(b, nn_attention(b->g, q, k, v, &how), scope);
}

/* ---- drawing ---- */

bool mdl_image_keeps_all(const struct mdl_hparams *hp)
{
    enum sight sight = sight_of(mdl_tf_string(hp, "dec_attention_type"));

    return sight == LOCAL_2D || sight == DILATED;
}

static bool is_2d(const struct mdl_hparams *hp)
{
    return sight_of(mdl_tf_string(hp, "dec_attention_type")) == LOCAL_2D;
}

int64_t mdl_image_place(const struct mdl_hparams *hp, int64_t width, int64_t n)
{
    int64_t query[2], block, at;

    if (!is_2d(hp))
        return n;
    mdl_image_query_shape(hp, query);
    block = n / (query[0] * query[1]);
    at = n % (query[0] * query[1]);
    return (block / (width / query[1]) * query[0] + at / query[1]) * width +
           block % (width / query[1]) * query[1] + at % query[1];
}

int64_t mdl_image_fed(const struct mdl_hparams *hp, int64_t width, int64_t n)
{
    int64_t query[2];

    if (is_2d(hp)) {
        mdl_image_query_shape(hp, query);
        if (n % (query[0] * query[1]) == 0)
            return -1;
    }
    return n > 0 ? mdl_image_place(hp, width, n - 1) : -1;
}

/* See mdl_local_attention_2d. */
static void mark_2d(const struct mdl_hparams *hp, int64_t width, const int64_t *place, int64_t n,
                    int32_t *seen)
{
    int64_t query[2], flange[2], top, left;

    mdl_image_query_shape(hp, query);
    read_pair(hp, "memory_flange", flange);
    top = place[n] / width / query[0] * query[0];
    left = place[n] % width / query[1] * query[1];
    for (int64_t i = 0; i <= n; i++) {
        int64_t row = place[i] / width, column = place[i] % width;
        int64_t right = row >= top ? left + query[1] : left + query[1] + flange[1];

        seen[i] = row >= top - flange[0] && row < top + query[0] && column >= left - flange[1] &&
                  column < right;
    }
}

/* See mdl_dilated_attention. */
static void mark_dilated(const struct mdl_hparams *hp, int layer, const int64_t *place, int64_t n,
                         int32_t *seen)
{
    int64_t block = mdl_hp_int(hp, "block_length"), memory = mdl_hp_int(hp, "block_width");
    int64_t n_memories = mdl_hp_int(hp, "num_memory_blocks"), begin = place[n] / block * block;
    size_t n_gaps;
    int64_t period = memory + gap_sizes(hp, &n_gaps)[layer];

    for (int64_t i = 0; i <= n; i++) {
        int64_t back = begin - 1 - place[i]; /* positions between it and the block */

        seen[i] = back < 0 || (back / period < n_memories && back % period >= period - memory);
    }
}

void mdl_image_seen(const struct mdl_hparams *hp, int64_t width, int layer, const int64_t *place,
                    int64_t n, int32_t *seen)
{
    if (is_2d(hp))
        mark_2d(hp, width, place, n, seen);
    else
        mark_dilated(hp, layer, place, n, seen);
}

/* ---- refusals ---- */

static enum t2_status check_type(const char *model, const struct mdl_hparams *hp,
                                 const char *hparam, bool encoder, struct t2_err *err)
{
    const char *type = mdl_tf_string(hp, hparam);
    enum sight sight = sight_of(type);

    if (sight != N_SIGHTS && (encoder ? sights[sight].in_encoder : sights[sight].in_decoder))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "%s: %s=%s is not supported (supported: %s)", model,
                   hparam, type,
                   encoder ? "global, local_1d"
                           : "local_1d, rel_local_1d, local_1d_noncausal, local_block, dilated, "
                             "global, local_2d");
}

static enum t2_status check_pair(const char *model, const struct mdl_hparams *hp, const char *name,
                                 int64_t least, struct t2_err *err)
{
    enum { LARGEST = 1 << 12 };
    const int64_t *values;
    size_t n;

    if (!mdl_hp_has(hp, name))
        return t2_fail(err, T2_EUSAGE,
                       "%s: dec_attention_type=%s reads hparam %s, which this set does not have; "
                       "those of imagetransformer2d do",
                       model, mdl_tf_string(hp, "dec_attention_type"), name);
    values = mdl_hp_ints(hp, name, &n);
    for (size_t i = 0; i < n; i++)
        if (values[i] < least || values[i] > LARGEST)
            n = 0;
    if (n == 2)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "%s: hparam %s is not two numbers between %d and %d", model,
                   name, (int) least, (int) LARGEST);
}

static enum t2_status check_dilated(const char *model, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    enum { MOST_MEMORIES = 8, LARGEST = 1 << 20 };
    int64_t layers = mdl_tf_decoder_layers(hp), n_memories = 0;
    size_t n;
    const int64_t *gaps = gap_sizes(hp, &n);

    if ((int64_t) n != layers)
        return t2_fail(err, T2_EUSAGE,
                       "%s: dec_attention_type=dilated reads a number of gap_sizes for each of the "
                       "%d layers, and there are %zu",
                       model, (int) layers, n);
    for (size_t i = 0; i < n; i++)
        if (gaps[i] < 0 || gaps[i] > LARGEST)
            return t2_fail(err, T2_EUSAGE, "%s: a number of gap_sizes is not between 0 and %d",
                           model, (int) LARGEST);
    if (mdl_hp_has(hp, "num_memory_blocks"))
        n_memories = mdl_hp_int(hp, "num_memory_blocks");
    if (n_memories < 1 || n_memories > MOST_MEMORIES)
        return t2_fail(err, T2_EUSAGE,
                       "%s: dec_attention_type=dilated reads num_memory_blocks from 1 to %d; "
                       "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated has it",
                       model, (int) MOST_MEMORIES);
    return T2_OK;
}

enum t2_status mdl_image_check_attention(const char *model, const struct mdl_hparams *hp,
                                         struct t2_err *err)
{
    enum sight sight;

    T2_TRY(check_type(model, hp, "dec_attention_type", false, err));
    if (mdl_hp_has(hp, "enc_attention_type"))
        T2_TRY(check_type(model, hp, "enc_attention_type", true, err));
    sight = sight_of(mdl_tf_string(hp, "dec_attention_type"));
    if (mdl_image_by_blocks(hp)) /* both shift within blocks of it */
        T2_TRY(check_pair(model, hp, "query_shape", 1, err));
    if (sight == LOCAL_2D)
        T2_TRY(check_pair(model, hp, "memory_flange", 0, err));
    if (sight == DILATED)
        T2_TRY(check_dilated(model, hp, err));
    if (!sights[sight].convolves &&
        (mdl_hp_int(hp, "q_filter_width") != 1 || mdl_hp_int(hp, "kv_filter_width") != 1))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: dec_attention_type=%s has q_filter_width and kv_filter_width of 1",
                       model, sights[sight].type);
    return T2_OK;
}
