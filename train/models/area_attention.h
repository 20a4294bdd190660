/*
 * train/models/area_attention.h - attention to areas, ranges of neighbouring positions, in place of
 * single ones (Li et al. 2019, "Area Attention"; layers/area_attention.py of Tensor2Tensor).
 *
 * Of the hparams num_area_layers layers of each stack, from the first on, attend so; the keys of
 * areas are made of those of their positions by area_key_mode, values by area_value_mode:
 *   mean, max        of the positions' keys
 *   concat           W_1 relu(W_0 [mean; deviation; size])      size: [height_emb[h]; width_emb[w]]
 *   max_concat       W_1 relu(W_0 [max; size])
 *   sum              W_1 relu(W_0 (mean + deviation + size))
 *   sample           mean + deviation * n in training, n of the normal distribution; else mean
 *   sample_concat    W_1 relu(W_0 [sample; size])
 *   sample_sum       W_1 relu(W_0 (sample + size))
 * for each head by itself, with the same variables for all.
 */
#ifndef MDL_AREA_ATTENTION_H
#define MDL_AREA_ATTENTION_H

#include "train/models/transformer_parts.h"
#include "train/ops/areas.h"

/* Does a layer attend to areas?  self: in self-attention, which has other kinds. */
bool mdl_area_layer(const struct mdl_hparams *hp, int32_t layer, bool self);
/* Of the encoder's memory; of all that the decoder's layers attend to. */
struct nn_areas mdl_encoder_areas(const struct mdl_hparams *hp);
struct nn_areas mdl_decoder_areas(const struct mdl_hparams *hp);

/* Keys (B, A, C), values (B, A, C) of areas, of those of L positions, (B, L, C).  scope: where the
 * variables of the keys are. */
struct gr_tensor *mdl_area_keys(const struct mdl_build *b, struct gr_tensor *k,
                                const struct nn_areas *areas, int64_t heads, const char *scope);
struct gr_tensor *mdl_area_values(const struct mdl_build *b, struct gr_tensor *v,
                                  const struct nn_areas *areas);
/* The same of the attention of a Transformer's sub-layer. */
struct gr_tensor *mdl_tf_area_keys(const struct mdl_build *b, struct gr_tensor *k,
                                   const struct nn_areas *areas, const char *sublayer);

/* Masks of areas of Lk positions that hide an area wherever the masks of positions hide one of it,
 * and what is no area. */
struct nn_attention mdl_area_masks(struct gr_graph *g, const struct nn_attention *masks,
                                   const struct nn_areas *areas, int64_t B, int64_t Lq, int64_t Lk);

/* mdl_tf_attention to areas of the memory; masks: mdl_area_masks. */
struct gr_tensor *mdl_tf_area_attention(const struct mdl_build *b, struct gr_tensor *x,
                                        struct gr_tensor *memory, const struct nn_attention *masks,
                                        const struct nn_areas *areas, const char *sublayer);

/* Self-attention of x (rows, 1, D), one position of decoding, to the areas so far: keys and values
 * of those that end with it join the caches.  A position has most_width areas; *index is
 * nn_cache_index of them, NULL before the first layer. */
struct gr_tensor *mdl_tf_cached_areas(const struct mdl_build *b, struct mdl_step *s, int32_t layer,
                                      struct gr_tensor *x, struct gr_tensor **index,
                                      const char *sublayer);

/* Names hparams that do not go with areas, kinds of keys and values of heads of `depth` channels
 * among them; shapes of batches that their grid does not divide. */
enum t2_status mdl_area_check_modes(const struct mdl_hparams *hp, int64_t depth,
                                    struct t2_err *err);
enum t2_status mdl_area_check(const char *model, const struct mdl_hparams *hp, struct t2_err *err);
enum t2_status mdl_area_check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    const struct mdl_shape *shape, struct t2_err *err);

#endif
