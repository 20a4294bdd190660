/*
 * train/models/layer_file.h - a network that a YAML text describes: its layers in the order in
 * which they are built, with their settings and shapes.
 *
 * The grammar is in docs/models.md; layer types and settings have Keras's names and, where nothing
 * else is said, Keras's defaults.  Reading it goes in steps, a file each:
 *   layer_file_values.c     scalars: numbers, words, "$name" of hparams and loops
 *   layer_file_settings.c   what a layer type has, by a table
 *   layer_file_parse.c      the tree of YAML to a list of layers: loops, branches, names
 *   layer_file_shapes.c     the shape that each layer gives, its variables and operations
 *   layer_file_build.c      the graph; struct mdl_kind of all such models
 *   layer_file_table.c      the list as a table, layer_file_drawing.c as a drawing
 *
 * A model's text is its hparam `layer_file`, so that checkpoints hold it.
 */
#ifndef MDL_LAYER_FILE_H
#define MDL_LAYER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/models/model.h"
#include "train/ops/conv2d.h"

enum {
    MDL_LAYER_MOST_BYTES = 1 << 20, /* of a text */
    MDL_LAYER_MOST = 4096,          /* layers, loops unrolled */
    MDL_LAYER_MOST_INPUTS = 8,
    MDL_LAYER_NAME_BYTES = 128
};

enum mdl_layer_type {
    MDL_LAYER_INPUT, /* the first of every net: images or ids */
    MDL_LAYER_ACTIVATION,
    MDL_LAYER_ADD,
    MDL_LAYER_ATTENTION,
    MDL_LAYER_AVG_POOL,
    MDL_LAYER_BATCH_NORM,
    MDL_LAYER_CONCAT,
    MDL_LAYER_CONV2D,
    MDL_LAYER_DENSE,
    MDL_LAYER_DEPTHWISE,
    MDL_LAYER_DROPOUT,
    MDL_LAYER_EMBEDDING,
    MDL_LAYER_FLATTEN,
    MDL_LAYER_GLOBAL_AVG,
    MDL_LAYER_LAYER_NORM,
    MDL_LAYER_LSTM,
    MDL_LAYER_MAX_POOL,
    MDL_LAYER_RESHAPE,
    MDL_LAYER_EXCITE,
    MDL_LAYER_N_TYPES
};

enum mdl_activation {
    MDL_LINEAR,
    MDL_RELU,
    MDL_GELU, /* its tanh form */
    MDL_SWISH,
    MDL_RELU6,
    MDL_HARD_SWISH,
    MDL_TANH,
    MDL_LEAKY_RELU, /* 0.3 below 0, Keras's */
    MDL_N_ACTIVATIONS
};

/* How a variable begins.  GR_INIT_… need no more than a number; of the others half width or
 * deviation follow from the fans. */
enum mdl_layer_init { MDL_INIT_GRAPH, MDL_INIT_UNIFORM_FAN_IN, MDL_INIT_NORMAL_FAN_AVG };

struct mdl_layer_init_spec {
    enum mdl_layer_init how;
    enum gr_init init; /* MDL_INIT_GRAPH */
    double gain;       /* of init; variance scale of the others */
};

/* A dimension that a batch decides. */
enum { MDL_DIM_BATCH = -1, MDL_DIM_LENGTH = -2 };

struct mdl_layer {
    enum mdl_layer_type type;
    char name[MDL_LAYER_NAME_BYTES]; /* where names of its variables begin */
    size_t line;                     /* of the text */
    int group;                       /* > 0: of a block, for graph/remat.h; 0: of none */
    int inputs[MDL_LAYER_MOST_INPUTS], n_inputs; /* layers in front of it */
    enum mdl_activation activation;
    int64_t units; /* dense units, filters, width of an embedding; 0: not given */
    int64_t size[2], strides[2], dilation;
    enum nn_padding padding;
    int64_t heads, key_dim;
    bool causal, bias, timing, sequences, backwards;
    double rate, momentum, epsilon, ratio;
    struct mdl_layer_init_spec kernel_init, bias_init, gamma_init;
    double kernel_l2, bias_l2; /* times the sum of squares in the loss */
    int64_t target[GR_MAX_RANK];
    int n_target; /* of reshape, without the batch; one may be -1 */
    /* What it gives; layer_file_shapes.c */
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n_values, n_states; /* of its variables: trained, not trained */
    double flops;               /* of an example (of a position of a text): 2 a multiply-add */
};

struct mdl_layer_net {
    struct mdl_layer *layers;
    int n, capacity;
    char *title; /* "" when the text gives none */
};

/*
 * Reads a text for hparams and a problem, up to the shapes.  T2_EFORMAT and T2_EUNSUPPORTED name
 * the line, and the layer with its shapes; `origin` is named where the text is no YAML.  *net is
 * owned by the caller.
 */
T2_MUST_CHECK enum t2_status mdl_layer_net_new(const char *text, const char *origin,
                                               const struct mdl_hparams *hp,
                                               const struct mdl_problem *problem,
                                               struct mdl_layer_net **net, struct t2_err *err);
void mdl_layer_net_free(struct mdl_layer_net *net);

/* True of texts that are made: the loss is of every id of the targets, each from those before it.
 */
static inline bool mdl_layer_makes_texts(const struct mdl_problem *problem)
{
    return !problem->class_labels && problem->image.height == 0;
}

/* The same in two steps: layers without shapes, and their shapes. */
T2_MUST_CHECK enum t2_status mdl_layer_net_parse(const char *text, const char *origin,
                                                 const struct mdl_hparams *hp,
                                                 const struct mdl_problem *problem,
                                                 struct mdl_layer_net **net, struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_layer_net_shapes(struct mdl_layer_net *net,
                                                  const struct mdl_problem *problem,
                                                  struct t2_err *err);

/* "(batch, 32, 32, 3)" */
void mdl_layer_put_shape(const struct mdl_layer *layer, struct t2_buf *out);
/* "conv2d" or "relu", as it is written in a file; the name of a layer without one is counted from
 * the other: "conv2d_3". */
const char *mdl_layer_type_name(const struct mdl_layer *layer);
const char *mdl_layer_default_name(enum mdl_layer_type type);
const char *mdl_activation_name(enum mdl_activation activation);

/* ---- files and hparams ---- */

/* True of "my.yaml": a path to a layer file, or the name of a model that is one. */
bool mdl_is_layer_file(const char *model);
/* Declares the `parameters` of a text as hparams, and sets hparam layer_file.  T2_EFORMAT as
 * mdl_layer_net_new; a parameter that hp has keeps its value. */
T2_MUST_CHECK enum t2_status mdl_layer_file_declare(const char *text, const char *origin,
                                                    struct mdl_hparams *hp, struct t2_err *err);

/* mdl_hparams_read_json of hparams that may hold a layer file, whose parameters are declared
 * first. */
T2_MUST_CHECK enum t2_status mdl_layer_file_read_json(struct mdl_hparams *hp,
                                                      const struct t2_json_value *object,
                                                      struct t2_err *err);

/* ---- descriptions ---- */

/* Appends a table with a line for each layer, and sums. */
void mdl_layer_net_table(const struct mdl_layer_net *net, struct t2_buf *out);
/* The network as a drawing, SVG. */
void mdl_layer_net_svg(const struct mdl_layer_net *net, struct t2_buf *out);

#endif
