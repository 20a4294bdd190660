/*
 * train/device/step.h - arguments with what the step block says put in, for devices that compute on
 * the host.
 */
#ifndef DEV_STEP_H
#define DEV_STEP_H

#include "train/device/kernels.h"

/* Lk rows of the caches are filled. */
static inline struct dev_attention dev_attention_now(const struct dev_attention *a)
{
    struct dev_attention now = *a;

    if (a->at_step)
        now.Lk = (int64_t) a->at_step->position + 1;
    return now;
}

static inline struct dev_embed dev_embed_now(const struct dev_embed *a)
{
    struct dev_embed now = *a;

    if (a->at_step)
        now.first_position = a->at_step->position;
    return now;
}

static inline struct dev_unfold dev_unfold_now(const struct dev_unfold *a)
{
    struct dev_unfold now = *a;

    if (a->at_step)
        now.at = a->at_step->position;
    return now;
}

#endif
