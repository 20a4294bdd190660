/*
 * train/models/shake_shake.c - Tensor2Tensor's shake-shake network (Gastaldi 2017).
 *
 * models/shake_shake.py; spec t2t-trainer.md §5.2.
 *   branch(x) = BN(conv3x3(relu(BN(conv3x3(relu(x))))))
 *   x = skip(x) + sum over branches b of a_b branch_b(x)
 * with a_b per example, non-negative and adding up to 1: random in training, one set forward and
 * another one backward (nn_scale_rows), 1 / branches in evaluation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/ops/axes.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/residual.h"

enum {
    MAX_BRANCHES = 8,
    SCOPE_BYTES = 64,
    PART_BYTES = 32,
    LAYER_BYTES = SCOPE_BYTES + PART_BYTES
};

static int branches_of(const struct mdl_hparams *hp)
{
    return (int) mdl_hp_int(hp, "shake_shake_num_branches");
}

/* Blocks of a stage. */
static int64_t blocks_of(const struct mdl_hparams *hp)
{
    return (mdl_hp_int(hp, "num_hidden_layers") - 2) / 6;
}

/* ---- layers ---- */

struct net {
    struct mdl_cnn c;
    struct mdl_graph *out;
    char scope[SCOPE_BYTES]; /* of the block: "L1/layer_0" */
    uint32_t block;          /* its number in the network */
};

static struct gr_tensor *conv(struct net *n, struct gr_tensor *x, int64_t filters, int64_t size,
                              int64_t stride, const char *part)
{
    char layer[LAYER_BYTES];
    struct mdl_cnn_conv how = {.layer = layer,
                               .filters = filters,
                               .size = size,
                               .stride = stride,
                               .padding = NN_SAME,
                               .bias = true};

    snprintf(layer, sizeof layer, "%s%s", n->scope, part);
    return mdl_cnn_conv(&n->c, x, &how);
}

static struct gr_tensor *norm(struct net *n, struct gr_tensor *x, bool relu, const char *part)
{
    char layer[LAYER_BYTES];

    snprintf(layer, sizeof layer, "%s%s", n->scope, part);
    return mdl_cnn_norm(&n->c, x, &(struct mdl_cnn_norm){.layer = layer, .relu = relu});
}

/* One branch before it is mixed; x has gone through the ReLU that every branch begins with. */
static struct gr_tensor *branch(struct net *n, struct gr_tensor *x, int64_t filters, int64_t stride,
                                int b)
{
    static const char *const parts[] = {"conv1", "bn1", "conv2", "bn2"};
    char names[4][PART_BYTES];

    for (int i = 0; i < 4; i++)
        snprintf(names[i], PART_BYTES, "/branch_%d/%s", b, parts[i]);
    x = norm(n, conv(n, x, filters, 3, stride, names[0]), true, names[1]);
    return norm(n, conv(n, x, filters, 3, 1, names[2]), false, names[3]);
}

/* Branch b with its share: in training random ones, one forward, another backward.  The sets of
 * shares are in the order in which the original draws them: forward's of all branches of a block,
 * then backward's. */
static struct gr_tensor *shared(struct net *n, struct gr_tensor *y, int b)
{
    uint32_t branches = (uint32_t) branches_of(n->c.b->hp), set = 2 * n->block;
    struct gr_graph *g = n->c.b->g;
    struct gr_tensor *shares[2]; /* (B) each */

    if (!g->training)
        return nn_scale(g, y, 1.0 / (double) branches);
    for (uint32_t i = 0; i < 2; i++)
        shares[i] = nn_draw_share(g, y->dims[0], set + i, branches, (uint32_t) b,
                                  n->out->given_draws ? n->out->given_draws[set + i] : NULL);
    return nn_scale_rows(g, y, shares[0], shares[1]);
}

/* The shortcut.  If the number of channels changes: two strided 1x1 views of x, the second a pixel
 * further down and right, side by side, normalised (shake_shake_skip_connection). */
static struct gr_tensor *skip(struct net *n, struct gr_tensor *x, int64_t filters, int64_t stride)
{
    struct gr_tensor *paths[2]; /* (B, H/stride, W/stride, filters/2) each */

    if (x->dims[3] == filters)
        return x;
    paths[0] = conv(n, x, filters / 2, 1, stride, "/path1_conv");
    paths[1] = conv(n, nn_shift_pixels(n->c.b->g, x, 1, 1), filters / 2, 1, stride, "/path2_conv");
    return norm(n, nn_concat_channels(n->c.b->g, paths, 2), false, "/final_path_bn");
}

static struct gr_tensor *block(struct net *n, struct gr_tensor *x, int64_t filters, int64_t stride)
{
    const struct mdl_hparams *hp = n->c.b->hp;
    double dropout = mdl_hp_float(hp, "layer_prepostprocess_dropout");
    int n_branches = branches_of(hp);
    struct gr_graph *g = n->c.b->g;
    struct gr_tensor *parts[MAX_BRANCHES + 1], *active = nn_relu(g, x), *sum;

    for (int b = 0; b < n_branches; b++) {
        struct gr_tensor *y = shared(n, branch(n, active, filters, stride, b), b);

        parts[b + 1] = dropout > 0.0 ? nn_dropout(g, y, dropout) : y;
    }
    parts[0] = skip(n, x, filters, stride);
    if (mdl_hp_int(hp, "shake_shake_concat") != 0) {
        x = nn_relu(g, nn_concat_channels(g, parts, n_branches + 1));
        return norm(n, conv(n, x, filters, 1, 1, "/concat_1x1"), false, "/concat_bn");
    }
    sum = parts[1];
    for (int b = 2; b <= n_branches; b++)
        sum = nn_add(g, sum, parts[b]);
    return nn_add(g, parts[0], sum);
}

/* ---- the network ---- */

/* In place of random numbers, for each set (branches, B). */
static void add_given_draws(const struct mdl_build *b, int64_t n_sets, struct mdl_graph *out)
{
    int64_t dims[] = {branches_of(b->hp), out->images->dims[0]};

    out->given_draws = gr_alloc(b->g, (size_t) n_sets * sizeof(struct gr_tensor *));
    for (; out->n_given_draws < n_sets; out->n_given_draws++)
        out->given_draws[out->n_given_draws] = gr_floats(b->g, 2, dims);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct net n = {.c = {.b = b,
                          .scope = "shake_shake/body/",
                          .norm = {.momentum = 0.99, .epsilon = 1e-3},
                          .kernel = {GR_INIT_DEFAULT, 0.0}},
                    .out = out};
    int64_t width = mdl_hp_int(b->hp, "hidden_size"), blocks = blocks_of(b->hp);
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    if (b->draws_given && b->g->training)
        add_given_draws(b, 2 * 3 * blocks, out);
    x = norm(&n, conv(&n, out->images, 16, 3, 1, "init_conv"), false, "init_bn");
    for (int stage = 0; stage < 3; stage++)
        for (int64_t i = 0; i < blocks; i++) {
            snprintf(n.scope, sizeof n.scope, "L%d/layer_%" PRId64, stage + 1, i);
            mdl_cnn_next_layer(&n.c);
            x = block(&n, x, width << stage, stage > 0 && i == 0 ? 2 : 1);
            n.block++;
        }
    gr_layer(b->g, 0);
    mdl_cnn_class_top(b, nn_relu(b->g, x), want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"shake_shake_num_branches", "shake_shake_concat", NULL};
    int64_t layers = mdl_hp_int(hp, "num_hidden_layers"), hidden = mdl_hp_int(hp, "hidden_size");

    T2_TRY(mdl_cnn_check("shake_shake", hp, problem, own, "shakeshake_small", err));
    if (layers < 8 || (layers - 2) % 6 != 0)
        return t2_fail(err, T2_EUSAGE,
                       "shake_shake: num_hidden_layers must be 2 more than a multiple of 6, not "
                       "%" PRId64,
                       layers);
    if (hidden < 16 || hidden % 16 != 0)
        return t2_fail(err, T2_EUSAGE,
                       "shake_shake: hidden_size must be a multiple of 16, not %" PRId64, hidden);
    if (branches_of(hp) < 1 || branches_of(hp) > MAX_BRANCHES)
        return t2_fail(err, T2_EUSAGE,
                       "shake_shake: shake_shake_num_branches must be between 1 and %d, not %d",
                       MAX_BRANCHES, branches_of(hp));
    return T2_OK;
}

const struct mdl_kind mdl_shake_shake = {.name = "shake_shake",
                                         .own_set = "shakeshake_small",
                                         .check = check,
                                         .build = build};
