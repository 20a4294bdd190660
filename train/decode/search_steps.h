/*
 * train/decode/search_steps.h - what greedy (greedy.c) and beam search (beam.c) share.
 */
#ifndef DEC_SEARCH_STEPS_H
#define DEC_SEARCH_STEPS_H

#include "train/decode/decode.h"

struct dec_task {
    const struct dec_model *model;
    const struct dec_options *options;
    int32_t batch, places;
    const int32_t *prefix; /* (batch, prefix_length) */
    int32_t prefix_length;
};

/* Who is in which place. */
struct dec_seats {
    int32_t *source, *step; /* (places): which source, and how many ids its hypotheses have */
    int32_t next;           /* the first source that has had none */
    int32_t *free, *taken;  /* (places): places, and sources, of a refill */
};
void dec_seats_init(struct dec_seats *s, const struct dec_task *t);
void dec_seats_release(struct dec_seats *s);
/*
 * Gives places that are not busy, n_idle of them, to the next sources, where there are some and it
 * is time; how many were given: s->free, to s->taken.
 */
T2_MUST_CHECK enum t2_status dec_seats_refill(struct dec_seats *s, const struct dec_task *t,
                                              const bool *busy, int32_t n_idle, int32_t *n,
                                              struct t2_err *err);

/* Do sources come while others are searched? */
static inline bool dec_streams(const struct dec_task *t)
{
    return t->model->more != NULL;
}

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
