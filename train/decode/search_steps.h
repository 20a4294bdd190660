/*
 * train/decode/search_steps.h - what greedy (greedy.c) and beam search (beam.c) share.
 */
#ifndef DEC_SEARCH_STEPS_H
#define DEC_SEARCH_STEPS_H

#include "train/decode/decode.h"

struct dec_task {
    const struct dec_model *model;
    const struct dec_options *options;
    int32_t batch;
    const int32_t *prefix; /* (batch, prefix_length) */
    int32_t prefix_length;
};

/* The id that source b is forced to at this step, negative when it is free. */
static inline int32_t dec_forced_id(const struct dec_task *t, int32_t b, int32_t step)
{
    return step < t->prefix_length ? t->prefix[(int64_t) b * t->prefix_length + step] : -1;
}

/* Would `id` repeat an n-gram among the ids (step of them) of a hypothesis of source b, prefix
 * aside?  EOS never does. */
bool dec_repeats(const struct dec_task *t, int32_t b, const int32_t *ids, int32_t step, int32_t id);

enum t2_status dec_fail_logits(int32_t row, int32_t step, struct t2_err *err);

/* The two searches, for search.c.  Both fill a zeroed result. */
T2_MUST_CHECK enum t2_status dec_greedy(const struct dec_task *t, struct dec_result *r,
                                        struct t2_err *err);
T2_MUST_CHECK enum t2_status dec_beam(const struct dec_task *t, struct dec_result *r,
                                      struct t2_err *err);

#endif
