/*
 * train/models/slice_net_parts.c - see the header.
 */
#include "train/models/slice_net_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/transformer_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/fill.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/mark_rows.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

/* ---- shapes ---- */

static struct gr_tensor *as_rows(const struct mdl_build *b, struct gr_tensor *x)
{
    return nn_reshape(b->g, x, 3, (int64_t[]){x->dims[0], x->dims[1], x->dims[x->rank - 1]});
}

static struct gr_tensor *as_image(const struct mdl_build *b, struct gr_tensor *x)
{
    return nn_reshape(b->g, x, 4, (int64_t[]){x->dims[0], x->dims[1], 1, x->dims[2]});
}

static struct gr_tensor *masked(const struct mdl_build *b, struct gr_tensor *x,
                                struct gr_tensor *mask)
{
    return mask ? as_image(b, nn_mask_rows(b->g, as_rows(b, x), mask)) : x;
}

/* ---- convolutions ---- */

static struct gr_tensor *convolve(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                  const char *name, int64_t filters, struct nn_conv2d how,
                                  int64_t taps)
{
    int64_t dims[] = {taps, 1, x->dims[3], filters};

    return nn_conv2d(b->g, x, mdl_tf_variable(b, scope, name, 4, dims, GR_INIT_DEFAULT, 0.0), NULL,
                     &how);
}

static struct gr_tensor *plain(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                               const struct mdl_slice_unit *unit, enum nn_padding padding,
                               int64_t filters)
{
    const struct nn_conv2d how = {.dilation = unit->dilation, .padding = padding};

    return convolve(b, x, scope, "kernel", filters, how, unit->taps);
}

static struct gr_tensor *separable(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *scope, const struct mdl_slice_unit *unit,
                                   enum nn_padding padding, int64_t filters)
{
    const struct nn_conv2d depthwise = {.dilation = unit->dilation,
                                        .padding = padding,
                                        .depthwise = true};
    const struct nn_conv2d pointwise = {.padding = NN_SAME};

    x = convolve(b, x, scope, "depthwise_kernel", 1, depthwise, unit->taps);
    return convolve(b, x, scope, "pointwise_kernel", filters, pointwise, 1);
}

/* Part i of n of the channels of x (B,L,1,C). */
static struct gr_tensor *channels_of(const struct mdl_build *b, struct gr_tensor *x, int64_t i,
                                     int64_t n)
{
    int64_t width = x->dims[3] / n, of_all[] = {x->dims[0] * x->dims[1], n, width};
    int64_t of_part[] = {x->dims[0], x->dims[1], 1, width};

    if (n == 1)
        return x;
    return nn_reshape(b->g, nn_slice_positions(b->g, nn_reshape(b->g, x, 3, of_all), i, 1, 1), 4,
                      of_part);
}

/* The convolution of one tap behind the parts, with bias; `number` of them were in the block. */
static struct gr_tensor *join(const struct mdl_build *b, struct gr_tensor *x, const char *block,
                              int number, int64_t filters)
{
    const struct nn_conv2d how = {.padding = NN_SAME};
    char scope[MDL_TF_FULL_NAME_BYTES], count[16] = "";
    struct gr_tensor *kernel, *bias; /* (1, 1, D, D), (D) */

    if (number > 0)
        snprintf(count, sizeof count, "_%d", number);
    snprintf(scope, sizeof scope, "%s/conv2d%s", block, count);
    kernel = mdl_tf_variable(b, scope, "kernel", 4, (int64_t[]){1, 1, x->dims[3], filters},
                             GR_INIT_DEFAULT, 0.0);
    bias = mdl_tf_vector(b, scope, "bias", filters, GR_INIT_ZEROS);
    return nn_conv2d(b->g, x, kernel, bias, &how);
}

/* The convolution of unit `number` of a block. */
static struct gr_tensor *subseparable(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_slice_block *block, int number, int *n_joins)
{
    const struct mdl_slice_unit *unit = &block->units[number];
    int64_t filters = mdl_hp_int(b->hp, "hidden_size");
    int64_t n = unit->separability < 0 ? -unit->separability : unit->separability;
    struct gr_tensor *parts[GR_MAX_INPUTS];
    char scope[MDL_TF_FULL_NAME_BYTES];

    if (n == 0) {
        snprintf(scope, sizeof scope, "%s/conv_block_%d_single", block->scope, number);
        return separable(b, x, scope, unit, block->padding, filters);
    }
    T2_ASSERT(n <= GR_MAX_INPUTS && x->dims[3] % n == 0 && filters % n == 0);
    for (int64_t i = 0; i < n; i++) {
        struct gr_tensor *part = channels_of(b, x, i, n);

        snprintf(scope, sizeof scope, "%s/part_%" PRId64 "/conv_block_%d_single", block->scope, i,
                 number);
        parts[i] = unit->separability > 0
                       ? plain(b, part, scope, unit, block->padding, filters / n)
                       : separable(b, part, scope, unit, block->padding, filters / n);
    }
    x = n == 1 ? parts[0] : nn_concat_channels(b->g, parts, (int) n);
    return unit->separability > 1 ? join(b, x, block->scope, (*n_joins)++, filters) : x;
}

struct gr_tensor *mdl_slice_norm(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                 double epsilon)
{
    int64_t n = x->dims[x->rank - 1];

    return nn_layer_norm(b->g, x, mdl_tf_vector(b, scope, "layer_norm_scale", n, GR_INIT_ONES),
                         mdl_tf_vector(b, scope, "layer_norm_bias", n, GR_INIT_ZEROS), epsilon);
}

struct gr_tensor *mdl_slice_block(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_slice_block *block)
{
    double epsilon = mdl_hp_float(b->hp, "norm_epsilon");
    char scope[MDL_TF_FULL_NAME_BYTES];
    int n_joins = 0;

    for (int i = 0; i < block->n_units; i++) {
        x = masked(b, nn_relu(b->g, x), block->mask);
        x = subseparable(b, x, block, i, &n_joins);
        snprintf(scope, sizeof scope, "%s/conv_block_norm_%d/layer_norm", block->scope, i);
        x = mdl_slice_norm(b, x, scope, epsilon);
    }
    return x;
}

/* ---- which convolutions ---- */

enum { MOST_UNITS = 5, FIRST_UNITS = 2 };

struct scheme {
    const char *name;
    int64_t values[MOST_UNITS]; /* up to the first 0 */
};

static const struct scheme kernels[] = {{"3.3.3.3", {3, 3, 3, 3}},
                                        {"3.7.7.7", {3, 7, 7, 7}},
                                        {"3.7.15.15", {3, 7, 15, 15}},
                                        {"3.7.15.31", {3, 7, 15, 31}},
                                        {"3.7.15.31.63", {3, 7, 15, 31, 63}}};
static const struct scheme dilations[] = {{"1.1.1.1.1", {1, 1, 1, 1, 1}},
                                          {"1.1.1.1", {1, 1, 1, 1}},
                                          {"1.1.1.2", {1, 1, 1, 2}},
                                          {"1.1.2.4", {1, 1, 2, 4}},
                                          {"1.2.4.8", {1, 2, 4, 8}}};

static const int64_t *find(const struct scheme *schemes, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(schemes[i].name, name) == 0)
            return schemes[i].values;
    return NULL;
}

/* Separabilities of n units that follow each other; below 0 each is divided one time less than the
 * one before, and the last as hparam separability says. */
static void divide(const struct mdl_hparams *hp, struct mdl_slice_unit *units, int n)
{
    int64_t separability = mdl_hp_int(hp, "separability");

    for (int i = 0; i < n; i++)
        units[i].separability = separability < 0 ? separability - (n - 1 - i) : separability;
}

void mdl_slice_units(const struct mdl_hparams *hp, struct mdl_slice_block blocks[2])
{
    const int64_t *taps =
        find(kernels, sizeof kernels / sizeof *kernels, mdl_hp_string(hp, "kernel_scheme"));
    const int64_t *apart =
        find(dilations, sizeof dilations / sizeof *dilations, mdl_hp_string(hp, "dilation_scheme"));
    int64_t height = mdl_hp_int(hp, "kernel_height"), large = mdl_hp_int(hp, "large_kernel_size");
    const int64_t own_taps[MOST_UNITS] = {height, height, large, large};
    static const int64_t own_apart[MOST_UNITS] = {1, 1, 1, 4};

    if (!taps || !apart) {
        taps = own_taps;
        apart = own_apart;
    }
    blocks[0].n_units = blocks[1].n_units = 0;
    for (int i = 0; i < MOST_UNITS && taps[i] > 0 && apart[i] > 0; i++) {
        struct mdl_slice_block *block = &blocks[i >= FIRST_UNITS];

        block->units[block->n_units++] =
            (struct mdl_slice_unit){.taps = taps[i], .dilation = apart[i]};
    }
    divide(hp, blocks[0].units, blocks[0].n_units);
    divide(hp, blocks[1].units, blocks[1].n_units);
}

/* ---- attention ---- */

/* An embedding that counts its ids nothing is what the positions add. */
struct gr_tensor *mdl_slice_add_timing(const struct mdl_build *b, struct gr_tensor *x)
{
    int64_t dims[] = {b->tables->n_positions, mdl_hp_int(b->hp, "hidden_size")};
    struct gr_tensor *table = gr_table(b->g, 2, dims, &b->tables->timing);
    struct gr_tensor *rows = as_rows(b, x), *sum; /* (B, L, D) */
    struct nn_embed e = {.ids = nn_mark_rows(b->g, rows),
                         .table = table,
                         .scale = 0.0,
                         .positions = table};

    sum = nn_add(b->g, rows, nn_embed(b->g, &e));
    return x->rank == 4 ? as_image(b, sum) : sum;
}

static struct gr_tensor *project(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                 const char *which)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    char name[32];

    snprintf(name, sizeof name, "%s/kernel", which);
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, name, D, D), NULL, false, 0.0);
}

/* common_attention.multihead_attention; hparams attention_key_channels and _value_channels are not
 * looked at there, either.  x (B,L,D), memory (B,M,D). */
static struct gr_tensor *attend(const struct mdl_build *b, struct gr_tensor *x,
                                struct gr_tensor *memory, struct nn_attention a, const char *scope,
                                const char *name)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    struct gr_tensor *q, *k, *v;
    char inner[MDL_TF_FULL_NAME_BYTES];

    snprintf(inner, sizeof inner, "%s/%s", scope, name);
    a.heads = mdl_hp_int(b->hp, "num_heads");
    a.q_per_key = 1;
    a.dropout = mdl_hp_float(b->hp, "attention_dropout");
    a.scale = pow((double) D / (double) a.heads, -0.5);
    q = project(b, x, inner, "q");
    k = project(b, memory, inner, "k");
    v = project(b, memory, inner, "v");
    return project(b, nn_attention(b->g, q, k, v, &a), inner, "output_transform");
}

struct gr_tensor *mdl_slice_attention(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_slice_memory *memory, const char *scope)
{
    enum { TAPS = 5, FAR = 4 };
    char name[MDL_SLICE_NAME_BYTES];
    struct mdl_slice_block block = {.scope = name,
                                    .n_units = 2,
                                    .units = {{TAPS, 1, 0}, {TAPS, FAR, 0}},
                                    .padding = NN_LEFT};

    snprintf(name, sizeof name, "%s/targets_time", scope);
    divide(b->hp, block.units, block.n_units);
    x = as_rows(b, mdl_slice_block(b, mdl_slice_add_timing(b, x), &block));
    x = attend(b, x, x, (struct nn_attention){.causal = true}, scope, "self_attention");
    x = attend(b, x, as_rows(b, memory->encoded), (struct nn_attention){.key_ids = memory->ids},
               scope, "encdec_attention");
    return as_image(b, x);
}

/* ---- stacks ---- */

static struct gr_tensor *layer(const struct mdl_build *b, struct gr_tensor *x,
                               const struct mdl_slice_stack *stack, const char *scope)
{
    struct mdl_slice_block blocks[2] = {{.padding = stack->padding}, {.padding = stack->padding}};
    char names[2][MDL_SLICE_NAME_BYTES];
    struct gr_tensor *y, *z; /* (B, L, 1, D) */

    mdl_slice_units(b->hp, blocks);
    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s/residual%d", scope, i + 1);
        blocks[i].scope = names[i];
        blocks[i].mask = stack->mask;
    }
    y = mdl_slice_block(b, x, &blocks[0]);
    z = mdl_slice_block(b, nn_add(b->g, x, y), &blocks[1]);
    x = nn_add(b->g, x, nn_add(b->g, z, y));
    if (stack->memory)
        x = nn_add(b->g, x, mdl_slice_attention(b, x, stack->memory, scope));
    return masked(b, x, stack->mask);
}

struct gr_tensor *mdl_slice_stack(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_slice_stack *stack)
{
    double dropout = mdl_hp_float(b->hp, "dropout");
    char scope[MDL_TF_NAME_BYTES];

    for (int64_t i = 0; i < stack->layers; i++) {
        snprintf(scope, sizeof scope, "%s/layer_%" PRId64, stack->scope, i);
        gr_layer(b->g, stack->first_layer + (int) i);
        x = layer(b, x, stack, scope);
    }
    gr_layer(b->g, 0);
    return dropout > 0.0 ? nn_dropout(b->g, x, dropout) : x;
}

/* ---- refusals ---- */

static enum t2_status fail_parts(int64_t hidden, int64_t parts, struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE,
                   "slice_net: hidden_size=%" PRId64 " cannot be cut into %" PRId64
                   " equal parts, as hparam separability asks",
                   hidden, parts);
}

static enum t2_status check_parts(const struct mdl_hparams *hp, struct t2_err *err)
{
    int64_t hidden = mdl_hp_int(hp, "hidden_size");
    struct mdl_slice_block blocks[2];

    mdl_slice_units(hp, blocks);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < blocks[i].n_units; k++) {
            int64_t s = blocks[i].units[k].separability, n = s < 0 ? -s : s;

            if (n > 0 && hidden % n != 0)
                return fail_parts(hidden, n, err);
        }
    return T2_OK;
}

static enum t2_status check_numbers(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const struct {
        const char *hparam;
        int64_t least, most;
    } rows[] = {{"hidden_size", 2 * MDL_SLICE_TIMESCALES, 1 << 20},
                {"num_hidden_layers", 1, 1000},
                {"num_heads", 1, 1 << 16},
                {"kernel_height", 1, 1001},
                {"kernel_width", 1, 1},
                {"large_kernel_size", 1, 1001},
                {"separability", -8, GR_MAX_INPUTS},
                {"vocab_divisor", 1, 1 << 20},
                {"symbol_modality_num_shards", 1, 64}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = mdl_hp_int(hp, rows[i].hparam);

        if (value < rows[i].least || value > rows[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "slice_net: %s=%" PRId64 " must lie between %" PRId64 " and %" PRId64,
                           rows[i].hparam, value, rows[i].least, rows[i].most);
    }
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "kernel_height" : "large_kernel_size";

        if (mdl_hp_int(hp, name) % 2 == 0)
            return t2_fail(err, T2_EUSAGE, "slice_net: %s=%" PRId64 " must be odd", name,
                           mdl_hp_int(hp, name));
    }
    return T2_OK;
}

enum t2_status mdl_slice_check(const struct mdl_hparams *hp, bool decodes, struct t2_err *err)
{
    int64_t hidden;

    T2_TRY(check_numbers(hp, err));
    hidden = mdl_hp_int(hp, "hidden_size");
    T2_TRY(check_parts(hp, err));
    if (!mdl_tf_is(hp, "norm_type", "layer"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "slice_net: norm_type=%s is not supported (supported: layer)",
                       mdl_tf_string(hp, "norm_type"));
    if (!decodes)
        return T2_OK;
    if (!mdl_tf_is(hp, "attention_type", "transformer"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "slice_net: attention_type=%s is not supported (supported: transformer; the "
                       "original's none leaves the inputs unread)",
                       mdl_hp_string(hp, "attention_type"));
    if (hidden % mdl_hp_int(hp, "num_heads") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "slice_net: hidden_size=%" PRId64 " is not a multiple of num_heads=%" PRId64,
                       hidden, mdl_hp_int(hp, "num_heads"));
    return hidden % MDL_SLICE_MERGED == 0 ? T2_OK : fail_parts(hidden, MDL_SLICE_MERGED, err);
}
