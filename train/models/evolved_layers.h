/*
 * train/models/evolved_layers.h - the layers of the Evolved Transformer, for transformer.c.
 */
#ifndef MDL_EVOLVED_LAYERS_H
#define MDL_EVOLVED_LAYERS_H

#include "train/models/transformer_parts.h"

/* What a model that is built of them has for its name. */
extern const char mdl_et_name[];
static inline bool mdl_is_evolved(const struct mdl_build *b)
{
    return b->model == mdl_et_name;
}

/* Of the decoder's first attention: twice as many, up to 16, and never fewer. */
int64_t mdl_et_more_heads(int64_t heads);

/* x (B,L,D) through one layer; row_ids (B,L): rows with 0 are padding. */
struct gr_tensor *mdl_et_encoder_layer(const struct mdl_build *b, struct gr_tensor *x,
                                       struct gr_tensor *row_ids, const struct nn_attention *masks,
                                       int layer);

/* What a layer of the decoder has beside x. */
struct mdl_et_decoder {
    struct gr_tensor *row_ids; /* of packed targets: their segments; else NULL */
    const struct nn_attention *masks, *memory_masks;
    struct gr_tensor *encoded; /* (B,Li,D) or NULL */
};
struct gr_tensor *mdl_et_decoder_layer(const struct mdl_build *b, struct gr_tensor *x,
                                       const struct mdl_et_decoder *d, int layer);

#endif
