/*
 * train/models/image_attention.h - the attentions of the Image Transformer, by the names that
 * hparams dec_attention_type and enc_attention_type have for them.
 *
 * tensor2tensor/layers/common_image_attention.py of release 1.15.7.
 */
#ifndef MDL_IMAGE_ATTENTION_H
#define MDL_IMAGE_ATTENTION_H

#include "train/models/kind.h"

/* Where a self-attention stands. */
struct mdl_image_place {
    const char *type;  /* local_1d, … */
    const char *layer; /* scope of its variables */
    int number;        /* of the layer, from 0 */
    int64_t height;    /* rows of the grid of positions */
    bool encodes;      /* of the encoder, which sees both sides */
};

/* x (B, L, D) -> (B, L, D).  step: NULL, or x is one position (rows, 1, D). */
struct gr_tensor *mdl_image_self_attention(const struct mdl_build *b, struct gr_tensor *x,
                                           const struct mdl_image_place *place,
                                           struct mdl_pixel_step *step);
/* Attention to what the encoder made (B, L', D). */
struct gr_tensor *mdl_image_attend_memory(const struct mdl_build *b, struct gr_tensor *x,
                                          struct gr_tensor *memory, const char *layer);

/*
 * Drawing: the position that is written n-th of a grid of `height` x `width`, and the one whose
 * value is fed for it, -1 for none; which of the positions place[0 .. n] a layer sees from the last
 * of them, 1 or 0.
 */
int64_t mdl_image_place(const struct mdl_hparams *hp, int64_t width, int64_t n);
int64_t mdl_image_fed(const struct mdl_hparams *hp, int64_t width, int64_t n);
void mdl_image_seen(const struct mdl_hparams *hp, int64_t width, int layer, const int64_t *place,
                    int64_t n, int32_t *seen);
/* Do layers keep all positions, and not those of two blocks alone? */
bool mdl_image_keeps_all(const struct mdl_hparams *hp);

/* Blocks of two dimensions: positions are fed in their order, too. */
bool mdl_image_by_blocks(const struct mdl_hparams *hp);
/* hparam query_shape. */
void mdl_image_query_shape(const struct mdl_hparams *hp, int64_t query[2]);

/* Names what these attentions cannot do, or the original cannot. */
enum t2_status mdl_image_check_attention(const char *model, const struct mdl_hparams *hp,
                                         struct t2_err *err);

#endif
