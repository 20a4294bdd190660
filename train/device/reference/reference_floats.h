/*
 * train/device/reference/reference_floats.h - tensors of any float type as float32, for kernels
 * that add to an element more than once: they round it once, at the end.
 */
#ifndef DEV_REFERENCE_FLOATS_H
#define DEV_REFERENCE_FLOATS_H

#include "base/alloc.h"
#include "train/device/types.h"

/* The n elements of p as floats; p itself where it is float32 or NULL. */
static inline float *dev_floats_open(enum dev_type type, void *p, int64_t n)
{
    float *x;

    if (type == DEV_FLOAT32 || !p)
        return p;
    x = t2_alloc((size_t) n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = dev_get(type, p, i);
    return x;
}

/* Stores what dev_floats_open gave, rounded, and frees it. */
static inline void dev_floats_close(enum dev_type type, float *x, int64_t n, void *p)
{
    if (type == DEV_FLOAT32 || !p)
        return;
    for (int64_t i = 0; i < n; i++)
        dev_put(type, p, i, x[i]);
    t2_free(x);
}

/* The same of what is only read; *copy, or NULL, is freed by the caller. */
static inline const float *dev_floats_read(enum dev_type type, const void *p, int64_t n,
                                           float **copy)
{
    *copy = NULL;
    if (type == DEV_FLOAT32 || !p)
        return p;
    *copy = t2_alloc((size_t) n + 1, sizeof **copy);
    for (int64_t i = 0; i < n; i++)
        (*copy)[i] = dev_get(type, p, i);
    return *copy;
}

#endif
