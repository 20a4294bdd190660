/*
 * train/models/basic_fc.c - Tensor2Tensor's fully connected network for images: num_hidden_layers
 * times x = dropout(relu(w x + b)) on the flattened pixels (B, H*W*C), then class logits.
 *
 * models/basic.py (BasicFcRelu); spec t2t-trainer.md §5.5.
 */
#include <inttypes.h>
#include <stdio.h>

#include "train/models/cnn_parts.h"
#include "train/ops/elementwise.h"

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b, .scope = "basic_fc_relu/body/"};
    struct gr_tensor *x; /* (B, H*W*C), then (B, hidden_size) */

    mdl_cnn_inputs(b, shape, out);
    x = nn_flatten(b->g, out->images);
    for (int64_t i = 0; i < mdl_hp_int(b->hp, "num_hidden_layers"); i++) {
        char layer[32];

        snprintf(layer, sizeof layer, "layer_%" PRId64, i);
        /* the original drops before the ReLU, which is the same */
        x = mdl_cnn_dense_relu(&c, x, layer, mdl_hp_int(b->hp, "hidden_size"),
                               (struct mdl_cnn_init){GR_INIT_DEFAULT, 0.0},
                               mdl_hp_float(b->hp, "dropout"));
    }
    mdl_cnn_class_top(b, x, want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const none[] = {NULL};

    if (mdl_hp_int(hp, "hidden_size") < 1 || mdl_hp_int(hp, "num_hidden_layers") < 0)
        return t2_fail(err, T2_EUSAGE,
                       "basic_fc_relu: hidden_size must be positive and num_hidden_layers not "
                       "negative");
    return mdl_cnn_check("basic_fc_relu", hp, problem, none, "basic_fc_small", err);
}

const struct mdl_kind mdl_basic_fc_relu = {.name = "basic_fc_relu",
                                           .own_set = "basic_fc_small",
                                           .reads_tables = true,
                                           .check = check,
                                           .build = build};
