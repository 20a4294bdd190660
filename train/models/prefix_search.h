/*
 * train/models/prefix_search.h - decoding without caches: the whole prefix again for every id
 * (_slow_greedy_infer, _beam_decode_slow); for model_decoder.c.
 */
#ifndef MDL_PREFIX_SEARCH_H
#define MDL_PREFIX_SEARCH_H

#include "train/models/choice.h"
#include "train/models/model_parts.h"

struct mdl_prefix_search {
    struct mdl *m;
    struct mdl_search_shape shape;
    int32_t rows;
    int64_t width; /* of the ids of a row: shape.max_length, rounded up */
    /* (rows, inputs_length): each row's source; (rows, width): its ids so far, and room for the
     * reordered ones. */
    int32_t *inputs, *prefix, *reordered;
    float *images; /* (rows, H, W, C) of images that are described, in place of inputs */
    void *choice;  /* mdl_choose's; NULL: nothing is chosen */
};

/* mdl_decoder_plan, beside the graphs, which are the model's. */
T2_MUST_CHECK enum t2_status mdl_prefix_plan(struct mdl *m, const struct mdl_search_shape *shape,
                                             const struct mdl_choice *choice,
                                             const struct dev_bytes *limit,
                                             struct dev_bytes *needed, struct t2_err *err);
/* p is zeroed, or of a search before.  inputs (batch, inputs_length), or, of images that are
 * described, images (batch, H, W, C). */
T2_MUST_CHECK enum t2_status mdl_prefix_begin(struct mdl_prefix_search *p, struct mdl *m,
                                              const struct mdl_search_shape *shape,
                                              const struct mdl_choice *choice,
                                              const int32_t *inputs, const float *images,
                                              struct t2_err *err);
void mdl_prefix_release(struct mdl_prefix_search *p);
/* As mdl_decoder_step, but the logits stay on the device, until the next one; _vocab and
 * _reorder. */
T2_MUST_CHECK enum t2_status mdl_prefix_step(struct mdl_prefix_search *p, int32_t step,
                                             const int32_t *ids, struct mdl_logit_rows *rows,
                                             struct t2_err *err);
int32_t mdl_prefix_vocab(const struct mdl *m);
void mdl_prefix_reorder(struct mdl_prefix_search *p, const int32_t *from);

#endif
