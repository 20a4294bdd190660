/*
 * train/models/layer_file_settings.c - what a layer type has: a table of settings, each for some
 * types, with the member of struct mdl_layer that holds it.
 *
 * Names and defaults are Keras's (tf.keras.layers); initialisers and regularisers are words or
 * mappings of one member, as their classes are called there: {random_normal: {stddev: 0.01}}.
 */
#include "train/models/layer_file_settings.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

/* clang-format off */
static const struct {
    const char *name, *other, *class_name, *default_name;
} types[MDL_LAYER_N_TYPES] = {
    [MDL_LAYER_INPUT] = {"input", "input", "Input", "input"},
    [MDL_LAYER_ACTIVATION] = {"activation", "activation", "Activation", "activation"},
    [MDL_LAYER_ADD] = {"add", "add", "Add", "add"},
    [MDL_LAYER_ATTENTION] = {"attention", "multi_head_attention", "MultiHeadAttention", "multi_head_attention"},
    [MDL_LAYER_AVG_POOL] = {"avg_pool", "average_pooling2d", "AveragePooling2D", "average_pooling2d"},
    [MDL_LAYER_BATCH_NORM] = {"batch_norm", "batch_normalization", "BatchNormalization", "batch_normalization"},
    [MDL_LAYER_CONCAT] = {"concat", "concatenate", "Concatenate", "concatenate"},
    [MDL_LAYER_CONV2D] = {"conv2d", "conv2d", "Conv2D", "conv2d"},
    [MDL_LAYER_DENSE] = {"dense", "dense", "Dense", "dense"},
    [MDL_LAYER_DEPTHWISE] = {"depthwise_conv2d", "depthwise", "DepthwiseConv2D", "depthwise_conv2d"},
    [MDL_LAYER_DROPOUT] = {"dropout", "dropout", "Dropout", "dropout"},
    [MDL_LAYER_EMBEDDING] = {"embedding", "embedding", "Embedding", "embedding"},
    [MDL_LAYER_FLATTEN] = {"flatten", "flatten", "Flatten", "flatten"},
    [MDL_LAYER_GLOBAL_AVG] = {"global_avg_pool", "mean", "GlobalAveragePooling2D", "global_average_pooling2d"},
    [MDL_LAYER_LAYER_NORM] = {"layer_norm", "layer_normalization", "LayerNormalization", "layer_normalization"},
    [MDL_LAYER_LSTM] = {"lstm", "lstm", "LSTM", "lstm"},
    [MDL_LAYER_MAX_POOL] = {"max_pool", "max_pooling2d", "MaxPooling2D", "max_pooling2d"},
    [MDL_LAYER_RESHAPE] = {"reshape", "reshape", "Reshape", "reshape"},
    [MDL_LAYER_EXCITE] = {"squeeze_excite", "squeeze_excitation", "SqueezeExcite", "squeeze_excite"},
};
/* clang-format on */

static const char *const activations[MDL_N_ACTIVATIONS] = {"linear", "relu",      "gelu",
                                                           "swish",  "relu6",     "hard_swish",
                                                           "tanh",   "leaky_relu"};

const char *mdl_layer_type_name(const struct mdl_layer *layer)
{
    return layer->type == MDL_LAYER_ACTIVATION ? activations[layer->activation]
                                               : types[layer->type].name;
}

const char *mdl_layer_default_name(enum mdl_layer_type type)
{
    return types[type].default_name;
}

const char *mdl_activation_name(enum mdl_activation activation)
{
    return activations[activation];
}

static bool find_activation(const char *name, enum mdl_activation *activation)
{
    if (strcmp(name, "silu") == 0)
        name = "swish";
    if (strcmp(name, "ReLU") == 0)
        name = "relu";
    for (int i = 0; i < MDL_N_ACTIVATIONS; i++)
        if (strcmp(activations[i], name) == 0) {
            *activation = (enum mdl_activation) i;
            return true;
        }
    return false;
}

bool mdl_layer_find_type(const char *name, enum mdl_layer_type *type,
                         enum mdl_activation *activation)
{
    *activation = MDL_LINEAR;
    for (int i = MDL_LAYER_INPUT + 1; i < MDL_LAYER_N_TYPES; i++)
        if (strcmp(types[i].name, name) == 0 || strcmp(types[i].other, name) == 0 ||
            strcmp(types[i].class_name, name) == 0) {
            *type = (enum mdl_layer_type) i;
            return true;
        }
    *type = MDL_LAYER_ACTIVATION;
    return find_activation(name, activation);
}

void mdl_layer_put_types(struct t2_buf *out)
{
    for (int i = MDL_LAYER_INPUT + 1; i < MDL_LAYER_N_TYPES; i++)
        t2_buf_printf(out, "%s, ", types[i].name);
    t2_buf_puts(out, "residual, repeat, for; relu and other activations");
}

/* ---- the table ---- */

enum how { INT, FLOAT, BOOL, PAIR, PADDING, ACTIVATION, INIT, REGULARIZER, SHAPE };

#define AT(member) offsetof(struct mdl_layer, member)
#define OF(type) (1u << MDL_LAYER_##type)

enum { MOST_UNITS = 1 << 20, MOST_SIZE = 1024 };

/* clang-format off */
/* The first row of a type is what "type: value" sets. */
static const struct setting {
    const char *name;
    enum how how;
    size_t at;
    unsigned of;
    double least, most; /* of numbers */
} settings[] = {
    {"units", INT, AT(units), OF(DENSE) | OF(LSTM), 1, MOST_UNITS},
    {"filters", INT, AT(units), OF(CONV2D), 1, MOST_UNITS},
    {"output_dim", INT, AT(units), OF(EMBEDDING), 1, MOST_UNITS},
    {"depth_multiplier", INT, AT(units), OF(DEPTHWISE), 1, 1024},
    {"rate", FLOAT, AT(rate), OF(DROPOUT) | OF(ATTENTION), 0, 0.999},
    {"num_heads", INT, AT(heads), OF(ATTENTION), 1, 1024},
    {"key_dim", INT, AT(key_dim), OF(ATTENTION), 1, MOST_UNITS},
    {"causal", BOOL, AT(causal), OF(ATTENTION), 0, 0},
    {"return_sequences", BOOL, AT(sequences), OF(LSTM), 0, 0},
    {"go_backwards", BOOL, AT(backwards), OF(LSTM), 0, 0},
    {"timing", BOOL, AT(timing), OF(EMBEDDING), 0, 0},
    {"ratio", FLOAT, AT(ratio), OF(EXCITE), 1e-6, 1},
    {"pool_size", PAIR, AT(size), OF(MAX_POOL) | OF(AVG_POOL), 1, MOST_SIZE},
    {"kernel_size", PAIR, AT(size), OF(CONV2D) | OF(DEPTHWISE), 1, MOST_SIZE},
    {"strides", PAIR, AT(strides), OF(CONV2D) | OF(DEPTHWISE) | OF(MAX_POOL) | OF(AVG_POOL), 1, MOST_SIZE},
    {"dilation_rate", INT, AT(dilation), OF(CONV2D) | OF(DEPTHWISE), 1, MOST_SIZE},
    {"padding", PADDING, AT(padding), OF(CONV2D) | OF(DEPTHWISE) | OF(MAX_POOL) | OF(AVG_POOL), 0, 0},
    {"activation", ACTIVATION, AT(activation), OF(ACTIVATION) | OF(CONV2D) | OF(DEPTHWISE) | OF(DENSE) | OF(BATCH_NORM) | OF(ADD), 0, 0},
    {"use_bias", BOOL, AT(bias), OF(CONV2D) | OF(DEPTHWISE) | OF(DENSE) | OF(ATTENTION), 0, 0},
    {"momentum", FLOAT, AT(momentum), OF(BATCH_NORM), 0, 1},
    {"epsilon", FLOAT, AT(epsilon), OF(BATCH_NORM) | OF(LAYER_NORM), 0, 1},
    {"gamma_initializer", INIT, AT(gamma_init), OF(BATCH_NORM) | OF(LAYER_NORM), 0, 0},
    {"kernel_initializer", INIT, AT(kernel_init), OF(CONV2D) | OF(DENSE) | OF(ATTENTION) | OF(EXCITE) | OF(LSTM), 0, 0},
    {"depthwise_initializer", INIT, AT(kernel_init), OF(DEPTHWISE), 0, 0},
    {"embeddings_initializer", INIT, AT(kernel_init), OF(EMBEDDING), 0, 0},
    {"bias_initializer", INIT, AT(bias_init), OF(CONV2D) | OF(DEPTHWISE) | OF(DENSE), 0, 0},
    {"kernel_regularizer", REGULARIZER, AT(kernel_l2), OF(CONV2D) | OF(DENSE) | OF(EXCITE) | OF(LSTM), 0, 0},
    {"depthwise_regularizer", REGULARIZER, AT(kernel_l2), OF(DEPTHWISE), 0, 0},
    {"embeddings_regularizer", REGULARIZER, AT(kernel_l2), OF(EMBEDDING), 0, 0},
    {"bias_regularizer", REGULARIZER, AT(bias_l2), OF(CONV2D) | OF(DEPTHWISE) | OF(DENSE), 0, 0},
    {"target_shape", SHAPE, AT(target), OF(RESHAPE), 0, 0},
};
/* clang-format on */
enum { N_SETTINGS = sizeof settings / sizeof *settings };

void mdl_layer_set_defaults(struct mdl_layer *l, enum mdl_layer_type type)
{
    bool pool = type == MDL_LAYER_MAX_POOL || type == MDL_LAYER_AVG_POOL;

    *l = (struct mdl_layer){.type = type,
                            .dilation = 1,
                            .padding = NN_VALID,
                            .bias = true,
                            .momentum = 0.99,
                            .epsilon = 1e-3,
                            .ratio = 0.25,
                            .kernel_init = {.init = GR_INIT_GLOROT},
                            .bias_init = {.init = GR_INIT_ZEROS},
                            .gamma_init = {.init = GR_INIT_ONES}};
    if (type == MDL_LAYER_EMBEDDING)
        l->kernel_init = (struct mdl_layer_init_spec){.init = GR_INIT_UNIFORM, .gain = 0.05};
    if (type == MDL_LAYER_DEPTHWISE)
        l->units = 1;
    if (pool)
        l->size[0] = l->size[1] = 2;
    else
        l->strides[0] = l->strides[1] = 1;
}

/* ---- initialisers and regularisers ---- */

/* A word, or a mapping of one member: the word, and its arguments (NULL: none). */
static enum t2_status take_word(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                char word[MDL_SCALAR_BYTES], const struct t2_yaml_node **arguments,
                                struct t2_err *err)
{
    *arguments = NULL;
    if (node->kind == T2_YAML_SCALAR)
        return mdl_scope_text(s, node, word, err);
    if (node->kind != T2_YAML_MAPPING || node->n != 1 ||
        strlen(node->items[0].key) >= MDL_SCALAR_BYTES)
        return t2_fail(err, T2_EFORMAT,
                       "line %zu: %s is a name, or a name with its numbers: {l2: 0.0001}",
                       node->line, node->key);
    memcpy(word, node->items[0].key, strlen(node->items[0].key) + 1);
    *arguments = &node->items[0];
    return T2_OK;
}

/* What an initialiser of a name is; `argument` is its number's name, with its default. */
static const struct initializer {
    const char *name;
    struct mdl_layer_init_spec spec;
    const char *argument;
} initializers[] = {
    {"zeros", {.init = GR_INIT_ZEROS}, NULL},
    {"ones", {.init = GR_INIT_ONES}, NULL},
    {"glorot_uniform", {.init = GR_INIT_GLOROT}, NULL},
    {"glorot_normal", {.how = MDL_INIT_NORMAL_FAN_AVG, .gain = 1.0}, NULL},
    {"he_normal", {.init = GR_INIT_FAN_IN, .gain = 2.0}, NULL},
    {"he_uniform", {.how = MDL_INIT_UNIFORM_FAN_IN, .gain = 2.0}, NULL},
    {"lecun_normal", {.init = GR_INIT_FAN_IN, .gain = 1.0}, NULL},
    {"lecun_uniform", {.how = MDL_INIT_UNIFORM_FAN_IN, .gain = 1.0}, NULL},
    {"variance_scaling", {.init = GR_INIT_FAN_IN, .gain = 1.0}, "scale"},
    {"random_normal", {.init = GR_INIT_NORMAL, .gain = 0.05}, "stddev"},
    {"truncated_normal", {.init = GR_INIT_TRUNCATED_NORMAL, .gain = 0.05}, "stddev"},
    {"random_uniform", {.init = GR_INIT_UNIFORM, .gain = 0.05}, "maxval"},
    {"hparams", {.init = GR_INIT_DEFAULT}, NULL},
};
enum { N_INITIALIZERS = sizeof initializers / sizeof *initializers };

static enum t2_status unknown_initializer(const struct t2_yaml_node *node, const char *word,
                                          struct t2_err *err)
{
    struct t2_buf known = {0};

    for (size_t i = 0; i < N_INITIALIZERS; i++)
        t2_buf_printf(&known, "%s%s", i > 0 ? ", " : "", initializers[i].name);
    t2_fail(err, T2_EFORMAT, "line %zu: there is no initializer '%.60s'; there are %s", node->line,
            word, t2_buf_cstr(&known));
    t2_buf_release(&known);
    return T2_EFORMAT;
}

/* {stddev: 0.01}, {minval: -0.1, maxval: 0.1} */
static enum t2_status read_arguments(const struct mdl_scope *s, const struct t2_yaml_node *list,
                                     const struct initializer *i, struct mdl_layer_init_spec *spec,
                                     struct t2_err *err)
{
    double low = -spec->gain;

    if (list->kind != T2_YAML_MAPPING)
        return t2_fail(err, T2_EFORMAT, "line %zu: the numbers of %s are a mapping: {%s: %g}",
                       list->line, i->name, i->argument ? i->argument : "", spec->gain);
    for (size_t k = 0; k < list->n; k++) {
        const struct t2_yaml_node *a = &list->items[k];

        if (i->argument && strcmp(a->key, i->argument) == 0)
            T2_TRY(mdl_scope_float(s, a, a->key, 0, 1e6, &spec->gain, err));
        else if (spec->init == GR_INIT_UNIFORM && strcmp(a->key, "minval") == 0)
            T2_TRY(mdl_scope_float(s, a, a->key, -1e6, 0, &low, err));
        else
            return t2_fail(err, T2_EFORMAT, "line %zu: initializer %s has no '%.60s'%s%s", a->line,
                           i->name, a->key, i->argument ? ", but " : "",
                           i->argument ? i->argument : "");
    }
    if (list->n > 1 && low != -spec->gain)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "line %zu: random_uniform goes as far below 0 as above, not from %g to %g",
                       list->line, low, spec->gain);
    return T2_OK;
}

static enum t2_status read_initializer(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                       struct mdl_layer_init_spec *spec, struct t2_err *err)
{
    const struct t2_yaml_node *arguments;
    char word[MDL_SCALAR_BYTES];

    T2_TRY(take_word(s, node, word, &arguments, err));
    for (size_t i = 0; i < N_INITIALIZERS; i++)
        if (strcmp(initializers[i].name, word) == 0) {
            *spec = initializers[i].spec;
            return arguments ? read_arguments(s, arguments, &initializers[i], spec, err) : T2_OK;
        }
    return unknown_initializer(node, word, err);
}

/* {l2: factor}; "l2" alone has Keras's 0.01. */
static enum t2_status read_regularizer(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                       double *l2, struct t2_err *err)
{
    const struct t2_yaml_node *arguments;
    char word[MDL_SCALAR_BYTES];

    *l2 = 0.0;
    if (node->kind == T2_YAML_SCALAR && node->plain &&
        (strcmp(node->text, "none") == 0 || strcmp(node->text, "null") == 0))
        return T2_OK;
    T2_TRY(take_word(s, node, word, &arguments, err));
    if (strcmp(word, "l2") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "line %zu: there is no regularizer '%.60s'; there is {l2: 0.0001}",
                       node->line, word);
    *l2 = 0.01;
    return arguments ? mdl_scope_float(s, arguments, "l2", 0, 1e6, l2, err) : T2_OK;
}

/* ---- other values ---- */

/* A number for both, or a list of two. */
static enum t2_status read_pair(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                const struct setting *row, int64_t pair[2], struct t2_err *err)
{
    int64_t least = (int64_t) row->least, most = (int64_t) row->most;

    if (node->kind == T2_YAML_LIST && node->n == 2) {
        T2_TRY(mdl_scope_int(s, &node->items[0], row->name, least, most, &pair[0], err));
        return mdl_scope_int(s, &node->items[1], row->name, least, most, &pair[1], err);
    }
    if (node->kind != T2_YAML_SCALAR)
        return t2_fail(err, T2_EFORMAT, "line %zu: %s is a number or a list of two", node->line,
                       row->name);
    T2_TRY(mdl_scope_int(s, node, row->name, least, most, &pair[0], err));
    pair[1] = pair[0];
    return T2_OK;
}

static enum t2_status read_padding(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                   enum nn_padding *padding, struct t2_err *err)
{
    char word[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(s, node, word, err));
    if (strcmp(word, "same") == 0 || strcmp(word, "SAME") == 0)
        *padding = NN_SAME;
    else if (strcmp(word, "valid") == 0 || strcmp(word, "VALID") == 0)
        *padding = NN_VALID;
    else if (strcmp(word, "symmetric") == 0)
        *padding = NN_SYMMETRIC;
    else
        return t2_fail(err, T2_EFORMAT, "line %zu: padding is valid, same or symmetric, not '%s'",
                       node->line, word);
    return T2_OK;
}

static enum t2_status read_activation(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                      enum mdl_activation *activation, struct t2_err *err)
{
    char word[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(s, node, word, err));
    if (find_activation(word, activation))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "line %zu: there is no activation '%s'; there are linear, relu, relu6, gelu, "
                   "swish (silu), hard_swish, tanh, leaky_relu%s",
                   node->line, word,
                   strcmp(word, "softmax") == 0 ? "; the softmax is part of the loss" : "");
}

static enum t2_status read_shape(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                 struct mdl_layer *l, struct t2_err *err)
{
    int64_t most = 1 << 24;

    if (node->kind != T2_YAML_LIST || node->n < 1 || node->n > GR_MAX_RANK - 1)
        return t2_fail(err, T2_EFORMAT,
                       "line %zu: target_shape is a list of 1 to %d numbers, without the batch",
                       node->line, GR_MAX_RANK - 1);
    l->n_target = (int) node->n;
    for (size_t i = 0; i < node->n; i++)
        T2_TRY(mdl_scope_int(s, &node->items[i], "target_shape", -1, most, &l->target[i], err));
    return T2_OK;
}

static enum t2_status read_setting(struct mdl_layer *l, const struct setting *row,
                                   const struct mdl_scope *s, const struct t2_yaml_node *node,
                                   struct t2_err *err)
{
    void *member = (char *) l + row->at;

    switch (row->how) {
    case INT:
        return mdl_scope_int(s, node, row->name, (int64_t) row->least, (int64_t) row->most, member,
                             err);
    case FLOAT:
        return mdl_scope_float(s, node, row->name, row->least, row->most, member, err);
    case BOOL:
        return mdl_scope_bool(s, node, row->name, member, err);
    case PAIR:
        return read_pair(s, node, row, member, err);
    case PADDING:
        return read_padding(s, node, member, err);
    case ACTIVATION:
        return read_activation(s, node, member, err);
    case INIT:
        return read_initializer(s, node, member, err);
    case REGULARIZER:
        return read_regularizer(s, node, member, err);
    case SHAPE:
        return read_shape(s, node, l, err);
    }
    return T2_OK;
}

/* ---- layers ---- */

static enum t2_status no_such_setting(const struct mdl_layer *l, const struct t2_yaml_node *member,
                                      struct t2_err *err)
{
    struct t2_buf known = {0};

    for (size_t i = 0; i < N_SETTINGS; i++)
        if (settings[i].of & (1u << l->type))
            t2_buf_printf(&known, "%s, ", settings[i].name);
    t2_fail(err, T2_EFORMAT, "line %zu: %s has no setting '%.60s'; it has %sname", member->key_line,
            types[l->type].name, member->key, t2_buf_cstr(&known));
    t2_buf_release(&known);
    return T2_EFORMAT;
}

enum t2_status mdl_layer_set(struct mdl_layer *l, const struct mdl_scope *scope,
                             const struct t2_yaml_node *member, struct t2_err *err)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        if ((settings[i].of & (1u << l->type)) && strcmp(settings[i].name, member->key) == 0)
            return read_setting(l, &settings[i], scope, member, err);
    return no_such_setting(l, member, err);
}

enum t2_status mdl_layer_set_first(struct mdl_layer *l, const struct mdl_scope *scope,
                                   const struct t2_yaml_node *value, struct t2_err *err)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (settings[i].of & (1u << l->type))
            return read_setting(l, &settings[i], scope, value, err);
    return t2_fail(err, T2_EFORMAT, "line %zu: %s has no setting", value->line,
                   types[l->type].name);
}

enum t2_status mdl_layer_check_settings(const struct mdl_layer *l, struct t2_err *err)
{
    const char *missing = NULL;

    if ((l->type == MDL_LAYER_DENSE || l->type == MDL_LAYER_LSTM) && l->units == 0)
        missing = "units";
    else if (l->type == MDL_LAYER_CONV2D && l->units == 0)
        missing = "filters";
    else if (l->type == MDL_LAYER_EMBEDDING && l->units == 0)
        missing = "output_dim";
    else if ((l->type == MDL_LAYER_CONV2D || l->type == MDL_LAYER_DEPTHWISE) && l->size[0] == 0)
        missing = "kernel_size";
    else if (l->type == MDL_LAYER_ATTENTION && l->heads == 0)
        missing = "num_heads";
    else if (l->type == MDL_LAYER_ATTENTION && l->key_dim == 0)
        missing = "key_dim";
    else if (l->type == MDL_LAYER_RESHAPE && l->n_target == 0)
        missing = "target_shape";
    if (missing)
        return t2_fail(err, T2_EFORMAT, "line %zu: %s needs %s", l->line, types[l->type].name,
                       missing);
    if (l->strides[0] != l->strides[1] && l->strides[0] > 0)
        return t2_fail(err, T2_EUNSUPPORTED, "line %zu: %s has the same strides both ways", l->line,
                       types[l->type].name);
    if ((l->type == MDL_LAYER_MAX_POOL || l->type == MDL_LAYER_AVG_POOL) &&
        l->size[0] != l->size[1])
        return t2_fail(err, T2_EUNSUPPORTED, "line %zu: windows of %s are square", l->line,
                       types[l->type].name);
    return T2_OK;
}
