/*
 * train/models/layer_file_shapes.c - the shape that each layer of a net gives, the number of values
 * of its variables, its operations.
 *
 * The batch is MDL_DIM_BATCH and the length of a text MDL_DIM_LENGTH: only a batch knows them. What
 * does not fit is refused here, so that building a graph cannot fail.
 */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "train/models/layer_file.h"

/* Elements of an example of one layer, and of a variable. */
static const double MOST_ELEMENTS = 4e9;

void mdl_layer_put_shape(const struct mdl_layer *l, struct t2_buf *out)
{
    t2_buf_puts(out, "(");
    for (int i = 0; i < l->rank; i++) {
        const char *comma = i > 0 ? ", " : "";

        if (l->dims[i] >= 0)
            t2_buf_printf(out, "%s%" PRId64, comma, l->dims[i]);
        else
            t2_buf_printf(out, "%s%s", comma, l->dims[i] == MDL_DIM_BATCH ? "batch" : "length");
    }
    t2_buf_puts(out, ")");
}

struct shaping {
    struct mdl_layer_net *net;
    const struct mdl_problem *problem;
    struct t2_err *err;
};

static const struct mdl_layer *input_of(const struct shaping *s, const struct mdl_layer *l, int i)
{
    return &s->net->layers[l->inputs[i]];
}

/* "line 7: dense_1 (dense) takes …, what comes from conv2d is (batch, 8, 8, 64)". */
static enum t2_status wrong_input(const struct shaping *s, const struct mdl_layer *l,
                                  const char *wants)
{
    const struct mdl_layer *x = input_of(s, l, 0);
    struct t2_buf shape = {0};

    mdl_layer_put_shape(x, &shape);
    t2_fail(s->err, T2_EFORMAT, "line %zu: layer %s (%s) takes %s; what comes from %s is %s",
            l->line, l->name, mdl_layer_type_name(l), wants, x->name, t2_buf_cstr(&shape));
    t2_buf_release(&shape);
    return T2_EFORMAT;
}

static enum t2_status differ(const struct shaping *s, const struct mdl_layer *l, int i)
{
    struct t2_buf first = {0}, other = {0};

    mdl_layer_put_shape(input_of(s, l, 0), &first);
    mdl_layer_put_shape(input_of(s, l, i), &other);
    t2_fail(s->err, T2_EFORMAT,
            "line %zu: layer %s (%s) joins what does not fit: %s gives %s, and %s gives %s",
            l->line, l->name, mdl_layer_type_name(l), input_of(s, l, 0)->name, t2_buf_cstr(&first),
            input_of(s, l, i)->name, t2_buf_cstr(&other));
    t2_buf_release(&first);
    t2_buf_release(&other);
    return T2_EFORMAT;
}

static void same_shape(struct mdl_layer *l, const struct mdl_layer *x)
{
    l->rank = x->rank;
    for (int i = 0; i < x->rank; i++)
        l->dims[i] = x->dims[i];
}

/* Elements of an example, or of a position of a text. */
static double elements(const struct mdl_layer *l)
{
    double n = 1;

    for (int i = 0; i < l->rank; i++)
        n *= l->dims[i] > 0 ? (double) l->dims[i] : 1.0;
    return n;
}

static int64_t last(const struct mdl_layer *l)
{
    return l->dims[l->rank - 1];
}

/* So many values that none of the products below can overflow; check_size refuses them. */
static int64_t whole(double n)
{
    return n > 9e15 ? INT64_MAX / 4 : (int64_t) n;
}

/* ---- layers ---- */

static enum t2_status shape_windows(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);
    bool pool = l->type == MDL_LAYER_MAX_POOL || l->type == MDL_LAYER_AVG_POOL;
    double macs;

    if (x->rank != 4)
        return wrong_input(s, l, "images (batch, height, width, channels)");
    if (l->strides[0] == 0)
        l->strides[0] = l->strides[1] = l->size[0];
    same_shape(l, x);
    for (int i = 0; i < 2; i++) {
        int64_t before;

        nn_conv2d_axis(l->padding, x->dims[1 + i], l->size[i], l->strides[i], l->dilation,
                       &l->dims[1 + i], &before);
        if (l->dims[1 + i] < 1)
            return wrong_input(s, l, "images that are not smaller than its window");
    }
    if (pool)
        return T2_OK;
    l->dims[3] = l->type == MDL_LAYER_CONV2D ? l->units : x->dims[3] * l->units;
    macs = (double) (l->size[0] * l->size[1]) *
           (double) (l->type == MDL_LAYER_CONV2D ? x->dims[3] : 1) * elements(l);
    l->n_values =
        whole((double) (l->size[0] * l->size[1]) * (double) x->dims[3] * (double) l->units +
              (l->bias ? (double) l->dims[3] : 0));
    l->flops = 2.0 * macs;
    return T2_OK;
}

static enum t2_status shape_dense(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    if (x->rank < 2)
        return wrong_input(s, l, "(batch, …, features); ids go through an embedding first");
    same_shape(l, x);
    l->dims[l->rank - 1] = l->units;
    l->n_values = whole(((double) last(x) + l->bias) * (double) l->units);
    l->flops = 2.0 * (double) last(x) * elements(l);
    return T2_OK;
}

static enum t2_status shape_embedding(const struct shaping *s, struct mdl_layer *l)
{
    if (l->inputs[0] != 0 || s->problem->image.height > 0)
        return wrong_input(s, l, "the ids (batch, length) of a text, as the first layer");
    l->rank = 3;
    l->dims[0] = MDL_DIM_BATCH;
    l->dims[1] = MDL_DIM_LENGTH;
    l->dims[2] = l->units;
    l->n_values =
        (mdl_layer_makes_texts(s->problem) ? s->problem->targets_vocab : s->problem->inputs_vocab) *
        l->units;
    return T2_OK;
}

static enum t2_status shape_attention(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);
    int64_t inner = l->heads * l->key_dim;

    if (x->rank != 3)
        return wrong_input(s, l, "(batch, length, features)");
    same_shape(l, x);
    l->n_values = whole(4.0 * (double) last(x) * (double) inner +
                        (l->bias ? 3.0 * (double) inner + (double) last(x) : 0));
    l->flops = 8.0 * (double) last(x) * (double) inner;
    return T2_OK;
}

static enum t2_status shape_lstm(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);
    double weights = 4.0 * (double) l->units * (double) (last(x) + l->units);

    if (x->rank != 3 || x->dims[1] != MDL_DIM_LENGTH)
        return wrong_input(s, l, "a text, (batch, length, features)");
    l->rank = l->sequences ? 3 : 2;
    l->dims[0] = MDL_DIM_BATCH;
    l->dims[1] = l->sequences ? MDL_DIM_LENGTH : l->units;
    l->dims[2] = l->units;
    l->n_values = whole(weights + 4.0 * (double) l->units);
    l->flops = 2.0 * weights;
    return T2_OK;
}

/* The channels of several, or their sum. */
static enum t2_status shape_join(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    same_shape(l, x);
    for (int i = 1; i < l->n_inputs; i++) {
        const struct mdl_layer *y = input_of(s, l, i);
        bool fits = y->rank == x->rank;

        for (int d = 0; fits && d < x->rank - (l->type == MDL_LAYER_CONCAT); d++)
            fits = x->dims[d] == y->dims[d];
        if (!fits)
            return differ(s, l, i);
        if (l->type == MDL_LAYER_CONCAT)
            l->dims[l->rank - 1] += last(y);
    }
    if (x->rank < 2 || (x->rank == 2 && x->dims[1] == MDL_DIM_LENGTH))
        return wrong_input(s, l, "what layers give; ids go through an embedding first");
    return T2_OK;
}

static enum t2_status shape_flat(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    if (x->rank > 1 && x->dims[1] == MDL_DIM_LENGTH)
        return wrong_input(s, l, "a shape that is known; a text has any length: take mean");
    l->rank = 2;
    l->dims[0] = MDL_DIM_BATCH;
    l->dims[1] = (int64_t) elements(x);
    return T2_OK;
}

static enum t2_status shape_reshape(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);
    double known = 1;
    int open = -1;

    T2_TRY(shape_flat(s, l));
    for (int i = 0; i < l->n_target; i++) {
        if (l->target[i] == 0 || (l->target[i] < 0 && open >= 0))
            return wrong_input(s, l, "a target_shape of positive numbers and at most one -1");
        if (l->target[i] < 0)
            open = i;
        else
            known *= (double) l->target[i];
    }
    if (open >= 0 ? fmod(elements(x), known) != 0 : known != elements(x))
        return wrong_input(s, l, "as many elements as its target_shape has");
    l->rank = l->n_target + 1;
    for (int i = 0; i < l->n_target; i++)
        l->dims[i + 1] = i == open ? (int64_t) (elements(x) / known) : l->target[i];
    return T2_OK;
}

static enum t2_status shape_mean(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    if (x->rank != 3 && x->rank != 4)
        return wrong_input(s, l, "(batch, height, width, channels) or (batch, length, features)");
    l->rank = 2;
    l->dims[0] = MDL_DIM_BATCH;
    l->dims[1] = last(x);
    return T2_OK;
}

/* What leaves the shape as it is. */
static enum t2_status shape_same(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    if (x->rank < 2 || (x->rank == 2 && x->dims[1] == MDL_DIM_LENGTH))
        return wrong_input(s, l, "what layers give; ids go through an embedding first");
    same_shape(l, x);
    if (l->type == MDL_LAYER_BATCH_NORM)
        l->n_values = l->n_states = 2 * last(x);
    if (l->type == MDL_LAYER_LAYER_NORM)
        l->n_values = 2 * last(x);
    return T2_OK;
}

static enum t2_status shape_excite(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_layer *x = input_of(s, l, 0);

    if (x->rank != 4)
        return wrong_input(s, l, "images (batch, height, width, channels)");
    same_shape(l, x);
    l->units = (int64_t) ((double) last(x) * l->ratio);
    l->units = l->units < 1 ? 1 : l->units;
    l->n_values =
        whole(2.0 * (double) last(x) * (double) l->units + (double) l->units + (double) last(x));
    l->flops = 4.0 * (double) last(x) * (double) l->units;
    return T2_OK;
}

static void shape_input(const struct shaping *s, struct mdl_layer *l)
{
    const struct mdl_image *image = &s->problem->image;

    l->rank = image->height > 0 && !s->problem->table ? 4 : 2;
    l->dims[0] = MDL_DIM_BATCH;
    l->dims[1] = s->problem->table   ? image->channels
                 : image->height > 0 ? image->height
                                     : MDL_DIM_LENGTH;
    l->dims[2] = image->width;
    l->dims[3] = image->channels;
}

static enum t2_status shape_layer(const struct shaping *s, struct mdl_layer *l)
{
    switch (l->type) {
    case MDL_LAYER_INPUT:
        shape_input(s, l);
        return T2_OK;
    case MDL_LAYER_CONV2D:
    case MDL_LAYER_DEPTHWISE:
    case MDL_LAYER_MAX_POOL:
    case MDL_LAYER_AVG_POOL:
        return shape_windows(s, l);
    case MDL_LAYER_DENSE:
        return shape_dense(s, l);
    case MDL_LAYER_EMBEDDING:
        return shape_embedding(s, l);
    case MDL_LAYER_ATTENTION:
        return shape_attention(s, l);
    case MDL_LAYER_LSTM:
        return shape_lstm(s, l);
    case MDL_LAYER_ADD:
    case MDL_LAYER_CONCAT:
        return shape_join(s, l);
    case MDL_LAYER_FLATTEN:
        return shape_flat(s, l);
    case MDL_LAYER_RESHAPE:
        return shape_reshape(s, l);
    case MDL_LAYER_GLOBAL_AVG:
        return shape_mean(s, l);
    case MDL_LAYER_EXCITE:
        return shape_excite(s, l);
    case MDL_LAYER_ACTIVATION:
    case MDL_LAYER_BATCH_NORM:
    case MDL_LAYER_DROPOUT:
    case MDL_LAYER_LAYER_NORM:
    case MDL_LAYER_N_TYPES:
        break;
    }
    return shape_same(s, l);
}

/* ---- the net ---- */

static enum t2_status check_size(const struct shaping *s, const struct mdl_layer *l)
{
    struct t2_buf shape = {0};

    if (elements(l) <= MOST_ELEMENTS && (double) l->n_values <= MOST_ELEMENTS)
        return T2_OK;
    mdl_layer_put_shape(l, &shape);
    t2_fail(s->err, T2_EFORMAT,
            "line %zu: layer %s (%s) gives %s and has %" PRId64 " values: too many", l->line,
            l->name, mdl_layer_type_name(l), t2_buf_cstr(&shape), l->n_values);
    t2_buf_release(&shape);
    return T2_EFORMAT;
}

/* A text of any length whose positions do not see those behind them; at its end a dense layer to
 * the ids, which is the table of the loss (ops/xent.h). */
static enum t2_status check_sequence(const struct shaping *s)
{
    const struct mdl_layer *l = &s->net->layers[s->net->n - 1];

    for (int i = 0; i < s->net->n; i++) {
        const struct mdl_layer *x = &s->net->layers[i];
        const char *way_out = x->type == MDL_LAYER_ATTENTION && !x->causal ? "causal: true"
                              : x->type == MDL_LAYER_LSTM && x->backwards  ? "go_backwards: false"
                              : x->type == MDL_LAYER_BATCH_NORM            ? "layer_norm"
                                                                           : NULL;

        if (way_out)
            return t2_fail(s->err, T2_EFORMAT,
                           "line %zu: layer %s (%s) sees ids that are still to be made: %s",
                           x->line, x->name, mdl_layer_type_name(x), way_out);
    }
    if (l->type == MDL_LAYER_DENSE && l->rank == 3 && l->units == s->problem->targets_vocab &&
        !l->bias && l->activation == MDL_LINEAR)
        return T2_OK;
    return t2_fail(s->err, T2_EFORMAT,
                   "line %zu: a text is made by a last layer dense: {units: $classes, use_bias: "
                   "false} of (batch, length, features), not by %s (%s)",
                   l->line, l->name, mdl_layer_type_name(l));
}

/* The last layer gives one number for each class. */
static enum t2_status check_end(const struct shaping *s)
{
    const struct mdl_layer *l = &s->net->layers[s->net->n - 1];
    struct t2_buf shape = {0};

    if (mdl_layer_makes_texts(s->problem))
        return check_sequence(s);
    if (l->rank == 2 && l->dims[1] == s->problem->targets_vocab)
        return T2_OK;
    mdl_layer_put_shape(l, &shape);
    t2_fail(s->err, T2_EFORMAT,
            "line %zu: the last layer, %s (%s), gives %s; the %d classes of the problem want "
            "(batch, %d): end with dense: $classes",
            l->line, l->name, mdl_layer_type_name(l), t2_buf_cstr(&shape),
            s->problem->targets_vocab, s->problem->targets_vocab);
    t2_buf_release(&shape);
    return T2_EFORMAT;
}

enum t2_status mdl_layer_net_shapes(struct mdl_layer_net *net, const struct mdl_problem *problem,
                                    struct t2_err *err)
{
    struct shaping s = {net, problem, err};

    for (int i = 0; i < net->n; i++) {
        T2_TRY(shape_layer(&s, &net->layers[i]));
        T2_TRY(check_size(&s, &net->layers[i]));
    }
    return check_end(&s);
}

enum t2_status mdl_layer_net_new(const char *text, const char *origin, const struct mdl_hparams *hp,
                                 const struct mdl_problem *problem, struct mdl_layer_net **net,
                                 struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(mdl_layer_net_parse(text, origin, hp, problem, net, err));
    st = mdl_layer_net_shapes(*net, problem, err);
    if (st == T2_OK)
        return T2_OK;
    mdl_layer_net_free(*net);
    *net = NULL;
    return st;
}
