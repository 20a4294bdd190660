/*
 * train/device/step.h - arguments with what the step block says put in, for devices that compute on
 * the host.
 */
#ifndef DEV_STEP_H
#define DEV_STEP_H

#include "train/device/kernels.h"

/* The index of the target of row b. */
static inline int64_t dev_position_of(const struct dev_step *step, int64_t b)
{
    return step->positions ? step->positions[b] : step->position;
}

/* Where the rows of a cache are that each of B hypotheses reads in this step (cache_index): one of
 * two tables (B, rows). */
static inline const int32_t *dev_cache_index_now(const int32_t *tables, int64_t B, int64_t rows,
                                                 const struct dev_step *step)
{
    return tables ? tables + step->position % 2 * B * rows : NULL;
}

/* Lk rows of the caches are filled; where rows have begun apart it stays the most, and
 * dev_attention_of says it of each. */
static inline struct dev_attention dev_attention_now(const struct dev_attention *a)
{
    struct dev_attention now = *a;

    if (a->at_step && !a->at_step->positions)
        now.Lk = ((int64_t) a->at_step->position + 1) * (a->step_keys ? a->step_keys : 1);
    now.cache_index = dev_cache_index_now(a->cache_index, a->B, a->k_rows, a->at_step);
    return now;
}

static inline bool dev_attention_differs(const struct dev_attention *now)
{
    return now->at_step && now->at_step->positions;
}

/* What dev_attention_now gave, for element b. */
static inline struct dev_attention dev_attention_of(const struct dev_attention *now, int64_t b)
{
    struct dev_attention own = *now;

    if (dev_attention_differs(now))
        own.Lk = (dev_position_of(now->at_step, b) + 1) * (now->step_keys ? now->step_keys : 1);
    return own;
}

/* The element whose row j of the cache element b reads; kb without a table. */
static inline int64_t dev_cache_element(const int32_t *index, int64_t rows, int64_t b, int64_t kb,
                                        int64_t j)
{
    return index ? index[b * rows + j] : kb;
}

/* The place of the embedding (b,l) among the rows of positions. */
static inline int64_t dev_embed_position(const struct dev_embed *a, int64_t b, int64_t l)
{
    if (a->position_ids)
        return a->position_ids[b * a->L + l];
    return (a->at_step ? dev_position_of(a->at_step, b) : a->first_position) + l;
}

/* The row of the table whose embedding stands at (b,l); -1: none. */
static inline int64_t dev_embed_row(const struct dev_embed *a, int64_t b, int64_t l)
{
    int64_t from = l - a->shift, id;

    if (from < 0)
        return -1;
    id = a->ids[b * a->L + from];
    if (a->parts == 0)
        return id != 0 ? id : -1;
    return id >= 0 ? from % a->parts * a->part_rows + id : -1;
}

/* For element b. */
static inline struct dev_unfold dev_unfold_now(const struct dev_unfold *a, int64_t b)
{
    struct dev_unfold now = *a;

    if (a->at_step)
        now.at = dev_position_of(a->at_step, b);
    now.cache_index = dev_cache_index_now(a->cache_index, a->B, a->x_rows, a->at_step);
    return now;
}

#endif
