/*
 * train/models/transformer_ffn.c - the feed-forward layers of the Transformer, by hparam ffn_layer.
 *
 * layers/transformer_layers.py, transformer_ffn_layer; spec t2t-trainer.md §3.6.
 */
#include <stdio.h>
#include <string.h>

#include "train/models/transformer_parts.h"
#include "train/ops/linear.h"

/* In training all positions of a sequence share a mask of relu_dropout where its broadcast dims say "1";
 * the original's pad remover makes one sequence of the encoder's batch first, we do not. */
static struct gr_tensor *dense_relu_dense(const struct mdl_build *b, struct gr_tensor *x,
                                          const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    struct gr_tensor *h;

    h = nn_linear_drop(b->g, x, mdl_tf_kernel(b, sublayer, "conv1/kernel", hidden, filter),
                       mdl_tf_vector(b, sublayer, "conv1/bias", filter, GR_INIT_ZEROS), true,
                       mdl_tf_drop(b->hp, "relu_dropout"));
    return nn_linear(b->g, h, mdl_tf_kernel(b, sublayer, "conv2/kernel", filter, hidden),
                     mdl_tf_vector(b, sublayer, "conv2/bias", hidden, GR_INIT_ZEROS), false, 0.0);
}

bool mdl_tf_is_dense(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, "ffn_layer", "dense_relu_dense") ||
           mdl_tf_is(hp, "ffn_layer", "conv_hidden_relu");
}

struct gr_tensor *mdl_tf_feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_tf_place *place, const char *sublayer)
{
    (void) place;
    return dense_relu_dense(b, x, sublayer);
}

int64_t mdl_tf_ffn_cache(const struct mdl_hparams *hp)
{
    (void) hp;
    return 0;
}
