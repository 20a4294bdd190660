/*
 * train/decode/model_set.h - the models of a search as one: a model alone, or an ensemble, of which
 * every step chooses by the mean of all logits (mdl_decoder_choose_mean).
 */
#ifndef DEC_MODEL_SET_H
#define DEC_MODEL_SET_H

#include "train/models/model.h"

struct dec_model_set {
    struct mdl_decoder **decoders; /* (n); NULL: none, where nothing is searched */
    struct mdl **models;           /* (n); theirs, borrowed; models[0] is the first */
    int n;
};

/*
 * The first model and n_others more, each with a decoder of this limit.  T2_EUSAGE: models that do
 * not belong together, T2_EUNSUPPORTED: others of class labels or speech.  *s is owned by the
 * caller, also on failure.
 */
T2_MUST_CHECK enum t2_status dec_models_new(struct mdl *first, struct mdl *const *others,
                                            int n_others, const struct dev_bytes *limit,
                                            const struct mdl_choice *choice,
                                            struct dec_model_set *s, struct t2_err *err);
void dec_models_release(struct dec_model_set *s);

/* As the functions of a decoder (model.h), for all. */
T2_MUST_CHECK enum t2_status dec_models_plan(const struct dec_model_set *s,
                                             const struct mdl_search_shape *shape,
                                             struct dev_bytes *needed, struct t2_err *err);
T2_MUST_CHECK enum t2_status dec_models_begin(const struct dec_model_set *s,
                                              const struct mdl_search_shape *shape,
                                              const int32_t *inputs, struct t2_err *err);
T2_MUST_CHECK enum t2_status dec_models_choose(const struct dec_model_set *s, int32_t step,
                                               const int32_t *ids, const struct dev_ask *asks,
                                               struct dev_candidate *best, struct t2_err *err);
T2_MUST_CHECK enum t2_status dec_models_reorder(const struct dec_model_set *s, const int32_t *from,
                                                struct t2_err *err);
/* mdl_reserve_positions. */
T2_MUST_CHECK enum t2_status dec_models_reserve(const struct dec_model_set *s, int32_t positions,
                                                struct t2_err *err);

#endif
