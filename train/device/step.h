/*
 * train/device/step.h - arguments with what the step block says put in, for devices that compute on
 * the host.
 */
#ifndef DEV_STEP_H
#define DEV_STEP_H

#include "train/device/kernels.h"

/* Where the rows of a cache are that each of B hypotheses reads in this step (cache_index): one of
 * two tables (B, rows). */
static inline const int32_t *dev_cache_index_now(const int32_t *tables, int64_t B, int64_t rows,
                                                 const struct dev_step *step)
{
    return tables ? tables + step->position % 2 * B * rows : NULL;
}

/* Lk rows of the caches are filled. */
static inline struct dev_attention dev_attention_now(const struct dev_attention *a)
{
    struct dev_attention now = *a;

    if (a->at_step)
        now.Lk = ((int64_t) a->at_step->position + 1) * (a->step_keys ? a->step_keys : 1);
    now.cache_index = dev_cache_index_now(a->cache_index, a->B, a->k_rows, a->at_step);
    return now;
}

/* The element whose row j of the cache element b reads; kb without a table. */
static inline int64_t dev_cache_element(const int32_t *index, int64_t rows, int64_t b, int64_t kb,
                                        int64_t j)
{
    return index ? index[b * rows + j] : kb;
}

static inline struct dev_embed dev_embed_now(const struct dev_embed *a)
{
    struct dev_embed now = *a;

    if (a->at_step)
        now.first_position = a->at_step->position;
    return now;
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

static inline struct dev_unfold dev_unfold_now(const struct dev_unfold *a)
{
    struct dev_unfold now = *a;

    if (a->at_step)
        now.at = a->at_step->position;
    now.cache_index = dev_cache_index_now(a->cache_index, a->B, a->x_rows, a->at_step);
    return now;
}

#endif
